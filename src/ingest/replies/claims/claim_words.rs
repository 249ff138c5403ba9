//! The words by which requests and claims are known: what asks for something, what says that it was
//! done, and what only speaks of such words. In lower case.

/// Promises to remind or to remember: all parts of one stand in a clause, in that order.
#[rustfmt::skip]
pub(super) const PROMISES: [&[&str]; 108] = [
    &["i'll remind you"], &["i will remind you"], &["i'm going to remind you"],
    &["set a reminder"], &["set your reminder"], &["scheduled a reminder"],
    &["reminder is set"], &["reminder's set"], &["reminder has been set"], &["i'll wake you"],
    &["i'll ping you"], &["i will ping you"], &["i'll nudge you"], &["i'll remember that"],
    &["i've scheduled that"], &["i have scheduled that"],
    &["ich erinnere dich"], &["ich erinnere sie"], &["erinnere ich dich"], &["erinnere ich sie"],
    &["werde dich", "erinnern"], &["werde ich dich", "erinnern"], &["werde sie", "erinnern"],
    &["ich wecke dich"], &["erinnerung", "gestellt"], &["erinnerung", "eingestellt"],
    &["erinnerung", "eingerichtet"], &["erinnerung", "gesetzt"], &["erinnerung", "erstellt"],
    &["erinnerung", "gespeichert"], &["erinnerung", "steht"],
    &["merke ich mir"], &["merk ich mir"], &["ich merke mir"], &["ich merk mir"],
    &["hab ich mir gemerkt"], &["habe ich mir gemerkt"], &["hab ich mir notiert"],
    &["habe ich mir notiert"],
    &["te recordaré"], &["te lo recordaré"], &["se lo recordaré"], &["le recordaré"],
    &["voy a recordarte"], &["te voy a recordar"], &["te avisaré"], &["recordatorio", "programado"],
    &["recordatorio", "creado"], &["recordatorio", "puesto"], &["programado un recordatorio"],
    &["puesto un recordatorio"], &["creado un recordatorio"], &["queda programado"],
    &["je te rappellerai"], &["je te le rappellerai"], &["je vous rappellerai"],
    &["je vous le rappellerai"], &["je vais te rappeler"], &["je vais te le rappeler"],
    &["je te le rappelle"], &["je te préviendrai"], &["rappel", "programmé"], &["rappel", "créé"],
    &["rappel", "enregistré"],
    &["ti ricorderò"], &["te lo ricorderò"], &["ve lo ricorderò"], &["ti avviserò"],
    &["promemoria", "impostato"], &["promemoria", "creato"], &["impostato", "promemoria"],
    &["ik herinner je"], &["ik herinner u"], &["herinner ik je"], &["zal je", "herinneren"],
    &["herinnering", "ingesteld"], &["herinnering", "gezet"], &["herinnering", "gepland"],
    &["vou te lembrar"], &["vou lembrar você"], &["vou lembrar-te"], &["te lembrarei"],
    &["lembrarei você"], &["eu te lembro"], &["lembrete", "criado"], &["lembrete", "definido"],
    &["lembrete", "agendado"], &["lembrete", "programado"],
    &["jag påminner dig"], &["påminner jag dig"], &["ska", "påminna dig"],
    &["kommer att påminna dig"], &["påminnelse", "inställd"], &["påminnelsen", "inställd"],
    &["påminnelse", "skapad"],
    &["напомню"], &["нагадаю"], &["przypomnę"], &["připomenu"], &["hatırlatacağım"],
    &["hatırlatırım"], &["リマインドします"], &["お知らせします"], &["我会提醒"], &["알려드릴게요"],
    &["알려 드릴게요"], &["سأذكرك"], &["saya ingatkan"],
];
/// Such words in a clause with a promise: it is an offer, a condition or a denial, or tells
/// something.
#[rustfmt::skip]
pub(super) const NO_PROMISES: [&str; 58] = [
    "can", "could", "can't", "not", "would", "shall", "should", "if", "never", "kann", "könnte",
    "soll", "sollte", "würde", "nicht", "keine", "falls", "wenn", "puedo", "podría", "quieres",
    "no", "si", "nunca", "peux", "pourrais", "veux", "pas", "que", "posso", "potrei", "vuoi",
    "non", "se", "che", "kan", "zou", "wil", "niet", "geen", "als", "poderia", "quer", "não",
    "vill", "inte", "skulle", "ingen", "att", "hätte", "ai", "aucun", "не", "если", "могу",
    "nie", "jeśli", "mogę",
];
/// Such words in a clause: it does not say that something was done.
#[rustfmt::skip]
pub(super) const NOT_DONE: [&str; 59] = [
    "not", "can", "can't", "cannot", "couldn't", "could", "would", "should", "if", "never",
    "haven't", "hasn't", "isn't", "aren't", "wasn't", "nothing", "no", "none", "nicht", "nichts",
    "kein", "keine", "keinen", "kann", "könnte", "soll", "würde", "falls", "wenn", "nunca", "nada",
    "puedo", "si", "pas", "rien", "peux", "aucun", "aucune", "non", "niente", "posso", "se",
    "niet", "niets", "geen", "kan", "als", "não", "inte", "inget", "ingen", "om", "не", "нет",
    "ничего", "если", "nie", "nic", "jeśli",
];
/// The same anywhere in its sentence.
#[rustfmt::skip]
pub(super) const CONDITIONS: &[&str] = &[
    " if you", "if you ", "tell me", "let me know", "just say", "once you", "wenn du", "wenn sie",
    "falls du", "sobald du", "sag mir", "si me", "si quieres", "en cuanto me", "dime", "si tu",
    "si vous", "dès que tu", "dis-moi", "dites-moi", "se vuoi", "se mi", "dimmi", "appena mi",
    "als je", "zodra je", "zeg me", "se você", "se me", "diga", "om du", "säg ",
    "whenever", "say so", "for example", "sag einfach", "sag wann", "zum beispiel", "cuando me",
    "por ejemplo", "quand tu", "par exemple", "れば", "たら",
];
/// Whole clauses of answers that say that something was done, or will be at once.
#[rustfmt::skip]
pub(super) const DONE: [&str; 63] = [
    "done", "stopped", "logged", "added", "removed", "deleted", "cancelled", "canceled", "noted", "saved",
    "scheduled", "recorded", "updated", "moved", "all set", "it's set", "it is set",
    "erledigt", "ist erledigt", "schon erledigt", "gemacht", "wird gemacht", "wird erledigt",
    "mach ich", "steht", "geht klar",
    "listo", "ya está", "hecho",
    "c'est fait", "fait", "c'est noté", "noté",
    "fatto", "gedaan", "klaar", "geregeld", "feito", "pronto", "salvo",
    "klart", "det är klart", "fixat", "gjort", "det är gjort",
    "готово", "сделано", "gotowe", "zrobione", "hotovo", "tamam", "yaptım",
    "完了しました", "できました", "已完成", "好了", "완료", "완료했습니다", "تم", "تم ذلك",
    "siap", "sudah", "selesai",
];
/// Participles of what was done, each a word of a clause.
#[rustfmt::skip]
pub(super) const DONE_WORDS: &[&str] = &[
    "set", "scheduled", "added", "removed", "deleted", "cancelled", "canceled", "noted", "saved",
    "logged", "recorded", "stored", "updated", "rescheduled", "postponed", "forgotten", "undone",
    "erledigt", "notiert", "gemerkt", "gespeichert", "hinzugefügt", "eingetragen", "gelöscht",
    "gestellt", "eingestellt", "erstellt", "eingerichtet", "abgesagt", "storniert", "verschoben",
    "geändert", "umbenannt", "vergessen", "rückgängig", "gestrichen", "aufgeschrieben",
    "vorgemerkt",
    "anotado", "apuntado", "guardado", "añadido", "agregado", "borrado", "eliminado", "eliminada",
    "añadidos", "añadidas", "cancelado", "cancelada", "programado", "programada", "borrada", "añadida", "guardada",
    "movido", "cambiado", "apuntada", "cancelados", "canceladas", "borrados", "borradas",
    "eliminados", "eliminadas", "guardados", "guardadas", "apuntados", "apuntadas", "anotados",
    "anotadas", "olvidado", "olvidada", "registrado", "registrada",
    "ajouté", "enregistré", "supprimé", "annulé", "programmé", "noté", "effacé", "déplacé",
    "modifié", "ajoutée", "enregistrée", "supprimée", "annulée", "réglé",
    "annulés", "annulées", "effacée", "effacés", "effacées", "oubliée", "ajoutés", "ajoutées",
    "enregistrés", "enregistrées", "supprimés", "supprimées", "notée", "notés", "retenu", "lancé",
    "annotato", "segnato", "salvato", "aggiunto", "cancellato", "eliminato", "impostato",
    "spostato", "aggiunta", "cancellata", "eliminata", "annullato", "impostata", "salvata",
    "genoteerd", "toegevoegd", "verwijderd", "ingesteld", "opgeslagen", "geannuleerd", "verzet",
    "gewijzigd", "gewist",
    "adicionado", "apagado", "anotada", "agendado", "removido", "alterado", "adicionada",
    "excluído", "excluída", "apagada",
    "noterat", "antecknat", "sparat", "tillagt", "tillagd", "borttagen", "raderat", "raderad",
    "avbokad", "inställt", "inställd", "flyttat",
    "добавлено", "записано", "сохранено", "удалено", "отменено", "установлено", "перенесено",
    "добавил", "добавила", "записал", "записала", "удалил", "удалила", "отменил", "запомнил",
    "запомнила", "поставил", "поставила", "сохранил",
    "ekledim", "sildim", "kurdum", "ayarladım", "kaydettim", "değiştirdim", "unutmam",
    "eklendi", "silindi", "edildi", "kaydedildi", "unuttum", "başladı",
    "تم", "تمت", "أضفت", "حذفت", "ألغيت", "سجلت", "حفظت", "ضبطت", "نسيته",
    "dodano", "dodane", "zapisane", "zapisałem", "usunięte", "usunięto", "ustawione",
    "ustawiłem", "anulowane", "zanotowane", "przesunięte", "dodałem",
];
/// Parts of clauses that say the same: where things are now, and words of scripts without spaces.
#[rustfmt::skip]
pub(super) const DONE_PARTS: &[&str] = &[
    "on your list", "on the list", "in your budget", "i've put", "en tu presupuesto", "steht drauf",
    "stehen drauf", "weg ist", "lo recordaré", "me lo apunto", "on your reminders", "on your calendar", "auf der liste",
    "auf deiner liste", "auf die liste gesetzt", "en tu lista", "en la lista", "sur ta liste",
    "sur la liste", "nella tua lista", "nella lista", "op je lijst", "op de lijst",
    "na tua lista", "na sua lista", "na lista", "på din lista", "på listan", "в списке",
    "na liście",
    "設定しました", "追加しました", "登録しました", "削除しました", "保存しました", "記録しました",
    "キャンセルしました", "取り消しました", "入れました", "変更しました", "セットしました", "覚えておきます",
    "ておきました", "でおきました", "消しました", "メモしました", "開始しました", "覚えました",
    "忘れました", "已设置", "已添加", "已删除", "已取消", "已保存", "已记录", "설정했",
    "추가했", "삭제했", "저장했",
];
/// Beginnings of words with which something is asked for.
#[rustfmt::skip]
pub(super) const ASKING: [&str; 108] = [
    "erinner", "merk", "vergiss", "lösch", "streich", "notier", "notiz", "trag", "füge", "füg",
    "setz", "stell", "weck", "schreib", "verschieb", "änder", "sag", "storn", "nenn", "heiß",
    "rückgängig", "speicher",
    "recuérda", "recuerda", "acuérda", "anota", "apunta", "añad", "agrega", "borra", "olvida",
    "cancela", "quita", "avisa", "avísa", "despiérta", "ponme", "programa", "cambia",
    "rappel", "souviens", "note", "ajoute", "supprim", "efface", "oublie", "annule", "réveill",
    "préviens", "mets", "chang",
    "ricorda", "annota", "segna", "aggiungi", "cancella", "elimina", "dimentica", "annulla",
    "avvisa", "sveglia", "metti", "imposta",
    "herinner", "onthoud", "noteer", "voeg", "verwijder", "vergeet", "annuleer", "waarschuw",
    "verzet", "zet",
    "lembr", "adicion", "acrescent", "apag", "esquec", "esqueç", "acord", "coloqu",
    "påminn", "anteckna", "lägg", "glöm", "avboka", "väck", "sätt", "ställ",
    "напомн", "запомн", "добав", "удал", "отмен", "постав", "запиш", "забудь", "перенес", "разбуди",
    "przypomn", "zapami", "dodaj", "usuń", "odwoła", "anuluj", "ustaw", "zapisz", "zanotuj",
];
/// English words with which something is asked for.
#[rustfmt::skip]
pub(super) const ASKING_WORDS: &[&str] = &[
    "remind", "ping", "nudge", "wake", "add", "put", "set", "schedule", "log", "note", "remember",
    "track", "delete", "remove", "cancel", "scrap", "erase", "clear", "drop", "rid", "forget",
    "undo", "reschedule", "postpone", "snooze", "save", "rename", "stop", "pon",
];
/// The same in scripts without spaces.
pub(super) const ASKING_PARTS: [&str; 30] = [
    "リマインド", "追加", "削除", "設定して", "キャンセル", "メモして", "覚えて", "取り消して",
    "入れて", "忘れて", "消して", "かけて", "呼んで", "提醒我", "添加", "删除", "取消", "记住",
    "알려줘", "추가", "삭제", "기억해", "أضف", "احذف", "ألغ ", "انس ", "ذكرني", "تذكر أن",
    "شغل مؤقت", "صرفت",
];
/// Turkish verbs with which something is asked for at the end of a message.
pub(super) const ASKING_LAST: [&str; 11] = [
    "ekle", "sil", "kaydet", "hatırlat", "unutma", "ayarla", "kur", "değiştir", "ertele", "et",
    "yaz",
];
/// Words with which a short message corrects what was set.
#[rustfmt::skip]
pub(super) const CORRECTING: &[&str] = &[
    "actually", "rather", "instead", "make it", "better", "doch", "lieber", "besser", "stattdessen",
    "mejor", "plutôt", "mieux", "meglio", "piuttosto", "liever", "melhor", "hellre", "лучше",
    "lepiej", "やっぱり", "やはり", "変更", "改成", "aslında", "olsun",
];
/// Beginnings of polite requests, which may end with a question mark.
#[rustfmt::skip]
pub(super) const POLITE: [&str; 31] = [
    "can you", "could you", "would you", "will you", "can u", "could u", "please", "kannst du",
    "könntest du", "würdest du", "könnten sie", "können sie", "bitte", "puedes", "podrías",
    "puede", "peux-tu", "tu peux", "pourrais-tu", "pouvez-vous", "puoi", "potresti", "kun je",
    "kan je", "zou je", "pode", "podes", "você pode", "kan du", "можешь", "możesz",
];
/// With these a message speaks of words: to be translated, written, or explained.
#[rustfmt::skip]
pub(super) const OF_WORDS: &[&str] = &[
    "translate", "translation", "how do you say", "how do i say", "how would you say",
    "what happens if", "what happens when", "what if i say", "what does it mean", "übersetz",
    "wie sagt man", "was heißt", "was passiert", "tradu", "cómo se dice", "como se dice",
    "qué significa", "comment dit-on", "comment on dit", "come si dice", "vertaal",
    "hoe zeg je", "översätt", "hur säger man", "переведи", "как сказать", "przetłumacz",
    "how to ", "tell me how", "explain ", "recipe", "poem", "story", "essay", "paragraph", "sentence", "gedicht", "geschichte", "absatz",
    "poema", "cuento", "poème", "histoire", "poesia", "racconto",
    "forget it", "forget about it", "vergiss es", "the text", "den text", "el texto", "le texte",
    "il testo", "de tekst", "o texto", "le ton", "auf englisch", "auf deutsch", "in english",
    "en inglés", "en anglais", "in inglese", "rhyme", "ein reim", "une rime", "ejemplo de",
    "exemple de", "çevir", "訳して", "forget what i", "vergiss, was", "olvida lo que",
    "schreib eine mail", "schreib eine nachricht",
];
/// Words with which an answer says that there is nothing to do any more.
#[rustfmt::skip]
pub(super) const ALREADY: &[&str] = &[
    "already", "past", "passed", "over", "schon", "bereits", "vorbei", "vergangen", "ya", "pasó",
    "pasado", "déjà", "passé", "passée", "già", "passato", "passata", "al", "reeds", "voorbij",
    "já", "passou", "redan", "förbi", "уже", "прошло", "już",
];
/// Words with which an answer to a look-up says that something is not there.
pub(super) const NOT_THERE: &[&str] = &["yok", "yoktu", "geçti", "bulamadım", "değil"];
/// The same in several words, and in scripts without spaces.
pub(super) const NOT_THERE_PARTS: &[&str] = &[
    "don't see", "don't find", "didn't find", "don't have a", "don't have any", "doesn't exist",
    "didn't exist", "only see", "there's only", "ありません", "見つかりません", "ございません",
    "過ぎ", "没有", "找不到", "없",
];
/// Beginnings of words, beside those of `ASKING`, with which something may be asked for: they are no
/// proof.
#[rustfmt::skip]
pub(super) const MAY_ASK: &[&str] = &[
    "jot", "wipe", "mute", "unmute", "email", "text", "send", "book", "record", "buy", "tick",
    "cross", "mark", "reminder", "move", "turn", "unsubscribe", "subscribe",
    "brauch", "hau", "hak", "schmeiß", "schmeiss", "kündig", "pack", "schick", "ruf", "stopp",
    "besorg", "verbuch",
    "pon", "llám", "despert", "despiert", "recordatorio", "apaga", "envía", "manda", "elimin",
    "appelle", "ferme", "envoie", "retire", "enlève", "rajoute", "prévien",
    "svegli", "avvis", "metti", "chiudi", "manda", "togli", "elimin",
    "põe", "poe", "coloc", "envi", "tira", "fech",
    "wek", "maak", "haal", "stuur", "schrap", "sluit",
    "ta bort", "skicka", "stäng", "husk", "vekk", "væk", "legg", "læg", "slett",
    "muistuta", "herätä", "lisää", "poista",
    "убери", "отправь", "купи", "нагада", "розбуд", "додай", "видал",
    "hatırlat", "uyandır", "ekle", "sil", "kaydet",
    "emlékeztess", "ébressz", "töröl", "připome", "vzbuď", "přidej", "smaž", "obudź", "wykreśl",
    "θύμισ", "ξύπν", "πρόσθ", "διάγρ", "תזכיר", "תעיר", "תוסיף", "תמחק",
    "aminteșt", "trezeșt", "adaug", "șterg", "desperta", "afegeix", "esborra",
    "ingatkan", "bangunkan", "tambah", "hapus", "nhắc", "thêm", "xóa",
];
/// The same as parts of a text.
#[rustfmt::skip]
pub(super) const MAY_ASK_PARTS: &[&str] = &[
    "make sure", "i need a", "never mind", "no more", "from now on", "call me", "take back",
    "bescheid", "ab jetzt", "mach das", "nicht mehr", "đánh thức",
    "起こして", "使った", "払った", "叫我", "叫醒", "깨워", "याद", "जगा", "जोड़", "ذكرني", "أيقظ", "أضف", "احذف",
];
/// With these words a message that is talk begins, or asks to be told something again.
#[rustfmt::skip]
pub(super) const TALK_BEGINNINGS: &[&str] = &[
    "thank", "danke", "vielen dank", "gracias", "muchas gracias", "merci", "grazie", "obrigad",
    "bedankt", "dank je", "tack", "спасибо", "dzięki", "i need to", "i have to", "ich muss",
    "setz dich", "remind me who", "remind me what", "remind me of the", "erinnere mich, wer",
    "rappelle-moi la ", "rappelle-moi le ", "rappelle-moi qui", "rappelle-moi quel",
    "recuérdame quién", "recuérdame cuál", "ricordami chi", "ricordami qual",
];
/// Words with which a message asks for a text, a sum or a play.
#[rustfmt::skip]
pub(super) const WRITING: &[&str] = &[
    "write ", "draft ", "compose ", "count ", "convert ", "calculate ", "give me a", "give me some",
    "show me how", "make a plan", "make me a plan", "put it in", "rephrase", "roleplay", "imagine ",
    "pretend ", "plan my", "schreib mir ein", "schreib ein", "formulier", "stell dir vor", "gib mir",
    "erfinde", "rechne", "zähl ", "dame ", "escribe ", "imagina ", "cuenta ", "pon un ejemplo",
    "donne", "écris ", "imagine", "mets cette phrase", "compte ", "dammi ", "scrivi ", "immagina",
    "geef me", "schrijf ", "me dê", "escreva ", "skriv ", "ge mig", "напиши", "napisz",
];
/// Words with which a statement begins.
#[rustfmt::skip]
pub(super) const SUBJECTS: &[&str] = &[
    "i", "im", "ive", "we", "he", "she", "they", "it", "my", "our", "his", "her", "their", "the",
    "this", "that", "there", "ich", "wir", "er", "sie", "es", "mein", "meine", "unser", "unsere",
    "der", "die", "das", "yo", "mi", "mis", "nuestro", "nuestra", "el", "la", "los", "las", "este",
    "esta", "esto", "he", "hemos", "ya", "je", "j", "on", "nous", "il", "elle", "mon", "ma", "mes",
    "notre", "le", "les", "ce", "cette", "ça", "io", "noi", "mio", "mia", "lo", "questo", "questa",
    "ik", "wij", "mijn", "ons", "onze", "het", "eu", "nós", "meu", "minha", "o", "jag", "vi", "min",
    "mitt", "я", "мы", "мой", "моя", "это", "mój", "moja", "ben", "biz", "benim", "bu",
];
/// Verbs of statements, second or third in them.
pub(super) const COPULAS: [&str; 14] = [
    "is", "are", "was", "were", "costs", "ist", "sind", "war", "kostet", "es", "está", "cuesta",
    "est", "coûte",
];
/// Ends of statements in languages whose verbs come last.
#[rustfmt::skip]
pub(super) const STATEMENT_ENDS: &[&str] = &[
    "ます", "です", "ました", "でした", "った", "した", "yor", "yorum", "yoruz", "dım", "dim", "dum", "düm",
    "tım", "tim", "tum", "tüm",
];
/// Parts of statements with which something may be asked for.
#[rustfmt::skip]
pub(super) const NEEDS: &[&str] = &[
    "need", "want", "would like", "i'd like", "brauch", "möchte", " will ", "necesito", "quiero",
    "besoin", "voudrais", "veux", "bisogno", "vorrei", "voglio", " wil ", "nodig", "preciso", "quero",
    "vill ", "behöver", "нужно", "хочу", "potrzeb", "chcę", "ほしい", "欲しい", "たい", "お願い", "lazım",
    "istiyor", "call me",
];
/// Words with which questions and talk begin.
#[rustfmt::skip]
pub(super) const QUESTION_WORDS: &[&str] = &[
    "who", "whose", "what", "whats", "where", "why", "how", "which", "is", "are", "does", "tell",
    "explain", "describe",
    "wer", "was", "wann", "wo", "warum", "wieso", "weshalb", "wie", "welche", "welcher",
    "welches", "erzähl", "erklär", "erkläre",
    "quién", "quien", "qué", "cuándo", "dónde", "donde", "cómo", "como", "cuál", "cuánto",
    "cuéntame", "explica", "explícame",
    "qui", "où", "pourquoi", "comment", "quel", "quelle", "combien", "parle", "raconte",
    "explique",
    "chi", "cosa", "dove", "perché", "quale", "quanto", "raccontami",
    "spiegami",
    "wat", "wanneer", "waar", "waarom", "hoe", "welk", "vertel",
    "quem", "onde", "qual", "vem", "vad", "när", "var", "varför", "hur", "berätta",
    "кто", "что", "когда", "где", "почему", "как", "расскажи", "kto", "kiedy", "gdzie",
    "dlaczego", "jak", "opowiedz",
];
/// Beginnings of imperatives that can only ask to be reminded.
#[rustfmt::skip]
pub(super) const REMIND: &[&str] = &[
    "remind me", "erinner mich", "erinnere mich", "erinner uns", "erinnere uns", "weck mich",
    "wecke mich", "recuérdame", "recuerdame", "recuérdanos", "avísame", "avisame", "despiértame",
    "despiertame", "rappelle-moi", "rappelle moi", "réveille-moi", "préviens-moi", "ricordami",
    "svegliami", "avvisami", "herinner me", "herinner mij", "wek me", "lembra-me", "lembre-me",
    "me lembra", "me lembre", "acorda-me", "me acorde", "påminn mig", "väck mig", "напомни",
    "разбуди", "нагадай", "przypomnij", "obudź", "připomeň", "hatırlat", "uyandır", "リマインドして",
    "起こして", "知らせて", "提醒我", "叫醒", "깨워", "ذكرني", "ingatkan", "bangunkan",
];
/// Words before an English word with which something is asked for: it asks for nothing there.
#[rustfmt::skip]
pub(super) const NO_ASKING_BEFORE: &[&str] = &[
    "i", "we", "he", "she", "they", "it", "a", "an", "the", "of", "my", "your", "his", "her", "our",
    "their", "for", "this", "that", "in", "at", "is", "are", "was", "were", "has", "have", "had",
    "been", "be",
];
/// The same after it: "a schedule for", "a set of".
pub(super) const NO_ASKING_AFTER: &[&str] = &["for", "of"];
/// Whole messages that decline.
#[rustfmt::skip]
pub(super) const NO: &[&str] = &[
    "no", "nope", "nah", "nein", "nö", "nee", "non", "nej", "não", "нет", "nie", "hayır", "いいえ",
    "不", "아니요", "no thanks", "no thank you", "nein danke", "no gracias", "non merci", "no grazie",
];
