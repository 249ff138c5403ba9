//! Verbs in the past tense, as people say that something is done: "called", "paid".

/// Past tense and base of verbs that go by no rule.
const IRREGULAR: [(&str, &str); 56] = [
    ("ate", "eat"),
    ("bought", "buy"),
    ("brought", "bring"),
    ("built", "build"),
    ("came", "come"),
    ("chose", "choose"),
    ("cut", "cut"),
    ("did", "do"),
    ("drank", "drink"),
    ("drew", "draw"),
    ("drove", "drive"),
    ("fed", "feed"),
    ("found", "find"),
    ("fought", "fight"),
    ("gave", "give"),
    ("got", "get"),
    ("had", "have"),
    ("held", "hold"),
    ("hid", "hide"),
    ("hung", "hang"),
    ("hit", "hit"),
    ("kept", "keep"),
    ("left", "leave"),
    ("lent", "lend"),
    ("let", "let"),
    ("made", "make"),
    ("met", "meet"),
    ("paid", "pay"),
    ("payed", "pay"),
    ("put", "put"),
    ("ran", "run"),
    ("rang", "ring"),
    ("read", "read"),
    ("rode", "ride"),
    ("said", "say"),
    ("sang", "sing"),
    ("saw", "see"),
    ("sent", "send"),
    ("set", "set"),
    ("shut", "shut"),
    ("slept", "sleep"),
    ("sold", "sell"),
    ("spoke", "speak"),
    ("swam", "swim"),
    ("swept", "sweep"),
    ("taught", "teach"),
    ("threw", "throw"),
    ("told", "tell"),
    ("took", "take"),
    ("went", "go"),
    ("woke", "wake"),
    ("won", "win"),
    ("wore", "wear"),
    ("wrote", "write"),
    ("withdrew", "withdraw"),
    ("spent", "spend"),
];

/// The verbs of which this may be the past tense: "call" and "calle" for "called". None for another
/// word.
pub(super) fn bases(word: &str) -> Vec<String> {
    if let Some((_, base)) = IRREGULAR.iter().find(|(past, _)| *past == word) {
        return vec![(*base).to_owned()];
    }
    let Some(stem) = word.strip_suffix("ed").filter(|stem| stem.len() > 1) else {
        return Vec::new();
    };
    let mut bases = vec![stem.to_owned(), format!("{stem}e")];
    if let Some(bare) = stem.strip_suffix('i') {
        bases.push(format!("{bare}y"));
    }
    let mut last = stem.chars().rev();
    if let (Some(one), Some(other)) = (last.next(), last.next())
        && one == other
    {
        bases.push(stem[..stem.len() - one.len_utf8()].to_owned());
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_among_them() {
        for (past, base) in [
            ("called", "call"),
            ("baked", "bake"),
            ("tried", "try"),
            ("stopped", "stop"),
            ("paid", "pay"),
            ("watered", "water"),
        ] {
            assert!(bases(past).iter().any(|one| one == base), "{past}");
        }
        for other in ["call", "red", "ed", "", "ann"] {
            assert_eq!(bases(other), Vec::<String>::new(), "{other}");
        }
    }
}
