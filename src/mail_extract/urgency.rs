//! Rules for urgent mails: the mail says that it is urgent, or names a deadline today. Another
//! module decides whose mails count.

use super::first_chars;
use crate::model::mail_item::MailExtract;

/// Characters at the start of the text that are searched.
const SEARCHED_CHARS_MAX: usize = 2_000;

const URGENT: [&str; 14] = [
    "urgent", "urgently", "asap", "emergency", "immediately", "dringend", "dringende", "eilt",
    "notfall", "umgehend", "urgente", "urgence", "emergencia", "spoed",
];
const URGENT_PHRASES: [&str; 5] = [
    "as soon as possible", "time sensitive", "so schnell wie möglich", "lo antes posible",
    "le plus vite possible",
];
/// Negations: an urgent word after one of these doesn't count.
const NOT: [&str; 9] = [
    "not", "nothing", "no", "non", "nicht", "nichts", "kein", "keine", "pas",
];
const TODAY: [&str; 9] = [
    "today", "tonight", "noon", "eod", "heute", "hoy", "oggi", "aujourd", "vandaag",
];
const DEADLINE: [&str; 22] = [
    "by", "before", "until", "till", "due", "deadline", "must", "need", "needs", "expires",
    "expire", "latest", "bis", "vor", "spätestens", "muss", "fällig", "antes", "debe", "avant",
    "doit", "entro",
];

/// Names of the rules that apply.
pub(super) fn rules(extract: &MailExtract) -> Vec<String> {
    let text = first_chars(&extract.text, SEARCHED_CHARS_MAX).to_lowercase();
    let subject = extract.subject.to_lowercase();
    let sentences = text.split(['.', '!', '?', '\n']).chain([subject.as_str()]);
    let (mut is_urgent, mut is_due_today) = (false, false);
    for sentence in sentences {
        let words: Vec<&str> = sentence
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let has = |some: &[&str]| words.iter().any(|word| some.contains(word));
        is_urgent |= says_urgent(&words);
        is_due_today |= has(&TODAY) && has(&DEADLINE);
    }
    let rules = [
        (is_urgent, "it_says_that_it_is_urgent"),
        (is_due_today, "it_names_a_deadline_today"),
    ];
    let applying = rules.into_iter().filter(|(applies, _)| *applies);
    applying.map(|(_, name)| name.to_owned()).collect()
}

fn says_urgent(words: &[&str]) -> bool {
    if words.iter().any(|word| NOT.contains(word)) {
        return false;
    }
    let sentence = words.join(" ");
    words.iter().any(|word| URGENT.contains(word))
        || URGENT_PHRASES
            .iter()
            .any(|phrase| sentence.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urgent_words_and_deadlines_of_today_are_noticed() {
        let cases = [
            ("Can you call me before noon?", "", "deadline"),
            (
                "The lease", "It is ready.\nIt must be signed today.", "deadline",
            ),
            ("Miete", "Die Zahlung ist heute fällig.", "deadline"),
            ("URGENT: water in the cellar", "", "urgent"),
            ("Bitte dringend um Rückruf", "", "urgent"),
            ("Hi", "Please answer as soon as possible.", "urgent"),
            ("Urgent", "I need it by 5 today", "urgent deadline"),
            ("Lunch", "That is not urgent.", ""),
            ("Lunch", "I was in town today. See you before long.", ""),
            ("The insurgents", "A book that I read today", ""),
            ("", "", ""),
        ];
        for (subject, text, expected) in cases {
            let found = rules(&MailExtract {
                subject: subject.to_owned(),
                text: text.to_owned(),
                ..MailExtract::default()
            });
            let names: Vec<&str> = found
                .iter()
                .map(|name| match name.contains("urgent") {
                    true => "urgent",
                    false => "deadline",
                })
                .collect();
            assert_eq!(names.join(" "), expected, "{subject}: {text}");
        }
    }
}
