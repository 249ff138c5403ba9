//! A person's preferences for messages that superpowers send on their own: in which hours, and from
//! which superpowers. Parses messages about them; it sends nothing.

mod operations;

use serde::{Deserialize, Serialize};

use super::waking_hours::WakingHours;
use super::{Power, parsers};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::TimeOfDay;
use crate::assistant::text::words::Words;
use crate::clock::Timestamp;
pub use operations::{NOTICES_DESCRIPTION, NoticeArguments, notice_request};

/// The name of their row beside the states of superpowers.
pub const PREFERENCES_NAME: &str = "notices";
/// How long "these" means the last message of a superpower.
const THESE_MS: i64 = 24 * 60 * 60_000;
const DAY_MINUTES: u32 = 24 * 60;
/// Fewer waking hours would hold everything back.
const WAKING_MINUTES_MIN: u32 = 60;

/// A request about messages that superpowers send on their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeRequest {
    /// Stops the messages of the superpower that wrote last.
    StopThese,
    /// Resumes the messages of the superpower that wrote last and was stopped.
    ResumeThese,
    Stop(Power),
    Resume(Power),
    SetWakingHours(WakingHours),
    /// In minutes after midnight.
    NotBefore(u32),
    NotAfter(u32),
    ShowWakingHours,
    UnclearHours,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NoticePreferences {
    pub waking: WakingHours,
    /// Names of superpowers that don't write by themselves.
    muted: Vec<String>,
    /// The superpower that wrote last, and when.
    last: Option<(String, i64)>,
    /// Names of superpowers that have offered to use a calendar or a mailbox.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    offered: Vec<String>,
}

impl NoticePreferences {
    pub fn is_muted(&self, power: Power) -> bool {
        self.muted.iter().any(|name| name == power.name())
    }

    pub fn note_sent(&mut self, power: Power, now: Timestamp) {
        self.last = Some((power.name().to_owned(), now.0));
    }

    /// The summary or evening message that came after that time, where nothing came by itself since.
    pub fn summary_after(&self, at: Timestamp) -> Option<Power> {
        let (name, sent_ms) = self.last.as_ref()?;
        let is_summary = |power: &Power| matches!(power, Power::DailySummary | Power::EveningPrep);
        Power::named(name).filter(|power| is_summary(power) && *sent_ms > at.0)
    }

    pub fn is_offered(&self, power: Power) -> bool {
        self.offered.iter().any(|name| name == power.name())
    }

    pub fn note_offer(&mut self, power: Power) {
        self.offered.push(power.name().to_owned());
    }

    /// Carries a request out and returns the reply.
    pub fn apply(&mut self, request: NoticeRequest, now: Timestamp) -> String {
        match request {
            NoticeRequest::StopThese => match self.last_power(now) {
                Some(power) => self.stop(power),
                None => "Which messages? Say, for example, “stop parcels” or “stop birthdays”."
                    .to_owned(),
            },
            NoticeRequest::ResumeThese => match self.last_power(now) {
                Some(power) => self.resumed(power),
                None => "Which messages? Say, for example, “resume parcels”.".to_owned(),
            },
            NoticeRequest::Stop(power) => self.stop(power),
            NoticeRequest::Resume(power) => self.resumed(power),
            NoticeRequest::SetWakingHours(hours) => self.set_hours(hours),
            NoticeRequest::NotBefore(from) => self.set_hours(WakingHours {
                from,
                ..self.waking
            }),
            NoticeRequest::NotAfter(to) => self.set_hours(WakingHours { to, ..self.waking }),
            NoticeRequest::ShowWakingHours => format!(
                "I write to you by myself from {}. For other hours say “my waking hours are 8:00 to 23:00”. Reminders and daily summaries come at their time.",
                self.waking.display()
            ),
            NoticeRequest::UnclearHours => {
                "Which hours? For example “my waking hours are 8:00 to 23:00”.".to_owned()
            }
        }
    }

    /// The superpower that wrote last, if that was lately.
    fn last_power(&self, now: Timestamp) -> Option<Power> {
        let (name, at) = self.last.as_ref()?;
        let is_recent = (0..=THESE_MS).contains(&(now.0 - at));
        Power::named(name).filter(|_| is_recent)
    }

    fn resumed(&mut self, power: Power) -> String {
        self.resume(power);
        format!("Okay, I write to you about your {} again.", power.title())
    }

    pub fn resume(&mut self, power: Power) {
        self.muted.retain(|name| name != power.name());
    }

    fn stop(&mut self, power: Power) -> String {
        if !self.is_muted(power) {
            self.muted.push(power.name().to_owned());
        }
        let title = power.title();
        format!(
            "Okay, I no longer write to you by myself about your {title}. “resume {title}” brings that back."
        )
    }

    fn set_hours(&mut self, hours: WakingHours) -> String {
        let span = (hours.to + DAY_MINUTES - hours.from) % DAY_MINUTES;
        if span < WAKING_MINUTES_MIN {
            return "That leaves less than an hour a day. Which hours do you mean? For example “my waking hours are 8:00 to 23:00”.".to_owned();
        }
        self.waking = hours;
        format!(
            "Okay, by myself I write to you only from {}. Reminders and daily summaries come at their time.",
            hours.display()
        )
    }
}

pub(super) fn parse(message: &ParsedMessage) -> Option<NoticeRequest> {
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    if stops_these(message.request()) {
        return Some(NoticeRequest::StopThese);
    }
    static RESUME_THESE: Phrases = Phrases::new(&[
        "resume these", "resume those", "resume these messages", "start these again",
        "start those again", "send these again", "send me these again", "start these",
    ]);
    if RESUME_THESE.contains(message.request()) {
        return Some(NoticeRequest::ResumeThese);
    }
    static SHOW_HOURS: Phrases = Phrases::new(&[
        "my waking hours", "waking hours", "what are my waking hours", "show my waking hours",
    ]);
    if SHOW_HOURS.contains(message.request()) {
        return Some(NoticeRequest::ShowWakingHours);
    }
    if let Some(from) = words.after(
        at,
        phrases![
            "my waking hours are from", "my waking hours are", "waking hours from",
            "set my waking hours to", "set my waking hours from", "waking hours",
            "change my waking hours to", "my waking hours",
        ],
    ) {
        return Some(
            hours(words, from, end)
                .map_or(NoticeRequest::UnclearHours, NoticeRequest::SetWakingHours),
        );
    }
    if let Some(from) = words.after(
        at,
        phrases![
            "dont write to me", "dont write me", "dont message me", "dont text me",
            "do not write to me", "do not message me", "never write to me",
            "dont send me anything",
        ],
    ) {
        let (clock, next) = parsers::read_hour(words, from + 1)?;
        return match (words.get(from), next == end) {
            ("before", true) => Some(NoticeRequest::NotBefore(minutes(clock))),
            ("after", true) => Some(NoticeRequest::NotAfter(afternoon(clock))),
            _ => None,
        };
    }
    of_superpower(message, at, end)
}

/// "stop parcels", "resume parcels".
fn of_superpower(message: &ParsedMessage, at: usize, end: usize) -> Option<NoticeRequest> {
    let words = &message.words;
    let stop = words.after(at, phrases!["stop", "mute", "turn off", "no more"]);
    let resume = words.after(at, phrases!["resume", "unmute", "turn on", "restart"]);
    let from = stop.or(resume)?;
    let from = words.skip_article(from);
    let to = if matches!(words.get(end - 1), "messages" | "notices" | "again") {
        end - 1
    } else {
        end
    };
    let title = words.phrase(from..to);
    let power = Power::ALL
        .into_iter()
        .filter(|power| power.can_be_muted())
        .find(|power| power.title() == title || power.name().replace('_', " ") == title)?;
    // These two have words of their own for that.
    if stop.is_some() && matches!(power, Power::DailySummary | Power::EveningPrep) {
        return None;
    }
    Some(match stop {
        Some(_) => NoticeRequest::Stop(power),
        None => NoticeRequest::Resume(power),
    })
}

fn stops_these(request: &str) -> bool {
    [
        "stop these", "stop those", "stop this", "stop these messages", "stop those messages",
        "stop sending these", "stop sending me these", "stop sending me this",
        "stop sending me those", "no more of these", "no more of those", "no more of this",
        "stop telling me this", "dont send me these", "dont send me this", "unsubscribe",
        "mute these", "mute this",
    ]
    .contains(&request)
}

/// "8 to 23:00", "8-23", "from 8 until 11pm".
fn hours(words: &Words, from: usize, end: usize) -> Option<WakingHours> {
    if let Some((start, stop)) = words.get(from).split_once(['-', '–'])
        && from + 1 == end
    {
        let (start, stop) = (Words::new(start), Words::new(stop));
        let (begins, ends) = (
            parsers::read_hour(&start, 0)?.0,
            parsers::read_hour(&stop, 0)?.0,
        );
        return Some(between(begins, ends));
    }
    let (begins, next) = parsers::read_hour(words, from)?;
    let next = words.after(next, phrases!["to", "till", "until", "and"])?;
    let (ends, next) = parsers::read_hour(words, next)?;
    (next == end).then(|| between(begins, ends))
}

/// "8 to 11" ends at 23:00. "23 to 7" ends in the morning: 19:00 would come before its start.
fn between(begins: TimeOfDay, ends: TimeOfDay) -> WakingHours {
    let from = minutes(begins);
    let to = match afternoon(ends) {
        evening if evening > from => evening,
        _ => minutes(ends),
    };
    WakingHours { from, to }
}

fn minutes(clock: TimeOfDay) -> u32 {
    clock.hour % 24 * 60 + clock.minute
}

/// The end of a day: "9" is 21:00.
fn afternoon(clock: TimeOfDay) -> u32 {
    match clock.hour {
        5..=11 if !clock.exact => minutes(clock) + 12 * 60,
        _ => minutes(clock),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::MessageContext;
    use crate::assistant::builtin::parsing::read_message;

    #[test]
    fn what_is_said_about_messages_that_come_by_themselves() {
        let hours = |from, to| NoticeRequest::SetWakingHours(WakingHours { from, to });
        let cases = [
            ("stop these", Some(NoticeRequest::StopThese)),
            ("start these again", Some(NoticeRequest::ResumeThese)),
            ("please stop these messages", Some(NoticeRequest::StopThese)),
            (
                "stop parcels",
                Some(NoticeRequest::Stop(Power::PackageTracking)),
            ),
            (
                "stop the parcels messages",
                Some(NoticeRequest::Stop(Power::PackageTracking)),
            ),
            (
                "resume parcels",
                Some(NoticeRequest::Resume(Power::PackageTracking)),
            ),
            (
                "turn on birthdays again",
                Some(NoticeRequest::Resume(Power::BirthdayReminder)),
            ),
            ("stop focus", None),
            ("stop it", None),
            ("my waking hours are 8 to 23", Some(hours(480, 1380))),
            ("my waking hours are 8:30 to 11", Some(hours(510, 1380))),
            ("waking hours 9-21", Some(hours(540, 1260))),
            ("my waking hours are 23 to 7", Some(hours(1380, 420))),
            ("my waking hours are 22:00 to 6:00", Some(hours(1320, 360))),
            ("my waking hours are 10 to 7", Some(hours(600, 1140))),
            (
                "my waking hours are from 10am until 1am",
                Some(hours(600, 60)),
            ),
            (
                "my waking hours are strange",
                Some(NoticeRequest::UnclearHours),
            ),
            (
                "what are my waking hours?",
                Some(NoticeRequest::ShowWakingHours),
            ),
            (
                "don't write to me before 9",
                Some(NoticeRequest::NotBefore(540)),
            ),
            (
                "don't message me after 9",
                Some(NoticeRequest::NotAfter(1260)),
            ),
            ("don't write to me again", None),
        ];
        for (text, expected) in cases {
            let context = MessageContext::direct(text, Timestamp(0));
            assert_eq!(parse(&read_message(&context)), expected, "{text}");
        }
    }

    #[test]
    fn these_are_those_of_whoever_wrote_last() {
        let mut preferences = NoticePreferences::default();
        let now = Timestamp(1_000_000_000);
        assert!(
            preferences
                .apply(NoticeRequest::StopThese, now)
                .starts_with("Which")
        );
        preferences.note_sent(Power::PackageTracking, now);
        assert!(
            preferences
                .apply(NoticeRequest::StopThese, now)
                .contains("parcels")
        );
        assert!(preferences.is_muted(Power::PackageTracking));
        preferences.apply(NoticeRequest::Resume(Power::PackageTracking), now);
        assert!(!preferences.is_muted(Power::PackageTracking));
        let later = now.plus_ms(THESE_MS + 1);
        assert!(
            preferences
                .apply(NoticeRequest::StopThese, later)
                .starts_with("Which")
        );
        let before = preferences.waking;
        let reply = preferences.apply(NoticeRequest::NotBefore(22 * 60 - 10), now);
        assert!(reply.contains("less than an hour"), "{reply}");
        assert_eq!(preferences.waking, before);
        assert!(
            preferences
                .apply(NoticeRequest::NotBefore(540), now)
                .contains("09:00 to 22:00")
        );
    }
}
