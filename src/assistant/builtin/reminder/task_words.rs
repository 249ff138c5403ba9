//! Words of something to do: how the text of a reminder may begin before a "to" of its own ("go to
//! bed", "the flight to Rome"), and "don't forget".

use crate::assistant::builtin::settings::is_first_name;
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::word_set::WordSet;
use crate::assistant::text::words::Words;

/// Whether these words, before "to", are the beginning of what is to be done. Others may be those of
/// a time: "satruday to call".
pub(super) fn begins_task(words: &Words) -> bool {
    let first = words.get(0);
    let typed = words.original(0..1);
    FIRST_WORDS.contains(first)
        || first.len() > "ring".len() && first.ends_with("ing")
        || typed.contains(['\'', '’'])
}

/// Whether a task may begin with the word: "call", "the".
pub(in crate::assistant) fn is_task_word(word: &str) -> bool {
    FIRST_WORDS.contains(word)
}

/// Sorted.
static FIRST_WORDS: WordSet<1024> = WordSet::new(&[
    "a", "accept", "activate", "add", "adjust", "allow", "an", "annotate", "annual", "answer",
    "any", "apologize", "apply", "appointment", "arrange", "ask", "assign", "attend", "back",
    "backup", "bake", "bath", "be", "bike", "bill", "birthday", "board", "boil", "book", "borrow",
    "breathe", "bring", "brush", "build", "bus", "buy", "call", "cancel", "card", "care", "carry",
    "catch", "celebrate", "change", "charge", "chat", "check", "checkin", "choose", "claim",
    "clean", "clear", "climb", "close", "coffee", "collect", "comment", "compare", "complete",
    "confirm", "connect", "contact", "continue", "contribute", "cook", "copy", "cover", "create",
    "cut", "cycle", "daily", "date", "deadline", "decide", "defrost", "delete", "deliver",
    "dinner", "discuss", "dive", "do", "donate", "download", "draft", "drink", "drive", "drop",
    "dry", "eat", "edit", "email", "empty", "end", "enter", "exercise", "explain", "express",
    "feed", "fetch", "figure", "file", "fill", "find", "finish", "fix", "flight", "fly", "focus",
    "fold", "follow", "forward", "free", "gather", "get", "gift", "give", "go", "grab", "greet",
    "grow", "hand", "hang", "have", "head", "help", "her", "hide", "hire", "his", "hold",
    "homework", "hug", "hurry", "ice", "inform", "install", "interview", "introduce", "invest",
    "invitation", "invite", "iron", "jog", "join", "jump", "keep", "key", "kiss", "knock", "know",
    "launch", "lay", "learn", "leave", "lend", "let", "letter", "lift", "link", "listen", "load",
    "lock", "log", "look", "lunch", "mail", "make", "mark", "measure", "meditate", "meet",
    "meeting", "mention", "message", "milk", "mix", "monthly", "move", "mow", "mum", "my", "no",
    "note", "notify", "offer", "open", "order", "organise", "organize", "our", "pack", "package",
    "paint", "parcel", "park", "party", "pass", "pay", "payment", "phone", "pick", "ping", "plan",
    "plane", "plant", "play", "plug", "point", "polish", "post", "practice", "pray", "prep",
    "prepare", "present", "print", "proof", "propose", "protect", "provide", "pull", "pump",
    "push", "put", "quarterly", "quit", "reach", "read", "rebook", "record", "recycle", "refill",
    "refund", "register", "reinstall", "relax", "release", "remember", "remind", "remove", "renew",
    "rent", "repair", "repeat", "replace", "reply", "report", "request", "reschedule", "research",
    "reset", "resign", "respond", "rest", "restart", "return", "review", "ride", "ring", "rinse",
    "run", "save", "say", "schedule", "see", "sell", "send", "serve", "set", "settle", "setup",
    "share", "shave", "ship", "shop", "shout", "shovel", "show", "shower", "shut", "sign",
    "signup", "sing", "sit", "sleep", "smile", "sneak", "soak", "socialize", "solve", "some",
    "sort", "speak", "spend", "spray", "stand", "start", "stay", "stop", "store", "stretch",
    "study", "submit", "subscribe", "swim", "switch", "take", "talk", "tap", "taxi", "tell",
    "text", "thank", "that", "the", "their", "these", "this", "those", "throw", "ticket", "tidy",
    "tie", "tip", "toast", "touch", "track", "trade", "train", "transfer", "translate", "travel",
    "treat", "trim", "trip", "try", "tuck", "turn", "type", "unload", "unlock", "unpack", "unplug",
    "unsubscribe", "untie", "update", "upgrade", "upload", "upvote", "use", "vacuum", "verify",
    "video", "visit", "volunteer", "vote", "wait", "wake", "walk", "warm", "wash", "watch",
    "water", "wave", "way", "wear", "weed", "weekly", "welcome", "whatsapp", "wipe", "wire",
    "wish", "work", "wrap", "write", "xray", "yearly", "yell", "your", "zip", "zoom",
]);

/// "call ann" for "ann" after "call bo".
pub(super) fn with_verb(first: &str, second: &str) -> String {
    let (words, name) = (Words::new(first), Words::new(second));
    let is_name =
        name.len() == 1 && (is_first_name(name.get(0)) || second.starts_with(char::is_uppercase));
    match is_name && words.len() == 2 && is_task_word(words.get(0)) {
        true => format!("{} {second}", words.original(0..1)),
        false => second.to_owned(),
    }
}

/// Verbs after which "if" begins a question, not a condition: "ask Bo if he comes".
pub(super) const ASKS: [&str; 10] = [
    "ask", "see", "check", "know", "tell", "wonder", "find", "hear", "decide", "test",
];

/// "don't forget: bank at 3": something to do, not a fact such as "don't forget my flight is at 5".
pub(super) fn not_to_forget(words: &Words, at: usize) -> Option<usize> {
    let body = words.after(at, phrases!["dont forget", "do not forget"])?;
    let is_fact = |word: &str| {
        phrases![
            "that", "is", "are", "was", "were", "i", "im", "isnt", "arent", "wasnt", "not", "no",
            "theres"
        ]
        .contains(word)
    };
    (!words.iter().skip(body).any(is_fact)).then_some(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_done_is_told_from_other_words() {
        for (text, expected) in [
            ("go to bed", true),
            ("the flight to rome", true),
            ("mom's flight to rome", true),
            ("listening to bo", true),
            ("call mom to say hi", true),
            ("satruday to call", false),
            ("mañana to call", false),
            ("bo to call", false),
            ("", false),
        ] {
            assert_eq!(begins_task(&Words::new(text)), expected, "{text}");
        }
    }
}
