//! What somebody says right after a notice of something that is kept, and what it does to that: "it
//! arrived", "i cancelled it", "move it to 9", "remind me of that at 5".

use super::entry_ref::EntryRef;
use super::{
    Power, PowerAction, cancellation_protector, membership_renewal, package_tracking,
    reservation_prep, tickets_vault,
};
use crate::assistant::builtin::{TimeChange, follow_up};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;
use cancellation_protector::CancellationAction;
use membership_renewal::RenewalAction;
use package_tracking::ParcelAction;
use reservation_prep::ReservationAction;
use tickets_vault::TicketAction;

/// A longer message is no answer to a notice.
const WORDS_MAX: usize = 10;
/// How long a notice is put off where nothing is said.
const LATER: &str = "in 30 minutes";

#[derive(Debug, Clone, PartialEq)]
pub enum NoticeAnswer {
    /// What was waited for is here.
    Arrived,
    /// `is_done`: the person has cancelled it.
    Cancelled { is_done: bool },
    /// It is at another time, said in these words.
    Moved { to: TimeChange, said: String },
    /// A reminder of it is wanted at this time, as it was typed.
    Again(String),
}

/// `None`: it is no answer to a notice.
pub fn notice_answer(text: &str) -> Option<NoticeAnswer> {
    let words = Words::new(text);
    let at = words.skip(0, phrases!["ok", "okay", "oh", "thanks", "yes", "no"]);
    let end = super::parsers::end(&words);
    if at >= end || end > WORDS_MAX || words.is_question() {
        return None;
    }
    static ARRIVED: Phrases = Phrases::new(&[
        "it arrived", "it has arrived", "its arrived", "arrived", "it came", "its here",
        "it is here", "got it", "i got it", "i have it", "ive got it", "i received it",
        "received it", "it was delivered", "it got delivered", "already here", "delivered",
        "its been delivered", "picked it up", "i picked it up", "ive picked it up",
    ]);
    static DONE: Phrases = Phrases::new(&[
        "i cancelled it", "i canceled it", "ive cancelled it", "ive canceled it", "cancelled it",
        "canceled it", "i already cancelled it", "i already canceled it", "its cancelled",
        "its canceled", "it is cancelled", "it is canceled", "it was cancelled", "it was canceled",
        "they cancelled it", "they canceled it", "its been cancelled", "it got cancelled",
        "i cancelled that", "i canceled that", "cancelled", "canceled", "they cancelled",
        "they canceled",
    ]);
    let said = words.phrase(at..end);
    if ARRIVED.contains(&said) {
        return Some(NoticeAnswer::Arrived);
    }
    if DONE.contains(&said) {
        return Some(NoticeAnswer::Cancelled { is_done: true });
    }
    if matches!(
        said.as_str(),
        "cancel it" | "cancel that" | "delete it" | "remove it"
    ) {
        return Some(NoticeAnswer::Cancelled { is_done: false });
    }
    again(&words, at, end).or_else(|| moved(&words, at, end))
}

/// "snooze 1 hour", "remind me of that at 5".
fn again(words: &Words, at: usize, end: usize) -> Option<NoticeAnswer> {
    let said = words.phrase(at..end);
    if matches!(
        said.as_str(),
        "snooze" | "snooze it" | "later" | "remind me later"
    ) {
        return Some(NoticeAnswer::Again(LATER.to_owned()));
    }
    static AGAIN: Phrases = Phrases::new(&[
        "remind me of that", "remind me of it", "remind me of this", "remind me about that",
        "remind me about it", "remind me again", "tell me again", "snooze it", "snooze that",
        "snooze",
    ]);
    let from = words.after(at, &AGAIN)?;
    // "snooze till 7"
    if let Some(hour) = words.after(from, phrases!["till", "until", "to"])
        && when::read_hour_alone(words, hour).is_some_and(|(_, to)| to == end)
    {
        return Some(NoticeAnswer::Again(format!(
            "at {}",
            words.original(hour..end)
        )));
    }
    let is_snooze = words.get(at) == "snooze";
    let time = follow_up::read_new_time(words, from..end).filter(|to| !to.is_repeat())?;
    let said = words.original(from..end);
    let is_length = is_snooze && follow_up::read_shift(words, from..end).is_some();
    let is_plain = matches!(words.get(from), "for" | "by" | "till" | "until" | "to");
    let said = match is_plain {
        true => words.original(from + 1..end),
        false => said,
    };
    Some(NoticeAnswer::Again(match (is_length, time.is_hour()) {
        (true, _) => format!("in {said}"),
        _ => said.to_owned(),
    }))
}

/// "move it to 9", "it now arrives on monday", "it's delayed by 2 days".
fn moved(words: &Words, at: usize, end: usize) -> Option<NoticeAnswer> {
    static DELAYED: Phrases = Phrases::new(&[
        "its delayed", "it is delayed", "delay it", "its late", "delayed",
    ]);
    static MOVED: Phrases = Phrases::new(&[
        "move it", "move that", "make it", "change it", "push it", "it moved", "it was moved",
        "its moved", "it got moved", "moved", "they moved it", "rescheduled", "postponed",
        "it is now", "its now", "its", "it is", "it now arrives", "it arrives", "it comes",
        "it now comes", "it will arrive", "it will come", "it only arrives", "it only comes",
    ]);
    // "it's at 9 now"
    let is_now = end > at + 1 && words.get(end - 1) == "now";
    let end = end - usize::from(is_now);
    let shift = |from: usize| follow_up::read_shift(words, from..end);
    let delayed = words.after(at, &DELAYED);
    let from = delayed.or_else(|| words.after(at, &MOVED))?;
    // "it's 9 now" may tell the time.
    let is_clock = is_now && words.get(from).starts_with(|c: char| c.is_ascii_digit());
    if from >= end || is_clock {
        return None;
    }
    let to = delayed
        .and_then(shift)
        .or_else(|| follow_up::read_new_time(words, from..end))
        .filter(|to| !to.is_repeat())?;
    let said = words.original(from..end).to_owned();
    Some(NoticeAnswer::Moved { to, said })
}

impl Power {
    /// What an answer to its notice of `what` does; `None`: it has nothing of the kind.
    pub fn on_notice_answer(self, what: &str, answer: NoticeAnswer) -> Option<PowerAction> {
        let name = what.to_owned();
        let named = || EntryRef::of_name(what.to_owned());
        Some(match (self, answer) {
            (Self::PackageTracking, NoticeAnswer::Arrived) => {
                let about = Some(name);
                PowerAction::PackageTracking(ParcelAction::Remove {
                    about,
                    arrived: true,
                })
            }
            (Self::PackageTracking, NoticeAnswer::Cancelled { .. }) => {
                let about = Some(name);
                PowerAction::PackageTracking(ParcelAction::Remove {
                    about,
                    arrived: false,
                })
            }
            (Self::PackageTracking, NoticeAnswer::Moved { to, .. }) => {
                let about = Some(name);
                PowerAction::PackageTracking(ParcelAction::Move { about, to })
            }
            (Self::ReservationPrep, NoticeAnswer::Cancelled { is_done }) => {
                PowerAction::ReservationPrep(match is_done {
                    true => ReservationAction::Cancelled(named()),
                    false => ReservationAction::Remove(named()),
                })
            }
            (Self::ReservationPrep, NoticeAnswer::Moved { to, said }) => {
                let which = named();
                PowerAction::ReservationPrep(ReservationAction::Move { which, to, said })
            }
            (Self::TicketsVault, NoticeAnswer::Cancelled { .. }) => {
                PowerAction::TicketsVault(TicketAction::Remove(name))
            }
            (Self::MembershipRenewal, NoticeAnswer::Cancelled { is_done: true }) => {
                PowerAction::MembershipRenewal(RenewalAction::Cancelled(name))
            }
            (Self::MembershipRenewal, NoticeAnswer::Cancelled { is_done: false }) => {
                PowerAction::MembershipRenewal(RenewalAction::Order {
                    about: name,
                    is_kind: false,
                })
            }
            (Self::CancellationProtector, NoticeAnswer::Cancelled { is_done: true }) => {
                PowerAction::CancellationProtector(CancellationAction::Remove(name))
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_to_notices_are_told_from_other_messages() {
        for arrived in ["it arrived", "It's here!", "got it, thanks", "yes, it came"] {
            assert_eq!(
                notice_answer(arrived),
                Some(NoticeAnswer::Arrived),
                "{arrived}"
            );
        }
        for (text, is_done) in [("i cancelled it", true), ("cancel it please", false)] {
            let expected = Some(NoticeAnswer::Cancelled { is_done });
            assert_eq!(notice_answer(text), expected, "{text}");
        }
        for (text, expected) in [
            ("snooze", LATER),
            ("snooze 1 hour", "in 1 hour"),
            ("remind me of that at 5", "at 5"),
            ("remind me again tomorrow at 9", "tomorrow at 9"),
            ("snooze till 7", "at 7"),
        ] {
            let expected = Some(NoticeAnswer::Again(expected.to_owned()));
            assert_eq!(notice_answer(text), expected, "{text}");
        }
        for text in [
            "move it to 9", "it now arrives on monday", "it's delayed by 2 days", "it's at 9 now",
            "moved to 9", "delayed to monday",
        ] {
            let answer = notice_answer(text);
            assert!(matches!(answer, Some(NoticeAnswer::Moved { .. })), "{text}");
        }
        for text in [
            "did it arrive?", "it arrived broken", "call bo at 5", "remind me at 5 to eat",
            "it is great", "move lunch to 9", "thanks", "it moved me", "it's 9 now", "it is now",
            "moved to berlin", "it's now or never",
        ] {
            assert_eq!(notice_answer(text), None, "{text}");
        }
    }
}
