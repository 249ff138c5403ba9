//! What somebody in a crisis is told, in the languages that it is written in.

use super::CrisisKind;

/// The texts of one language. `{line}` is the sentence about the crisis line, `{emergency}` the
/// emergency number; `{number}` and `{name}` are those of the line.
pub(super) struct CrisisTexts {
    /// Primary subtag of BCP 47.
    language: &'static str,
    despair: &'static str,
    other_in_despair: &'static str,
    danger: &'static str,
    emergency: &'static str,
    overdose: &'static str,
    /// To what isn't understood soon after one of these.
    pub(super) after: &'static str,
    /// To somebody who says that it is over.
    pub(super) over: &'static str,
    /// The country's line is known.
    line: &'static str,
    /// The country's line is not known.
    no_line: &'static str,
    /// The country's emergency number is `{number}`.
    emergency_number: &'static str,
    /// Where the number is not known.
    no_emergency_number: &'static str,
}

impl CrisisTexts {
    /// `language`: a BCP 47 tag; English for languages without texts.
    pub(super) fn of(language: Option<&str>) -> &'static Self {
        let mut others = OTHERS.iter();
        let found = language.and_then(|tag| others.find(|texts| texts.language == tag));
        found.unwrap_or(&ENGLISH)
    }

    pub(super) fn is_of(&self, language: &str) -> bool {
        self.language == language
    }

    /// `line`: number and name of the country's crisis line; `emergency`: its emergency number.
    pub(super) fn reply(
        &self,
        kind: CrisisKind,
        line: Option<(&str, &str)>,
        emergency: Option<&str>,
    ) -> String {
        let text = match kind {
            CrisisKind::Despair => self.despair,
            CrisisKind::OtherInDespair => self.other_in_despair,
            CrisisKind::Danger => self.danger,
            CrisisKind::Emergency => self.emergency,
            CrisisKind::Overdose => self.overdose,
            CrisisKind::HarmToOthers => HARM_TO_OTHERS,
            CrisisKind::Panic => PANIC,
        };
        let line = match line {
            Some((number, name)) => {
                let line = self.line.replace("{number}", number);
                line.replace("{name}", name)
            }
            None => self.no_line.to_owned(),
        };
        let emergency = match emergency {
            Some(number) => self.emergency_number.replace("{number}", number),
            None => self.no_emergency_number.to_owned(),
        };
        text.replace("{line}", &line)
            .replace("{emergency}", &emergency)
    }
}

/// Told in English only.
const HARM_TO_OTHERS: &str = "If somebody may be hurt soon, please call {emergency} now, go away from them, and keep away from anything that could hurt. It's good that you say it: nothing has to happen, and you don't have to carry it alone. {line}";
/// Told in English only.
const PANIC: &str = "That's frightening, and it passes: a panic attack is mostly over within minutes. It helps to breathe out slowly, longer than in, to hold on to something, and to have somebody near. If the chest hurts, somebody faints or it doesn't get better, please call {emergency} now. A doctor can help so that they come less often.";

const ENGLISH: CrisisTexts = CrisisTexts {
    language: "en",
    despair: "I'm so sorry that it's this hard right now. You matter, and you don't have to go through this alone. {line} If you are hurt or in immediate danger, please call {emergency} now, or get to somebody you trust.",
    other_in_despair: "I'm so sorry. Please take it seriously, and don't carry it alone: stay with them if you can, ask them openly, and keep away from them what could hurt them. {line} They also help people who worry about somebody. If somebody is hurt or in immediate danger, please call {emergency} now.",
    danger: "If you are hurt or in danger, please call {emergency} now, or get to a safe place and to somebody you trust. I'm so sorry. Nobody may hurt or threaten you, and it isn't your fault. For people in your country who listen and help, findahelpline.com has the numbers.",
    emergency: "Please call {emergency} now, also if you aren't sure: that sounds like an emergency, and they say what to do until help is there. If somebody is near, get them to help. I'm so sorry that you have to go through this.",
    overdose: "Please call {emergency} now and say what happened: don't wait until it gets worse. I'm so sorry. You matter, and you don't have to go through this alone. {line}",
    after: "I'm still here, and I take it seriously. I can't help the way a person can: please call the number above, or somebody you trust.",
    over: "I'm glad to hear that. If it changes, the numbers above are there at any time, and so am I.",
    line: "Please call {number} ({name}): people there listen, whatever it is. Lines in other countries are on findahelpline.com.",
    no_line: "Please talk to somebody who listens: findahelpline.com has the number for your country.",
    emergency_number: "{number}, your emergency number,",
    no_emergency_number: "your emergency number",
};

const OTHERS: [CrisisTexts; 8] = [
    CrisisTexts {
        language: "de",
        despair: "Es tut mir so leid, dass es gerade so schwer ist. Du bist wichtig, und du musst da nicht allein durch. {line} Wenn du verletzt oder in unmittelbarer Gefahr bist, ruf bitte sofort {emergency} an oder geh zu jemandem, dem du vertraust.",
        other_in_despair: "Es tut mir so leid. Nimm es bitte ernst und trag es nicht allein: Bleib bei der Person, wenn du kannst, frag sie offen, und halte von ihr fern, womit sie sich verletzen könnte. {line} Dort wird auch Menschen geholfen, die sich um jemanden sorgen. Wenn jemand verletzt oder in unmittelbarer Gefahr ist, ruf bitte sofort {emergency} an.",
        danger: "Wenn du verletzt oder in Gefahr bist, ruf bitte sofort {emergency} an, oder geh an einen sicheren Ort und zu jemandem, dem du vertraust. Es tut mir so leid. Niemand darf dich verletzen oder bedrohen, und es ist nicht deine Schuld. Menschen in deinem Land, die zuhören und helfen, stehen auf findahelpline.com.",
        emergency: "Ruf bitte sofort {emergency} an, auch wenn du nicht sicher bist: Das klingt nach einem Notfall, und dort sagt man dir, was zu tun ist, bis Hilfe da ist. Wenn jemand in der Nähe ist, hol dir Hilfe. Es tut mir so leid, dass du das durchmachen musst.",
        overdose: "Ruf bitte sofort {emergency} an und sag, was passiert ist: Warte nicht, bis es schlimmer wird. Es tut mir so leid. Du bist wichtig, und du musst da nicht allein durch. {line}",
        after: "Ich bin noch da, und ich nehme es ernst. Ich kann nicht so helfen wie ein Mensch: Ruf bitte die Nummer oben an oder jemanden, dem du vertraust.",
        over: "Das freut mich. Wenn es sich ändert, sind die Nummern oben jederzeit da, und ich auch.",
        line: "Ruf bitte {number} an ({name}): Dort hört man dir zu, was es auch ist. Nummern anderer Länder stehen auf findahelpline.com.",
        no_line: "Sprich bitte mit jemandem, der zuhört: Auf findahelpline.com steht die Nummer für dein Land.",
        emergency_number: "{number}, die Notrufnummer,",
        no_emergency_number: "die Notrufnummer",
    },
    CrisisTexts {
        language: "es",
        despair: "Siento mucho que sea tan difícil ahora mismo. Tú importas, y no tienes que pasar por esto a solas. {line} Si tienes heridas o estás en peligro inmediato, llama ahora {emergency}, o acude a alguien de confianza.",
        other_in_despair: "Lo siento mucho. Tómalo en serio y no lo lleves a solas: quédate con esa persona si puedes, pregúntale abiertamente y aleja de ella lo que pueda hacerle daño. {line} También ayudan a quien se preocupa por alguien. Si hay alguien herido o en peligro inmediato, llama ahora {emergency}.",
        danger: "Si tienes heridas o estás en peligro, llama ahora {emergency}, o ve a un lugar seguro y con alguien de confianza. Lo siento mucho. Nadie puede hacerte daño ni amenazarte, y no es culpa tuya. En findahelpline.com están los números de quienes escuchan y ayudan en tu país.",
        emergency: "Llama ahora {emergency}, también si no lo tienes claro: parece una emergencia, y allí te dicen qué hacer hasta que llegue la ayuda. Si hay alguien cerca, pídele que te ayude. Siento mucho que tengas que pasar por esto.",
        overdose: "Llama ahora {emergency} y di lo que ha pasado: no esperes a que empeore. Lo siento mucho. Tú importas, y no tienes que pasar por esto a solas. {line}",
        after: "Sigo aquí, y me lo tomo en serio. No puedo ayudar como una persona: llama al número de arriba o a alguien de confianza.",
        over: "Me alegro mucho. Si cambia, los números de arriba están siempre ahí, y yo también.",
        line: "Llama al {number} ({name}): allí te escuchan, sea lo que sea. En findahelpline.com están los números de otros países.",
        no_line: "Habla con alguien que escuche: en findahelpline.com está el número de tu país.",
        emergency_number: "al {number}, el número de emergencias",
        no_emergency_number: "al número de emergencias",
    },
    CrisisTexts {
        language: "fr",
        despair: "Je suis vraiment désolé que ce soit si dur en ce moment. Tu comptes, et tu n'as pas à traverser ça sans personne. {line} Si tu as une blessure ou es en danger immédiat, appelle tout de suite {emergency}, ou va voir quelqu'un en qui tu as confiance.",
        other_in_despair: "Je suis vraiment désolé. Prends-le au sérieux, et ne porte pas ça sans aide : reste avec cette personne si tu peux, pose-lui la question ouvertement, et éloigne d'elle ce qui pourrait la blesser. {line} On y aide aussi ceux qui s'inquiètent pour quelqu'un. Si quelqu'un est blessé ou en danger immédiat, appelle tout de suite {emergency}.",
        danger: "Si tu as une blessure ou es en danger, appelle tout de suite {emergency}, ou va dans un lieu sûr et vers quelqu'un en qui tu as confiance. Je suis vraiment désolé. Personne n'a le droit de te blesser ni de te menacer, et ce n'est pas ta faute. Sur findahelpline.com se trouvent les numéros de ceux qui écoutent et aident dans ton pays.",
        emergency: "Appelle tout de suite {emergency}, même dans le doute : cela ressemble à une urgence, et on te dira quoi faire jusqu'à l'arrivée des secours. S'il y a quelqu'un près de toi, demande-lui de t'aider. Je suis vraiment désolé que tu doives vivre ça.",
        overdose: "Appelle tout de suite {emergency} et dis ce qui s'est passé : n'attends pas que cela s'aggrave. Je suis vraiment désolé. Tu comptes, et tu n'as pas à traverser ça sans personne. {line}",
        after: "Je suis toujours là, et je prends ça au sérieux. Je ne peux pas aider comme une personne : appelle le numéro ci-dessus, ou quelqu'un en qui tu as confiance.",
        over: "Tant mieux. Si cela change, les numéros ci-dessus sont toujours là, et moi aussi.",
        line: "Appelle le {number} ({name}) : on t'y écoute, quoi qu'il en soit. Les numéros d'autres pays sont sur findahelpline.com.",
        no_line: "Parle à quelqu'un qui écoute : findahelpline.com a le numéro de ton pays.",
        emergency_number: "le {number}, le numéro d'urgence",
        no_emergency_number: "le numéro d'urgence",
    },
    CrisisTexts {
        language: "it",
        despair: "Mi dispiace tanto che sia così dura adesso. Tu conti, e non devi affrontare tutto questo senza nessuno. {line} Se hai ferite o sei in pericolo immediato, chiama subito {emergency}, o vai da una persona di cui ti fidi.",
        other_in_despair: "Mi dispiace tanto. Prendilo sul serio e non portarlo da te: resta con quella persona se puoi, chiedile apertamente e tieni lontano da lei ciò che potrebbe farle male. {line} Aiutano anche chi si preoccupa per qualcuno. Se qualcuno è ferito o in pericolo immediato, chiama subito {emergency}.",
        danger: "Se hai ferite o sei in pericolo, chiama subito {emergency}, o vai in un posto sicuro e da una persona di cui ti fidi. Mi dispiace tanto. Nessuno può farti del male o minacciarti, e non è colpa tua. Su findahelpline.com ci sono i numeri di chi ascolta e aiuta nel tuo paese.",
        emergency: "Chiama subito {emergency}, anche se hai dubbi: sembra un'emergenza, e ti dicono cosa fare finché arriva aiuto. Se c'è qualcuno vicino, fatti aiutare. Mi dispiace tanto che tu debba passare tutto questo.",
        overdose: "Chiama subito {emergency} e di' cosa è successo: non aspettare che peggiori. Mi dispiace tanto. Tu conti, e non devi affrontare tutto questo senza nessuno. {line}",
        after: "Sono ancora qui, e ti prendo sul serio. Non posso aiutare come una persona: chiama il numero qui sopra, o qualcuno di cui ti fidi.",
        over: "Mi fa piacere. Se cambia, i numeri qui sopra ci sono sempre, e anch'io.",
        line: "Chiama il numero {number} ({name}): lì ti ascoltano, qualunque cosa sia. I numeri di altri paesi sono su findahelpline.com.",
        no_line: "Parla con qualcuno che ascolta: su findahelpline.com c'è il numero per il tuo paese.",
        emergency_number: "il {number}, il numero di emergenza",
        no_emergency_number: "il numero di emergenza",
    },
    CrisisTexts {
        language: "nl",
        despair: "Wat erg dat het nu zo zwaar is. Jij doet ertoe, en je hoeft hier niet alleen doorheen. {line} Als je gewond bent of direct gevaar loopt, bel dan nu {emergency}, of ga naar iemand die je vertrouwt.",
        other_in_despair: "Wat erg. Neem het serieus, en draag het niet alleen: blijf bij diegene als je kunt, vraag er open naar, en houd weg wat kwaad kan doen. {line} Ze helpen ook mensen die zich zorgen maken om iemand. Als iemand gewond is of direct gevaar loopt, bel dan nu {emergency}.",
        danger: "Als je gewond bent of gevaar loopt, bel dan nu {emergency}, of ga naar een veilige plek en naar iemand die je vertrouwt. Wat erg. Niemand mag je pijn doen of bedreigen, en het is niet jouw schuld. Op findahelpline.com staan de nummers van mensen in jouw land die luisteren en helpen.",
        emergency: "Bel nu {emergency}, ook als je twijfelt: dit klinkt als een noodgeval, en daar zeggen ze wat je moet doen tot er hulp is. Als er iemand in de buurt is, laat die helpen. Wat erg dat je dit moet meemaken.",
        overdose: "Bel nu {emergency} en zeg wat er gebeurd is: wacht niet tot het erger wordt. Wat erg. Jij doet ertoe, en je hoeft hier niet alleen doorheen. {line}",
        after: "Ik ben er nog, en ik neem het serieus. Ik kan niet helpen zoals een mens dat kan: bel het nummer hierboven, of iemand die je vertrouwt.",
        over: "Fijn om te horen. Als het verandert, zijn de nummers hierboven er altijd, en ik ook.",
        line: "Bel {number} ({name}): daar luisteren ze, wat het ook is. Nummers van andere landen staan op findahelpline.com.",
        no_line: "Praat met iemand die luistert: op findahelpline.com staat het nummer voor jouw land.",
        emergency_number: "{number}, het alarmnummer",
        no_emergency_number: "het alarmnummer",
    },
    CrisisTexts {
        language: "pl",
        despair: "Bardzo mi przykro, że jest teraz tak ciężko. Twoje życie jest ważne i nie musisz być z tym bez nikogo. {line} Jeśli masz obrażenia albo grozi ci bezpośrednie niebezpieczeństwo, zadzwoń teraz {emergency} albo idź do kogoś, komu ufasz.",
        other_in_despair: "Bardzo mi przykro. Potraktuj to poważnie i nie dźwigaj tego bez pomocy: zostań z tą osobą, jeśli możesz, zapytaj ją otwarcie i usuń z jej otoczenia to, czym mogłaby zrobić sobie krzywdę. {line} Pomagają tam także tym, którzy się o kogoś martwią. Jeśli ktoś ma obrażenia albo jest w bezpośrednim niebezpieczeństwie, zadzwoń teraz {emergency}.",
        danger: "Jeśli masz obrażenia albo grozi ci niebezpieczeństwo, zadzwoń teraz {emergency} albo idź w bezpieczne miejsce i do kogoś, komu ufasz. Bardzo mi przykro. Nikt nie może cię krzywdzić ani ci grozić i to nie jest twoja wina. Na findahelpline.com są numery osób, które słuchają i pomagają w twoim kraju.",
        emergency: "Zadzwoń teraz {emergency}, nawet jeśli nie masz pewności: to brzmi jak nagły przypadek, a tam powiedzą, co robić, zanim dotrze pomoc. Jeśli ktoś jest w pobliżu, poproś o pomoc. Bardzo mi przykro, że musisz przez to przechodzić.",
        overdose: "Zadzwoń teraz {emergency} i powiedz, co się stało: nie czekaj, aż będzie gorzej. Bardzo mi przykro. Twoje życie jest ważne i nie musisz być z tym bez nikogo. {line}",
        after: "Nadal tu jestem i traktuję to poważnie. Nie pomogę tak jak człowiek: zadzwoń pod numer podany wyżej albo do kogoś, komu ufasz.",
        over: "Cieszę się. Jeśli coś się zmieni, numery powyżej są zawsze, i ja też.",
        line: "Zadzwoń pod numer {number} ({name}): tam wysłuchają, cokolwiek to jest. Numery w innych krajach są na findahelpline.com.",
        no_line: "Porozmawiaj z kimś, kto wysłucha: na findahelpline.com jest numer dla twojego kraju.",
        emergency_number: "pod numer alarmowy {number}",
        no_emergency_number: "pod numer alarmowy",
    },
    CrisisTexts {
        language: "pt",
        despair: "Sinto muito que esteja tão difícil agora. Tu és importante, e não tens de passar por isto sem ninguém. {line} Se tens ferimentos ou estás em perigo imediato, liga já {emergency}, ou vai ter com alguém de confiança.",
        other_in_despair: "Sinto muito. Leva isto a sério e não o carregues sem ajuda: fica com essa pessoa se puderes, pergunta-lhe abertamente e afasta dela o que a possa magoar. {line} Também ajudam quem se preocupa com alguém. Se alguém está com ferimentos ou em perigo imediato, liga já {emergency}.",
        danger: "Se tens ferimentos ou estás em perigo, liga já {emergency}, ou vai para um lugar seguro e para junto de alguém de confiança. Sinto muito. Ninguém te pode magoar nem ameaçar, e a culpa não é tua. Em findahelpline.com estão os números de quem escuta e ajuda no teu país.",
        emergency: "Liga já {emergency}, mesmo na dúvida: parece uma emergência, e lá dizem o que fazer até a ajuda chegar. Se há alguém por perto, pede ajuda. Sinto muito que tenhas de passar por isto.",
        overdose: "Liga já {emergency} e diz o que aconteceu: não esperes que piore. Sinto muito. Tu és importante, e não tens de passar por isto sem ninguém. {line}",
        after: "Ainda estou aqui, e levo isso a sério. Não posso ajudar como uma pessoa: liga para o número acima, ou para alguém em quem confias.",
        over: "Fico feliz em saber. Se mudar, os números acima estão sempre lá, e eu também.",
        line: "Liga para {number} ({name}): lá escutam-te, seja o que for. Os números de outros países estão em findahelpline.com.",
        no_line: "Fala com alguém que escute: em findahelpline.com está o número do teu país.",
        emergency_number: "para o {number}, o número de emergência",
        no_emergency_number: "para o número de emergência",
    },
    CrisisTexts {
        language: "sv",
        despair: "Jag är så ledsen att det är så svårt just nu. Du är viktig, och du behöver inte gå igenom det här ensam. {line} Om du är skadad eller i omedelbar fara, ring {emergency} nu, eller ta dig till någon du litar på.",
        other_in_despair: "Jag är så ledsen. Ta det på allvar och bär det inte ensam: stanna hos personen om du kan, fråga öppet, och håll borta det som personen kan skada sig med. {line} De hjälper också den som är orolig för någon. Om någon är skadad eller i omedelbar fara, ring {emergency} nu.",
        danger: "Om du är skadad eller i fara, ring {emergency} nu, eller ta dig till en trygg plats och till någon du litar på. Jag är så ledsen. Ingen får skada eller hota dig, och det är inte ditt fel. På findahelpline.com finns numren till dem som lyssnar och hjälper i ditt land.",
        emergency: "Ring {emergency} nu, även om du är osäker: det låter som en nödsituation, och där säger de vad du ska göra tills hjälpen är framme. Om någon är i närheten, be dem hjälpa till. Jag är så ledsen att du måste gå igenom det här.",
        overdose: "Ring {emergency} nu och säg vad som har hänt: vänta inte tills det blir värre. Jag är så ledsen. Du är viktig, och du behöver inte gå igenom det här ensam. {line}",
        after: "Jag är fortfarande här, och jag tar det på allvar. Jag kan inte hjälpa så som en människa kan: ring numret ovan, eller någon du litar på.",
        over: "Det gläder mig. Om det ändras finns numren ovan alltid där, och jag också.",
        line: "Ring {number} ({name}): där lyssnar man, vad det än gäller. Nummer i andra länder finns på findahelpline.com.",
        no_line: "Prata med någon som lyssnar: på findahelpline.com finns numret för ditt land.",
        emergency_number: "{number}, nödnumret,",
        no_emergency_number: "nödnumret",
    },
];
