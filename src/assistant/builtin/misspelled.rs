//! Abbreviations of times and misspelled first words of requests, and what they stand for. It knows
//! no requests.

use super::word_set::WordFilter;

/// Sorted by the first.
const WORDS: [(&str, &str); 99] = [
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
    ("mornig", "morning"),
    ("mornin", "morning"),
    ("nxt", "next"),
    ("rember", "remind"),
    ("remeber", "remember"),
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
    ("tmr", "tomorrow"),
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

static FILTER: WordFilter = {
    let mut filter = WordFilter::new();
    let mut at = 0;
    while at < WORDS.len() {
        filter.add(WORDS[at].0);
        at += 1;
    }
    filter
};

/// Expands an abbreviation, and corrects a misspelled word; `None` for any other.
pub(super) fn written_out(word: &str) -> Option<&'static str> {
    if !FILTER.may_contain(word) {
        return None; // most words
    }
    let found = WORDS.binary_search_by_key(&word, |(typed, _)| typed);
    found.ok().map(|at| WORDS[at].1)
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
