//! What people say in other languages who may want to die or to hurt themselves. In the notation
//! of `grammar`.

use super::InLanguage;

/// Somebody may want to die.
pub(super) const DESPAIR: &[InLanguage] = &[
    (
        "de",
        &[
            "selbstmord|suizid|selbstmordgedanken|suizidgedanken|suizidal|lebensmude|freitod",
            "tu|tue|tun mir .. was|etwas an $",
            "tu|tue|tun mir was|etwas an",
            "mir|sich was|etwas an|antun|angetan|anzutun|antue|antut tun|$",
            "will|mochte|wollte|mag|kann|willst|wurde .. nicht mehr leben|weiterleben|da_sein|aufwachen|hier_sein",
            "will|mochte|wollte|wurde|konnte|darf ich? .. sterben|tot_sein",
            "nicht mehr leben|weiterleben",
            "lieber tot",
            "liebsten|lieber war|ware ich .. tot|nicht_mehr|weg|nie_geboren",
            "liebsten .. tot|sterben|nicht_mehr_leben",
            "wenn ich tot bin|ware|war|$",
            "niemand|keiner|keinem .. mich vermissen|vermisst",
            "niemand|keiner|keinem .. merken|auffallen|interessieren|vermissen|merkt .. wenn|ob ich weg|tot|nicht|sterbe|verschwinde",
            "will|mochte|wunschte .. dass alles|es|das|das_alles|der_schmerz|die_schmerzen endlich? aufhort|endet|vorbei $|ist",
            "soll|sollte .. alles|der_schmerz .. aufhoren|vorbei_sein|enden $",
            "wunschte ich ware|war tot|nie_geboren|nicht_mehr",
            "bock|lust|kraft|mut|grund mehr? .. zu leben",
            "keinen sinn|ausweg mehr $|ich|i_am_leben|zu|am|fur",
            "bring|bringe|brachte mich um",
            "bring|bringe ich? mich .. um $|wenn|weil|und|dann|falls|sobald|bevor|heute|morgen|bald|jetzt|gleich|ich|bitte|niemand|keiner",
            "ich|i will|werde|werd|mochte|wollte|konnte|kann|muss|sollte|wurde? mich .. umbringen|umbring|umbringe|ritzen|erhangen|aufhangen|erschiessen|erschießen|vergiften|erhange|aufhange|erschiesse|erschieße|vergifte|umgebracht",
            "^ will|werde|werd|mochte|wollte|konnte|muss|sollte mich .. umbringen|ritzen|erhangen|aufhangen|erschiessen|erschießen|vergiften",
            "mich .. umzubringen|aufzuhangen|erhangen_zu",
            "hang|hange ich? mich .. auf $|wenn|weil|und|dann|heute|morgen|bald|jetzt",
            "erhang|erhange|erschiess|erschieß|erschiesse|erschieße|vergifte ich? mich $|heute|morgen|jetzt|gleich|bald|wenn|weil|und|noch",
            "nehm|nehme ich? mir .. das leben",
            "mir .. das leben nehme|nehmen|zu_nehmen",
            "schluss mit meinem|mein|dem leben",
            "schneid|schneide ich? mir .. pulsadern|adern",
            "spring|springe|sturz|sturze|werf|werfe ich? mich? .. vom|von_der|von_dem|von_einer|von_einem|aus_dem brucke|dach|klippe|balkon|hochhaus|fenster",
            "spring|springe|werf|werfe|schmeiss|schmeiß|schmeisse|schmeiße|leg|lege ich? mich? .. vor_den|vor_die|vor_einen|auf_die zug|bahn|ubahn|u-bahn|gleise|schienen",
            "mich umbringen|umzubringen|ritzen|erhangen|aufhangen|erschiessen|erschießen|vergiften|verletzen|geritzt",
            "ritze mich",
            "mir das? leben nehmen|zu_nehmen",
            "mein|meinem leben .. ende|beenden|nehmen|sinnlos|vorbei",
            "mein leben ist vorbei|sinnlos|nichts_mehr_wert",
            "von der|dem|einer|einem brucke|dach|klippe|balkon|hochhaus springen|spring|springe|sturzen",
            "auf|an der|dem|den|einer|einem brucke|dach|klippe|gelander|abgrund|fensterbrett|hochhaus .. springen|spring|springe|schluss",
            "steh|stehe|lieg|liege|sitz|sitze|bin|warte auf|an den gleisen|schienen|bahngleisen",
            "ohne mich .. besser",
            "besser .. ohne mich|tot",
        ],
    ),
    (
        "es",
        &[
            "quiero|queria|quisiera|deseo|preferiria|prefiero me? morir|morirme|suicidarme|matarme|desaparecer_para|estar_muerto|estar_muerta|dejar_de_vivir|estar_muerto",
            "me quiero morir|matar|suicidar",
            "quiero solo|ya|hoy|hoy_mismo|solamente|simplemente|nada_mas|de_verdad|realmente morir|morirme|suicidarme|matarme",
            "voy .. a .. matarme|suicidarme|quitarme_la|colgarme|ahorcarme",
            "me mato $|hoy|manana|esta_noche|esta_tarde|ahora|ahora_mismo|y|ya|porque",
            "me suicido|suicidare|matare|ahorco|ahorcare",
            "me .. quito|quitare|quitar .. la vida",
            "voy a matarme|suicidarme|quitarme|acabar_con|tirarme|saltar|colgarme|cortarme",
            "me voy a matar|suicidar|tirar|colgar",
            "no quiero vivir|seguir|existir|despertar|estar_viva|estar_vivo|estar_aqui",
            "no .. ganas de vivir|seguir",
            "ganas de morir|morirme|matarme|suicidarme",
            "acabar con todo|mi_vida|esto",
            "quitarme la vida",
            "suicidio|suicidarme",
            "no puedo mas $|con_mi|con_esta|de_verdad|quiero|ya",
            "ya no aguanto|puedo mas $|quiero|esta_vida",
            "mi vida no tiene sentido|vale|merece",
            "vida .. no tiene|vale|merece sentido|nada|la_pena|$",
            "no .. veo|encuentro .. sentido .. vida|vivir|seguir",
            "mejor muerta|muerto|sin_mi",
            "me corto|corte los|las|otra brazos|venas|munecas|piernas|vez",
        ],
    ),
    (
        "fr",
        &[
            "veux|voudrais|vais|envie|prefere|voulais .. me? mourir|tuer|suicider|en_finir|pendre",
            "veux|peux|envie .. plus .. vivre|exister|continuer|etre_la|me_reveiller",
            "plus envie|la_force|de_raison de vivre|continuer|rien",
            "mettre fin a mes|ses|ma jours|vie",
            "me donner|donne|donnerai .. la mort",
            "je .. me tue $|ce_soir|cette|demain|aujourdhui|maintenant|bientot|et|parce",
            "me tuerai|suicide|suiciderai|pends|pendrai|flinguer",
            "mets|met|mettrai|mettre .. fin a mes|ma jours|vie",
            "je me jette|jetterai .. sous|du|dun|par train|metro|pont|le_train|le_metro|la_fenetre|toit|balcon",
            "vais|veux|voudrais me jeter .. sous|du|dun|par train|metro|pont|le_train|le_metro|la_fenetre|toit|balcon",
            "en finir avec la vie|tout|moi",
            "marre|fatigue|fatiguee de vivre",
            "me|de suicider",
            "suicidaire",
            "ma vie est finie|foutue|na_plus",
            "vie .. vaut plus|pas? la? peine|rien|coup $|detre|de|pour",
            "vie .. a plus|aucun de? sens",
            "serait|seraient mieux sans moi",
            "me scarifie|scarifier|faire_du_mal|mutile|taillade",
            "j en peux plus de_vivre|de_la_vie",
            "jen|nen peux plus de_vivre|de_la_vie",
        ],
    ),
    (
        "it",
        &[
            "voglio|vorrei|preferirei|volevo|voler .. morire|uccidermi|ammazzarmi|suicidarmi|farla_finita|sparire_per|uccidere|ammazzare",
            "mi ammazzo|uccido|suicido|taglio_le|taglio_i|taglio_ancora|impicco|butto_dal|butto_giu",
            "non voglio|riesco .. piu|a .. vivere|andare_avanti|esistere|svegliarmi",
            "non ce la faccio piu $|a_vivere|voglio",
            "togliermi|togliersi .. la vita",
            "mi tolgo|togliero .. la vita",
            "la faccio|faro .. finita $|oggi|stasera|stanotte|domani|con",
            "mi uccidero|ammazzero|suicidero|impicchero",
            "mi butto|buttero .. dal|giu|sotto ponte|balcone|tetto|finestra|dal_ponte|dal_balcone|il_treno|un_treno|treno",
            "suicidio|suicidarmi",
            "la mia vita e finita|inutile|non_ha",
            "meglio senza di me",
        ],
    ),
    (
        "pt",
        &[
            "quero|queria|vou|vontade|preferia|prefiro .. morrer|me_matar|me_suicidar|suicidar|acabar_com_tudo|desaparecer_para|sumir_para|tirar_minha",
            "nao quero|aguento|consigo .. mais .. viver|existir",
            "nao quero viver|acordar|existir",
            "nao aguento mais $|a_vida|essa_vida|viver|quero",
            "tirar a? minha vida",
            "acabar com a minha vida|tudo",
            "suicidio",
            "me suicidar|suicido|suicidarei|enforco|enforcar",
            "matar-me|suicidar-me|mato-me|suicido-me|enforcar-me",
            "me mato $|hoje|amanha|agora|esta_noite|e|porque",
            "acabar|acabo .. com a? minha vida",
            "tirar|tiro .. a? minha vida",
            "minha vida acabou|nao_vale|nao_tem_sentido",
            "melhor sem mim",
            "me cortei|corto|cortando de_novo|os_bracos|os_pulsos|outra",
        ],
    ),
    (
        "nl",
        &[
            "wil|wou|zou|liever .. dood|sterven|doodgaan",
            "wil|kan|hoef .. niet meer|langer leven|verder|wakker_worden|hier_zijn|bestaan",
            "zelfmoord|suicidaal|zelfdoding",
            "mezelf .. kant|dood|ombrengen|pijn|snijden|doden|verwonden|ophangen",
            "maak|maken er .. een? eind|einde aan",
            "breng|brengen mezelf|me|mij .. om $|het_leven|als|want|en|vandaag|vanavond|morgen",
            "hang ik? mezelf|me .. op $|vandaag|vanavond|morgen|als|en",
            "verhang|verhangen me|mezelf",
            "me|mezelf .. verhangen|ophangen|ombrengen",
            "beneem|benemen me|mezelf .. het leven",
            "spring ik? .. van|voor de|het|een brug|flat|dak|gebouw|trein",
            "ga|wil|zou .. van|voor de|het|een brug|flat|dak|gebouw|trein .. springen",
            "wil er een eind|einde aan maken",
            "einde|eind aan mijn|haar|zijn|alles leven|$",
            "mijn leven is voorbij|zinloos|niets_waard",
            "beter .. zonder mij",
            "ik wil niet meer $",
            "snij mezelf",
        ],
    ),
    (
        "pl",
        &[
            "chce|chcialbym|chcialabym|wole .. umrzec|sie_zabic|nie_zyc|zniknac_na",
            "nie chce .. zyc|istniec|sie_obudzic",
            "nie mam .. sily|po_co|ochoty zyc|dla_kogo",
            "zabije sie",
            "zabic sie",
            "zabije|powiesze .. sie $|dzis|dzisiaj|jutro|bo|jesli",
            "sie .. zabije|zabic|powiesze|powiesic $|dzis|dzisiaj|jutro|bo|jesli|dzis_wieczorem",
            "odbiore|odebrac sobie .. zycie",
            "sobie .. odbiore|odebrac zycie",
            "skoncze|skonczyc .. ze soba",
            "samobojstwo|samobojcze|samobojstwa",
            "popelnic samobojstwo",
            "moje zycie .. skonczone|sensu|koniec",
            "tne sie|pocielam|pocialem_sie",
        ],
    ),
    (
        "tr",
        &[
            "intihar",
            "olmek istiyorum|istiyor",
            "yasamak istemiyorum|istemiyor",
            "kendimi .. oldurmek|oldurecegim|asacagim|kesiyorum|kestim",
            "hayatima .. son",
            "canima .. kiyacagim|kiymak|kiyarim",
            "kendimi .. asmak|asarim|oldururum",
            "artik yasamak|dayanamiyorum $|istemiyorum",
            "hayatim bitti",
        ],
    ),
    (
        "ru",
        &[
            "хочу|хочет|хотел|хотела .. умереть|сдохнуть|убить_себя|покончить|исчезнуть_навсегда|повеситься|убиться",
            "не хочу|хочет .. жить|просыпаться|существовать",
            "покончить|покончу с собой|жизнью|этим",
            "покончить|покончу .. с собой|жизнью",
            "с собой .. покончу|покончить",
            "убью .. себя",
            "себя .. убью|убить $|сегодня|завтра|хочу",
            "я .. повешусь|застрелюсь|удавлюсь",
            "спрыгну|сброшусь|прыгну .. с моста|крыши|балкона|окна",
            "счеты с жизнью",
            "самоубийство|суицид|самоубийстве|суициде|самоубийством",
            "жизнь .. кончена|бессмысленна|закончена",
            "режу себя|вены",
            "вскрою|вскрыть вены",
            "лучше .. без меня",
        ],
    ),
    ("ca", &["vull morir", "em vull morir", "no vull viure"]),
    (
        "sv",
        &[
            "vill dö", "vill bara|verkligen|nu dö", "vill inte leva", "vill inte längre|mer leva",
            "orkar inte leva", "ta|tar .. mitt liv", "ta|tar .. livet av mig", "begå självmord",
        ],
    ),
    // Danish and Norwegian
    (
        "da",
        &[
            "vil dø", "vil gerne dø", "ønsker å dø", "lyst til at dø",
            "vil bare|virkelig|virkelig_bare dø", "vil ikke leve",
            "vil ikke længere|mere|lenger leve", "orker ikke leve", "begå selvmord",
            "tage|tager .. mit liv", "ta|tar .. livet mitt|af_mig|av_meg",
        ],
    ),
    (
        "fi",
        &[
            "haluan kuolla", "en halua elää", "tapan .. itseni", "tappaa .. itseni",
            "itseni .. tapan|tappaa",
        ],
    ),
    // Czech and Slovak
    (
        "cs",
        &[
            "chci umřít", "chci zemřít", "nechci žít", "nechci už žít", "chci se .. zabít",
            "se .. zabiju", "zabiju|zabijem se|sa", "spáchat sebevraždu", "chcem umrieť",
            "chcem zomrieť", "nechcem žiť", "nechcem už žiť", "chcem sa .. zabiť",
        ],
    ),
    (
        "hu",
        &[
            "meg akarok halni", "nem akarok élni", "nem akarok tovább élni", "megölöm .. magam",
            "öngyilkos akarok lenni", "öngyilkos leszek",
        ],
    ),
    (
        "ro",
        &[
            "vreau să mor", "vreau sa mor", "nu mai vreau să trăiesc", "nu mai vreau sa traiesc",
            "vreau să mă sinucid", "vreau sa ma sinucid", "mă omor|sinucid",
        ],
    ),
    // Croatian and Serbian
    (
        "hr",
        &[
            "želim umrijeti", "želim da umrem", "hoću umrijeti", "hoću da umrem",
            "ne želim živjeti", "ne želim da živim", "ubit ću se", "ubiću se",
        ],
    ),
    (
        "el",
        &[
            "θέλω να πεθάνω", "δεν θέλω να ζω", "θέλω να αυτοκτονήσω", "να αυτοκτονήσω",
        ],
    ),
    (
        "uk",
        &[
            "хочу померти", "хочу вмерти", "не хочу жити", "не хочу більше жити", "хочу вбити себе",
        ],
    ),
    (
        "bg",
        &["искам да умра", "не искам да живея", "ще се самоубия"],
    ),
    (
        "ar",
        &[
            "أريد أن أموت", "اريد ان اموت", "بدي اموت", "بدي موت", "عايز اموت", "لا أريد أن أعيش",
            "لا اريد ان اعيش", "سأقتل نفسي", "أريد الانتحار", "اريد الانتحار",
        ],
    ),
    ("he", &["רוצה למות", "לא רוצה לחיות", "רוצה להתאבד"]),
    (
        "fa",
        &[
            "میخواهم بمیرم", "می‌خواهم بمیرم", "میخوام بمیرم", "می‌خوام بمیرم", "خودکشی کنم",
        ],
    ),
    (
        "hi",
        &[
            "मरना चाहता हूं",
            "मरना चाहता हूँ",
            "मरना चाहती हूं",
            "मरना चाहती हूँ",
            "जीना नहीं चाहता",
            "जीना नहीं चाहती",
            "आत्महत्या करना",
            "marna chahta hu",
            "marna chahta hoon",
            "marna chahti hu",
            "marna chahti hoon",
            "jeena nahi chahta",
            "jeena nahi chahti",
        ],
    ),
    // Indonesian and Malay
    (
        "id",
        &[
            "saya ingin mati", "aku ingin mati", "saya mau mati", "aku mau mati", "saya nak mati",
            "aku nak mati", "ingin bunuh diri", "mau bunuh diri", "nak bunuh diri",
            "tidak ingin hidup lagi", "tidak mau hidup lagi",
        ],
    ),
    (
        "vi",
        &[
            "tôi muốn chết", "em muốn chết", "mình muốn chết", "không muốn sống", "muốn tự tử",
        ],
    ),
    (
        "tl",
        &[
            "gusto ko nang mamatay", "gusto ko na mamatay", "gusto kong mamatay",
            "ayoko nang mabuhay", "ayoko na mabuhay", "magpapakamatay ako",
            "gusto kong magpakamatay",
        ],
    ),
    (
        "ko",
        &[
            "죽고 싶어", "죽고 싶다", "죽고 싶어요", "죽고 싶습니다", "살고 싶지 않아",
            "살기 싫어", "자살하고 싶어",
        ],
    ),
];

/// Said of somebody near.
pub(super) const OF_OTHERS: &[InLanguage] = &[
    (
        "de",
        &[
            "will sich umbringen|das_leben_nehmen|was_antun|etwas_antun",
            "hat sich umgebracht|erhangt|erschossen|das_leben_genommen",
            "freund|freundin|mutter|mama|vater|papa|bruder|schwester|sohn|tochter|mann|frau|kind|kollege|kollegin|er|sie will .. sterben|nicht_mehr_leben",
        ],
    ),
    (
        "es",
        &[
            "quiere|quieren morir|morirse|matarse|suicidarse|quitarse",
            "se quiere|quieren morir|matar|suicidar|quitar",
            "suicidarse",
        ],
    ),
    (
        "fr",
        &[
            "veut|veulent|va|vouloir .. mourir|se_tuer|se_suicider|en_finir",
            "sest|se suicide|suicider|pendu|pendue|tuee",
        ],
    ),
    (
        "it",
        &["vuole|vogliono .. morire|uccidersi|ammazzarsi|suicidarsi|farla_finita"],
    ),
    (
        "pt",
        &["quer|querem .. morrer|se_matar|suicidar|se_suicidar"],
    ),
    (
        "nl",
        &[
            "vriend|vriendin|moeder|mama|vader|papa|broer|zus|zoon|dochter|man|vrouw|hij|zij|ze wil|wilt .. dood|sterven|niet_meer_leven|zelfmoord_plegen",
        ],
    ),
];

/// Said of oneself, also of what is only much.
pub(super) const VEILED: &[InLanguage] = &[
    (
        "de",
        &["ich|i kann nicht mehr $", "ich|i halte .. nicht mehr aus $"],
    ),
    ("es", &["quiero|quisiera desaparecer $"]),
    (
        "fr",
        &[
            "j en peux plus $", "jen|nen peux plus $", "veux|voudrais disparaitre $",
        ],
    ),
    ("it", &["voglio|vorrei sparire|scomparire $"]),
    ("pt", &["quero|queria sumir|desaparecer $"]),
    ("nl", &["ik kan niet meer $", "wil verdwijnen $"]),
];
