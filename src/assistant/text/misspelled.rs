//! Abbreviations of times and misspelled first words of requests, and what they stand for.

use std::sync::LazyLock;

use super::word_set::WordMap;

/// Sorted by the first.
const WORDS: [(&str, &str); 107] = [
    ("2day", "today"),
    ("2moro", "tomorrow"),
    ("2morrow", "tomorrow"),
    ("2mro", "tomorrow"),
    ("2mrw", "tomorrow"),
    ("2night", "tonight"),
    ("2nite", "tonight"),
    ("b4", "before"),
    ("cancal", "cancel"),
    ("cancell", "cancel"),
    ("cancle", "cancel"),
    ("canel", "cancel"),
    ("cansel", "cancel"),
    ("dnt", "dont"),
    ("donot", "dont"),
    ("dotn", "dont"),
    ("evenin", "evening"),
    ("evey", "every"),
    ("evning", "evening"),
    ("evrey", "every"),
    ("evry", "every"),
    ("evryday", "everyday"),
    ("firday", "friday"),
    ("fridy", "friday"),
    ("morining", "morning"),
    ("morn", "morning"),
    ("mornig", "morning"),
    ("mornin", "morning"),
    ("mths", "months"),
    ("noonish", "noon"),
    ("nxt", "next"),
    ("rember", "remember"),
    ("remeber", "remember"),
    ("remembe", "remember"),
    ("remembr", "remember"),
    ("rememeber", "remember"),
    ("rememebr", "remember"),
    ("rememer", "remember"),
    ("remid", "remind"),
    ("remidn", "remind"),
    ("remimd", "remind"),
    ("remin", "remind"),
    ("reminde", "remind"),
    ("remindme", "remind me"),
    ("remined", "remind"),
    ("reminf", "remind"),
    ("reming", "remind"),
    ("remmeber", "remember"),
    ("remnd", "remind"),
    ("remnid", "remind"),
    ("rmbr", "remember"),
    ("rmd", "remind"),
    ("rmind", "remind"),
    ("rmnd", "remind"),
    ("satarday", "saturday"),
    ("saterday", "saturday"),
    ("satuday", "saturday"),
    ("saturdy", "saturday"),
    ("snday", "sunday"),
    ("sundy", "sunday"),
    ("teusday", "tuesday"),
    ("thirsday", "thursday"),
    ("thrusday", "thursday"),
    ("thurday", "thursday"),
    ("thursdy", "thursday"),
    ("tmo", "tomorrow"),
    ("tmorrow", "tomorrow"),
    ("tmoz", "tomorrow"),
    ("tmr", "tomorrow"),
    ("tmro", "tomorrow"),
    ("tmrw", "tomorrow"),
    ("tmw", "tomorrow"),
    ("tomarrow", "tomorrow"),
    ("tommorow", "tomorrow"),
    ("tommorrow", "tomorrow"),
    ("tommorrw", "tomorrow"),
    ("tomo", "tomorrow"),
    ("tomoro", "tomorrow"),
    ("tomorow", "tomorrow"),
    ("tomorro", "tomorrow"),
    ("tomorrw", "tomorrow"),
    ("tomoz", "tomorrow"),
    ("tomrw", "tomorrow"),
    ("tonigt", "tonight"),
    ("tonite", "tonight"),
    ("toomorrow", "tomorrow"),
    ("tusday", "tuesday"),
    ("tuseday", "tuesday"),
    ("wamt", "want"),
    ("watn", "want"),
    ("wednesdy", "wednesday"),
    ("wednsday", "wednesday"),
    ("wendsday", "wednesday"),
    ("wensday", "wednesday"),
    ("wkday", "weekday"),
    ("wkdays", "weekdays"),
    ("wkends", "weekends"),
    ("wknd", "weekend"),
    ("wknds", "weekends"),
    ("wnat", "want"),
    ("wnt", "want"),
    ("yday", "yesterday"),
    ("yest", "yesterday"),
    ("yesterd", "yesterday"),
    ("yesturday", "yesterday"),
    ("ystd", "yesterday"),
    ("ystrday", "yesterday"),
];

static MEANT: LazyLock<WordMap<&'static str>> =
    LazyLock::new(|| WordMap::merged(WORDS.into_iter(), |one, _| one));

/// Expands an abbreviation, and corrects a misspelled word; `None` for any other.
pub(super) fn written_out(word: &str) -> Option<&'static str> {
    MEANT.get(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_one_is_found() {
        for (typed, meant) in WORDS {
            assert_eq!(written_out(typed), Some(meant), "{typed}");
            assert_eq!(written_out(meant), None, "{meant}");
        }
    }
}
