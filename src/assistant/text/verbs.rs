//! Verbs that go by no rule, and what a form of a verb is of.

use std::sync::LazyLock;

use super::word_set::WordMap;

/// A verb, its past tense and its participle where that is another word.
const IRREGULAR: [&str; 82] = [
    "arise arose arisen", "be been", "bear born", "begin began begun", "bend bent",
    "blow blew blown", "bring brought", "build built", "buy bought", "catch caught",
    "choose chose chosen", "come came", "cut cut", "dig dug", "do did done", "draw drew drawn",
    "drink drank drunk", "drive drove driven", "eat ate eaten", "fall fell fallen", "feed fed",
    "feel felt", "fight fought", "find found", "fly flew flown", "forget forgot forgotten",
    "get got gotten", "give gave given", "go went gone", "grow grew grown", "hang hung",
    "have had", "hear heard", "hide hid hidden", "hit hit", "hold held", "hurt hurt", "keep kept",
    "know knew known", "lay laid", "leave left", "lend lent", "let let", "lose lost", "make made",
    "meet met", "pay paid payed", "put put", "quit quit", "read read", "ride rode ridden",
    "ring rang rung", "run ran", "say said", "see saw seen", "sell sold", "send sent", "set set",
    "shake shook shaken", "show shown", "shut shut", "sing sang sung", "sit sat", "sleep slept",
    "speak spoke spoken", "spend spent", "stand stood", "steal stole stolen", "sweep swept",
    "swim swam swum", "take took taken", "teach taught", "tear torn", "tell told", "think thought",
    "throw threw thrown", "understand understood", "wake woke woken", "wear wore worn", "win won",
    "withdraw withdrew withdrawn", "write wrote written",
];

/// A form's verb, and whether it is a participle only.
static BASES: LazyLock<WordMap<(&str, bool)>> = LazyLock::new(|| {
    let pairs = IRREGULAR.iter().flat_map(|forms| {
        let mut forms = forms.split(' ');
        let base = forms.next().unwrap_or_default();
        let past = forms.enumerate();
        past.map(move |(n, form)| (form, (base, n > 0)))
    });
    WordMap::merged(pairs, |first, _| first)
});

/// The verb of which this is an irregular past form: "eat" for "ate" and "eaten".
pub(in crate::assistant) fn irregular_base(form: &str) -> Option<&'static str> {
    BASES.get(form).map(|(base, _)| base)
}

/// Whether it is an irregular past tense and no other form: "ate", unlike "put" and "written".
pub(in crate::assistant) fn is_irregular_past(word: &str) -> bool {
    let found = BASES.get(word);
    found.is_some_and(|(base, is_participle)| base != word && !is_participle)
}

/// The verbs of which this may be the past tense: "call" and "calle" for "called". None for another
/// word.
pub(in crate::assistant) fn bases(word: &str) -> Vec<String> {
    if let Some(base) = irregular_base(word) {
        return vec![base.to_owned()];
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
            ("eaten", "eat"),
            ("watered", "water"),
        ] {
            assert!(bases(past).iter().any(|one| one == base), "{past}");
        }
        for other in ["call", "red", "ed", "", "ann"] {
            assert_eq!(bases(other), Vec::<String>::new(), "{other}");
        }
        assert!(is_irregular_past("ate") && !is_irregular_past("put"));
        assert!(!is_irregular_past("written"));
    }
}
