//! Follow-ups of which the whole text is known: "yes", "undo that", "sounds good".

use super::{FollowUp, NewTimeText, ReminderRef, TimeChange};
use crate::assistant::text::function_words::{is_no, is_yes};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// Takes back what was done last.
pub(in crate::assistant) static UNDO: Phrases = Phrases::new(&[
    "undo", "undo that", "undo it", "undo this", "take that back", "revert",
    "undo the last change", "undo last", "bring it back", "bring them back", "take it back",
]);

/// Asks whether the last reminder was set.
static IS_SET: Phrases = Phrases::new(&[
    "did you set it", "did you set that", "did you set the reminder", "did you set a reminder",
    "have you set it", "have you set the reminder", "is it set", "is that set",
    "is the reminder set", "is my reminder set", "did you set them", "are they set",
]);

/// Says that what came is done.
static DONE: Phrases = Phrases::new(&[
    "done", "did it", "i did it", "done it", "already done", "its done", "all done", "im done",
    "i did", "i did thank you", "i did thanks", "done thanks", "done thank you", "it is done",
    "thank you it is done", "did that", "already did it", "completed", "finished",
]);

static YES: Phrases = Phrases::new(&[
    "yess", "yesss", "yes yes", "yes sure", "yeah sure", "yeah please", "yep please", "yes both",
    "yes please", "sure thing", "do it", "go ahead", "confirm", "yes do it", "yes do",
    "yes please do", "yes remind me", "yes please remind me", "yes remind me please", "yes set it",
    "yes i do", "yes go ahead", "yes forget it", "yes delete it",
]);

static NO_REPEAT: Phrases = Phrases::new(&[
    "stop repeating it", "stop repeating that", "dont repeat it", "dont repeat that", "no repeats",
    "not every time just once", "stop the repetition", "make it once only",
]);

pub(super) fn fixed(request: &str) -> Option<FollowUp> {
    Some(match request {
        _ if is_yes(request) || YES.contains(request) => FollowUp::Yes,
        _ if is_no(request) => FollowUp::No,
        "👎" | "no thanks" | "no thx" | "no thank you" | "nope thanks" | "nah thanks"
        | "rather not" | "better not" | "please dont" | "dont" | "no dont" | "keep it"
        | "keep them" | "stop" | "cancel" => FollowUp::No,
        "never mind" | "nevermind" | "nvm" | "never mind that" | "forget it" | "forget that"
        | "forget this" | "forget about it" | "forget about that" | "scratch that"
        | "ignore that" => FollowUp::NeverMind,
        _ if DONE.contains(request) => FollowUp::Done,
        _ if UNDO.contains(request) => FollowUp::Undo,
        _ if IS_SET.contains(request) => FollowUp::IsSet,
        "another one" | "another" | "one more" | "another one please" => FollowUp::Another,
        "its cancelled" | "its canceled" | "it is cancelled" | "it was cancelled"
        | "it was canceled" | "it got cancelled" | "it got canceled" | "its been cancelled"
        | "its been canceled" | "that is cancelled" | "thats cancelled" | "that was cancelled"
        | "that got cancelled" | "its off" | "its called off" | "it was called off"
        | "they cancelled" | "they cancelled it" | "its not happening" | "it isnt happening" => {
            FollowUp::CalledOff
        }
        _ if NO_REPEAT.contains(request) => FollowUp::Change {
            which: ReminderRef::Latest,
            to: TimeChange(NewTimeText::Once),
        },
        "snooze" | "snooze it" | "snooze that" | "later" | "not yet" | "not" => {
            FollowUp::Snooze(None) // the "now" of "not now" is dropped as a courtesy
        }
        _ => return None,
    })
}

/// "ok", "sounds good": a yes only to what was offered.
pub(in crate::assistant) fn is_consent(words: &Words) -> bool {
    const WORDS_MAX: usize = 4;
    let is_short = words.len() <= WORDS_MAX;
    let is_nod = |word: &str| word.starts_with(['👍', '👌', '✅', '🆗']);
    if words.len() > 0 && words.iter().all(is_nod) {
        return true;
    }
    is_short
        && phrases![
            "ok", "okay", "ok please", "okay please", "ok thanks", "okay thanks", "ok do it", "k",
            "kk", "alright", "all right", "please", "please do", "sure please", "sure thing",
            "sure thanks", "of course", "sounds good", "good idea", "great", "yes thanks",
            "yes thank you", "yes thx", "yes pls", "yes ok", "absolutely", "definitely", "ok thx",
            "ok ty", "ok thank you", "okay thx", "ok cool", "okay cool", "ok great", "ok good",
            "ok perfect", "ok sure", "ok yes", "perfect", "fine", "cool", "cool thanks", "good",
            "great idea", "great thanks", "fine by me", "works for me", "pls", "plz", "why not",
            "set it", "ok set it", "yeah do it", "yep do it", "yes i think so", "i think so",
            "add it", "ok add it", "yes add it", "put it on", "right", "exactly", "thats right",
            "correct", "indeed", "true", "thats fine", "its fine", "thats ok", "its ok",
            "fine with me"
        ]
        .contains(words.phrase(0..words.len()).as_str())
}
