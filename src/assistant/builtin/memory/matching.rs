//! Finds memories (or reminders) about something, by whole words rather than meaning.

use crate::assistant::text::verbs;

/// Whether `memory` is about `about`: it contains every significant word, in any case and order. A
/// text of stop words only matches nothing.
pub fn memory_matches(memory: &str, about: &str) -> bool {
    let topic = content_words(about);
    !topic.is_empty() && overlap(&content_words(memory), &topic) == topic.len()
}

/// Whether `memory` is about the thing whose name `about` asks for: like `memory_matches`, without
/// the words that ask for a name only. "my sister is called Ana" tells my sister's name.
pub fn memory_names(memory: &str, about: &str) -> bool {
    let mut topic = content_words(about);
    topic.retain(|word| !asks_for_name(word));
    !topic.is_empty() && overlap(&content_words(memory), &topic) == topic.len()
}

/// Whether `memory` answers a question about `about`: it matches, or `about` asks for a color and the
/// memory names one. "my car is blue" tells the color of the car.
pub fn memory_answers(memory: &str, about: &str) -> bool {
    let mut topic = content_words(about);
    let known = content_words(memory);
    if known.iter().any(|word| names_color(word)) {
        topic.retain(|word| !matches!(word.as_str(), "color" | "colour"));
    }
    !topic.is_empty() && overlap(&known, &topic) == topic.len()
}

fn names_color(word: &str) -> bool {
    [
        "red", "orange", "yellow", "green", "blue", "purple", "violet", "pink", "brown", "black",
        "white", "grey", "gray", "silver", "gold", "golden", "beige", "turquoise", "cream",
        "blond", "blonde", "hazel",
    ]
    .contains(&word)
}

fn asks_for_name(word: &str) -> bool {
    [
        "name", "names", "named", "again", "exactly", "details", "info", "information", "thing",
        "things",
    ]
    .contains(&word)
}

/// Whether `memory` may answer `question` as far as it is about the person who asks: "how old am
/// i?" isn't answered by the cat's age, and "where do i live?" not by where Bo lives.
pub fn may_answer(memory: &str, question: &str) -> bool {
    let (memory, question) = (plain_words(memory), plain_words(question));
    // "when is my birthday?" isn't answered by Theo's.
    let of = |words: &[String], owners: &[&str]| {
        words
            .windows(2)
            .any(|pair| owners.contains(&pair[0].as_str()) && pair[1] == "birthday")
    };
    if of(&question, &["my"])
        && !of(&memory, &["my", "your"])
        && memory.iter().any(|word| word == "birthday")
    {
        return false;
    }
    let of_person = |word: &String| matches!(word.as_str(), "i" | "im" | "ive" | "we");
    let asked = question.windows(2).enumerate().find_map(|(at, pair)| {
        let is_person = matches!(pair[1].as_str(), "i" | "we");
        is_person.then_some((at, pair[0].as_str()))
    });
    match asked {
        _ if memory.iter().any(of_person) => true,
        Some((_, "am" | "was")) => {
            let own = memory.windows(2).filter(|pair| pair[0] == "my");
            own.into_iter()
                .any(|pair| question.iter().any(|word| is_form_of(word, &pair[1])))
        }
        Some((at, "do" | "did")) => question.get(at + 2).is_none_or(|verb| {
            let by_another =
                |word: &String| *word == format!("{verb}s") || *word == format!("{verb}es");
            !memory.iter().any(by_another)
        }),
        _ => true,
    }
}

/// Lower case, without apostrophes and other marks.
fn plain_words(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(|word| {
        let letters = word.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect::<String>()
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// Whether "forget `about`" refers to `memory`: "my birthday" isn't Ana's.
pub fn memory_is_meant(memory: &str, about: &str) -> bool {
    memory_matches(memory, about) && !is_of_another(memory, about)
}

/// Whether `about` is one's own ("my car") and `memory` names it as somebody's only ("Bo's car").
fn is_of_another(memory: &str, about: &str) -> bool {
    let about = about.to_lowercase();
    let Some(first) = about
        .strip_prefix("my ")
        .and_then(|own| content_words(own).into_iter().next())
    else {
        return false;
    };
    let lower = memory.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let named = |word: &str| {
        content_words(word)
            .iter()
            .any(|one| is_form_of(one, &first))
    };
    let mut owners = (0..words.len())
        .filter(|at| named(words[*at]))
        .map(|at| at.checked_sub(1).map_or("", |before| words[before]))
        .peekable();
    owners.peek().is_some() && owners.all(|owner| owner.ends_with("'s") || owner.ends_with("’s"))
}

/// How many significant words of `about` are in `memory`, for similar memories when none matches.
/// Never used for deleting.
pub fn memory_overlap(memory: &str, about: &str) -> usize {
    overlap(&content_words(memory), &content_words(about))
}

fn overlap(memory: &[String], topic: &[String]) -> usize {
    topic
        .iter()
        .filter(|word| {
            memory.iter().any(|have| {
                is_form_of(have, word) || (is_unspaced(word) && have.contains(word.as_str()))
            })
        })
        .count()
}

/// Lower case, without stop words; repeated words once.
fn content_words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for chunk in text.split(|c: char| {
        c.is_whitespace() || matches!(c, '/' | ',' | ':' | ';' | '(' | ')' | '"' | '“' | '”')
    }) {
        let word: String = chunk
            .trim_end_matches("'s")
            .trim_end_matches("’s")
            .chars()
            .filter(|c| {
                c.is_alphanumeric() || !c.is_ascii() && !matches!(c, '’' | '‘' | '…' | '–' | '—')
            })
            .flat_map(char::to_lowercase)
            .collect();
        if word.is_empty() || is_stop_word(&word) {
            continue;
        }
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// Beginnings of words of one meaning: "allergy" and "allergic".
const STEMS: [&str; 5] = ["allerg", "asthma", "diabet", "pregnan", "vegetarian"];

/// Whether two words are forms of one word: "car" and "cars", "park" and "parked".
fn is_form_of(a: &str, b: &str) -> bool {
    let have_stem = |stem: &str| a.starts_with(stem) && b.starts_with(stem);
    // Who asks for the car asks where it is parked.
    let is_of = |form: &str, word: &str| {
        verbs::irregular_base(form) == Some(word) || (form, word) == ("parked", "car")
    };
    if is_of(a, b) || is_of(b, a) || STEMS.iter().any(|stem| have_stem(stem)) {
        return true;
    }
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    match long.strip_prefix(short) {
        Some("") => true,
        Some("s" | "es" | "ed" | "ing") => short.len() >= 3,
        Some("d") => short.len() >= 3 && short.ends_with('e'),
        _ => false,
    }
}

/// Scripts without spaces between words.
fn is_unspaced(word: &str) -> bool {
    word.chars()
        .any(|c| ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{0e00}'..='\u{0eff}').contains(&c))
}

fn is_stop_word(word: &str) -> bool {
    [
        "a", "an", "the", "my", "mine", "me", "i", "im", "ive", "you", "your", "our", "we", "us",
        "its", "it", "is", "are", "am", "was", "were", "be", "been", "do", "does", "did", "has",
        "have", "had", "of", "to", "in", "on", "at", "for", "with", "about", "and", "or", "that",
        "this", "these", "those", "what", "whats", "when", "where", "who", "which", "how", "as",
        "by", "from", "so", "please", "reminder", "remind", "remember", "called",
    ]
    .contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_match_by_words() {
        let cases = [
            ("my wifi password is hunter2", "wifi", true),
            ("my wifi password is hunter2", "my Wi-Fi password?", true),
            (
                "my wifi password is hunter2", "the password of my wifi", true,
            ),
            ("my wifi password is hunter2", "wifi router", false),
            ("my wifi password is hunter2", "wif", false),
            (
                "my sister’s birthday is in May", "my sister's birthday", true,
            ),
            ("my sister's birthday is in May", "sisters", true),
            ("I like apples", "apple", true),
            ("I parked my car at level 3", "park my car", true),
            ("I care for Ana", "car", false),
            ("I left my keys at Bo's", "leave my keys", true),
            ("I parked on level 3", "my car", true),
            ("I parked on level 3", "color of my car", false),
            ("I like tea", "about me", false),
            ("I like tea", "", false),
            ("I like tea.", "TEA", true),
            ("我喜欢喝茶", "茶", true),
            ("Ana ❤️ cats", "ana", true),
        ];
        for (memory, about, expected) in cases {
            assert_eq!(
                memory_matches(memory, about),
                expected,
                "{memory:?} {about:?}"
            );
        }
        assert_eq!(
            memory_overlap("my sister is called Ana", "my sister's name"),
            1
        );
        assert_eq!(memory_overlap("I like tea", "coffee"), 0);
    }

    #[test]
    fn a_name_is_told_by_what_is_about_the_thing() {
        let cases = [
            ("my sister is called Ana", "my sister's name", true),
            ("my dog's name is Rex", "my cat's name", false),
            ("my locker code is 77", "my bank pin code", false),
            ("my name is Ana", "name", false),
        ];
        for (memory, about, expected) in cases {
            assert_eq!(
                memory_names(memory, about),
                expected,
                "{memory:?} {about:?}"
            );
        }
    }

    #[test]
    fn a_color_is_told_by_its_name() {
        let cases = [
            ("my car is blue", "color is my car", true),
            ("my car is on level 2", "color is my car", false),
            ("my car is on level 2", "my car", true),
            ("my bike is blue", "color is my car", false),
        ];
        for (memory, about, expected) in cases {
            assert_eq!(
                memory_answers(memory, about),
                expected,
                "{memory:?} {about:?}"
            );
        }
    }

    #[test]
    fn what_is_asked_of_oneself_is_not_answered_by_others() {
        let cases = [
            ("Bo lives in Lisbon", "where do i live?", false),
            ("I live in Lisbon", "where do i live?", true),
            ("car parked on level 2", "where did I park?", true),
            ("my cat is 3 years old", "how old am i?", false),
            ("I'm 33 years old", "how old am I?", true),
            ("my blood type is A", "what blood type am i?", true),
            ("Bo lives in Lisbon", "where does Bo live?", true),
        ];
        for (memory, question, expected) in cases {
            assert_eq!(
                may_answer(memory, question),
                expected,
                "{memory:?} {question:?}"
            );
        }
    }
}
