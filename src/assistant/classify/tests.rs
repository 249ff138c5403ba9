//! Both classifiers over one table of messages.

use super::*;

fn message(text: &str) -> ClassifierInput<'_> {
    ClassifierInput {
        text,
        photos: 0,
        small_talk: false,
        answers_question: false,
    }
}

fn small_talk(text: &str) -> ClassifierInput<'_> {
    ClassifierInput {
        small_talk: true,
        ..message(text)
    }
}

#[test]
fn what_is_of_which_class() {
    use Class::{DeepReasoning as Deep, Default as Usual, Reflex, Vision};
    let long = "we went to the lake and then home again ".repeat(20);
    let photo = ClassifierInput {
        photos: 1,
        ..message("why is it blue? explain in detail")
    };
    let answering = ClassifierInput {
        answers_question: true,
        ..message("yes, Tuesday")
    };
    let puzzle = "A train leaves at 9:15 with 80 km/h.\nAnother at 9:45 with 120 km/h.\nWhen do they meet? Explain.";
    let cases = [
        // text, the first, the combined
        (small_talk("hello"), Reflex, Reflex),
        (small_talk("good morning!"), Reflex, Reflex),
        (message("ok"), Reflex, Usual),
        (message("nice one"), Reflex, Usual),
        (answering, Reflex, Usual),
        (message("what's for dinner?"), Usual, Usual),
        (message("tell me about the town of Bath"), Usual, Usual),
        (message("WHY is the sky blue?"), Deep, Usual),
        (message("Why is that, and how does it work?"), Deep, Deep),
        (message("Explain step by step, please"), Deep, Deep),
        (
            message("compare the two, with pros and cons, in detail"),
            Deep,
            Deep,
        ),
        (message("whyever, the explainer left"), Usual, Usual),
        (message("```\nfn main() {}\n```"), Deep, Deep),
        (message(&long), Deep, Deep),
        (message(puzzle), Deep, Deep),
        (small_talk("how are you, and should i worry?"), Deep, Usual),
        (photo, Vision, Vision),
        (message(""), Reflex, Usual),
        (message("今天天气怎么样？"), Usual, Usual),
    ];
    for (input, by_first, by_combined) in cases {
        let (one, two) = (first(&input), combined(&input));
        assert_eq!(one.class, by_first, "{input:?}: {}", one.reason);
        assert_eq!(two.class, by_combined, "{input:?}: {}", two.reason);
    }
}

#[test]
fn reasons_say_what_counted_and_repeat_nothing() {
    assert_eq!(first(&message("secret word")).reason, "short");
    assert_eq!(first(&small_talk("hi")).reason, "small talk");
    let two = combined(&message("Explain my secret step by step, why?"));
    assert_eq!(two.reason, "6 points: asks for reasoning");
    let plain = combined(&message("we bought three green apples at the market today"));
    assert_eq!(plain.reason, "0 points: nothing special");
}

#[test]
fn a_huge_text_is_looked_at_in_part() {
    let text = "é ".repeat(100_000) + "why";
    assert_eq!(first(&message(&text)).reason, "long");
}
