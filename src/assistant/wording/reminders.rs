//! Replies about reminders that come once, and their texts. Recurring ones are in `recurring`.

use chrono::NaiveDate;

use super::recurring::recurrence_phrase;
use super::{
    LISTED_MAX, OPEN_REMINDERS_MAX, counted, list, numbered_list, quoted, stop, thousands, times,
};
use crate::assistant::LocalNow;
use crate::clock::{Timestamp, Zone};
use crate::model::recurrence::Recurrence;

/// Mentions it when the time zone is a guess. `is_own` is false for a reminder that only the relay
/// can send: the service doesn't promise it.
pub fn reminder_set(
    what: &str,
    is_own: bool,
    send_at: Timestamp,
    now: LocalNow,
    said_in: Option<Zone>,
) -> String {
    let (when, is_clock) = times::upcoming(send_at, now);
    let hint = if now.zone.is_none() && is_clock {
        times::ZONE_HINT
    } else {
        ""
    };
    let there = said_in
        .filter(|zone| Some(*zone) != now.zone)
        .map_or_else(String::new, |zone| times::in_zone(send_at, zone));
    let (who, limits) = match is_own {
        true => ("I'll remind you", ""),
        false => (
            "I've asked your chat app to remind you", " I can't list, move or cancel it here.",
        ),
    };
    format!(
        "Okay, {who} {when}{there}: {}{}{limits}{hint}",
        quoted(what),
        stop(what)
    )
}

/// After a list of reminders, where the relay has others.
pub const CHAT_APPS_REMINDERS_UNKNOWN: &str = "What I asked your chat app to remind you of isn't among them: I can't see or change that here.";

/// Said after a request to change or to cancel such a reminder.
pub const CHAT_APPS_REMINDERS_STAY: &str =
    "What I asked your chat app to remind you of stays as it is: I can't see or change that here.";

/// The sentence that the request of an edited message was undone.
pub const EARLIER_VERSION_UNDONE: &str =
    "You changed your message, so I took back what I did for the first one.";

/// After "no, 25"
pub const FIRST_TAKEN_BACK: &str = "I've taken the first one back.";

/// After "no, sunday", where a first and a last day were said.
pub const BOTH_DAYS_NEEDED: &str =
    "From which day to which? I've left it as it is. Say both, like “make it 10 to 14 December”.";

/// After "no, 25" that was refused.
pub const FIRST_STAYS: &str = "What you said first stays as it was.";

pub const EARLIER_VERSION_STAYS: &str = "I've already done what your message said before you changed it, and more was said since. I've changed nothing now: tell me in a new message what should be different.";

/// `reminders`: text and time, soonest first.
pub fn reminders(reminders: &[(&str, Timestamp)], now: LocalNow) -> String {
    if reminders.is_empty() {
        return "You have no reminders. Say “remind me tomorrow at 9 to …” to set one.".to_owned();
    }
    let lines = numbered_reminders(reminders, now);
    let title = if reminders.len() == 1 {
        "You have 1 reminder:".to_owned()
    } else {
        format!("You have {} reminders:", reminders.len())
    };
    numbered_list(&title, lines, reminders.len())
}

/// A group's reminders.
pub fn reminders_of_group(reminders: &[(&str, Timestamp)], now: LocalNow) -> String {
    if reminders.is_empty() {
        return "This group has no reminders.".to_owned();
    }
    let lines = numbered_reminders(reminders, now);
    let count = counted(reminders.len(), "reminder", "reminders");
    numbered_list(&format!("This group has {count}:"), lines, reminders.len())
}

/// "did you remind me yesterday?"
pub const REMINDERS_COME_UNLISTED: &str = "I can't look back at reminders that have come: each stands in this chat at its time. “reminders” shows what is to come.";

/// The reminders that somebody set in a group in which other people set some, too.
pub fn own_reminders_of_group(own: &[(&str, Timestamp)], others: usize, now: LocalNow) -> String {
    let others = counted(others, "reminder", "reminders");
    let more = format!("Others have set {others}: “reminders” shows all of this group.");
    if own.is_empty() {
        return format!("You have set no reminders here. {more}");
    }
    let lines = numbered_reminders(own, now);
    let count = counted(own.len(), "reminder", "reminders");
    let list = numbered_list(&format!("You have set {count} here:"), lines, own.len());
    format!("{list}\n{more}")
}

/// Today's reminders for the daily summary; `None` without any.
pub fn reminders_of_day(reminders: &[(&str, Timestamp)], now: LocalNow) -> Option<String> {
    let lines: Vec<String> = reminders
        .iter()
        .map(|(what, at)| (times::listed(*at, now), what))
        .filter_map(|(when, what)| {
            let time = when.strip_prefix("Today ")?;
            Some(format!("{time} {}", quoted(what)))
        })
        .take(LISTED_MAX)
        .collect();
    (!lines.is_empty()).then(|| format!("Reminders: {}", lines.join("; ")))
}

/// `reminders`: text and time.
pub fn reminders_cancelled(reminders: &[(&str, Timestamp)]) -> String {
    match reminders {
        [] => "I found no such reminder. “reminders” shows the ones you have.".to_owned(),
        [(what, _)] => format!(
            "Okay, I've cancelled that reminder: {}{}",
            quoted(what),
            stop(what)
        ),
        many => list(
            &format!("Okay, I've cancelled {} reminders:", many.len()),
            many.iter().map(|(what, _)| quoted(what)),
            many.len(),
        ),
    }
}

/// "clear my reminders"
pub fn cancel_all_reminders(count: usize) -> String {
    match count {
        2 => "Shall I cancel both reminders? Say “yes”.".to_owned(),
        n => format!("Shall I cancel all {n} reminders? Say “yes”."),
    }
}

/// "cancel run and rent", of which one is not known.
pub fn one_of_them_unknown(name: &str) -> String {
    format!(
        "I found no reminder about “{}”, so nothing is cancelled. “reminders” shows the ones you have.",
        quoted(name)
    )
}

/// The same of what is to be moved.
pub fn one_not_moved(name: &str) -> String {
    format!(
        "I know of nothing about “{}”, so I've moved nothing. “what do i have” shows what you have.",
        quoted(name)
    )
}

/// One of several names that mean nothing here.
pub fn nothing_named(name: &str) -> String {
    format!("I found nothing about “{}”.", quoted(name))
}

/// "remind me at 5 to run, cancel gym"
pub fn second_request_unsure(second: &str) -> String {
    format!(
        "I've changed nothing yet: “{}” may be a part of the reminder or something else to do. Say the two in messages of their own.",
        quoted(second)
    )
}

/// "until friday": with friday's or without?
pub fn last_day_unsure(day: &str) -> String {
    format!(
        "Including {day} or not? Say it with “through {day}” or “before {day}”. Nothing is cancelled yet."
    )
}

pub const REMINDERS_TO_CANCEL_UNCLEAR: &str = "I'm not sure which reminders you mean, so nothing is cancelled. I know for example “cancel all reminders this week”, “cancel all reminders before friday” and “cancel all reminders except the one about lunch”; “reminders” shows them with numbers, like “cancel 2”.";

/// "cancel all recurring reminders"
pub const REMINDERS_TO_CANCEL_BY_NUMBER: &str = "I can't pick reminders by how often they come, so nothing is cancelled. “reminders” shows them with numbers; then say for example “cancel 2 and 3”.";

/// None of those that should stay is known.
pub const NOTHING_TO_KEEP: &str = "I found no reminder that should stay, so nothing is cancelled. “reminders” shows the ones you have.";

pub const NO_REMINDER_IN_GROUP: &str =
    "I found no such reminder of this group. Your own ones I cancel in our direct chat.";

pub fn reminders_full(
    what: &str,
    send_at: Timestamp,
    recurrence: Option<&Recurrence>,
    now: LocalNow,
) -> String {
    let when = match recurrence {
        Some(rule) => recurrence_phrase(rule, now.zone),
        None => times::day_and_time(send_at, now),
    };
    format!(
        "You already have {OPEN_REMINDERS_MAX} reminders waiting, which is as many as I can keep, so this one isn't set: {}, {when}. Cancel one first: “cancel my reminder to …”.",
        quoted(what)
    )
}

/// How often, but not when: "3 times a day".
pub fn reminder_times_unsaid(what: &str, is_daily: bool) -> String {
    let (asked, example) = match is_daily {
        true => ("At which times of the day", "at 8, 14 and 20"),
        false => ("On which days", "monday, wednesday and friday at 18:00"),
    };
    format!(
        "{asked} should I remind you: {}? For example “{example}”.",
        quoted(what)
    )
}

pub const REMINDER_REPEATS_UNCLEAR: &str = "I'm not sure how often you mean, so I've set nothing. I know for example “every day at 9”, “on mondays at 18:30”, “every 3 hours until 8pm” and “on the 1st of each month”.";

/// "half 9"
pub fn half_hour_unsure(hour: u32) -> String {
    let early = match hour {
        0 | 1 => 12,
        hour => hour - 1,
    };
    format!("Half {hour} is {early}:30 to some and {hour}:30 to others. Which one do you mean?")
}

/// "tuesday 27 november", which is a Friday.
pub const WEEKDAY_MISMATCH: &str =
    "That date is another day of the week. Which of the two do you mean, the weekday or the date?";

/// "9 am PDT" in winter
pub const NOT_SUMMER_TIME: &str = "That's the name of a summer time, and on that day another time is in use there. Say it with the day and the place, like “on friday at 9 am Los Angeles time”.";

/// "8pm in the morning"
pub const PART_OF_DAY_MISMATCH: &str =
    "Those are two different times of day. Which of the two do you mean, and on which day?";

pub const REMINDER_ONE_TIME: &str =
    "One time for each reminder, please: “remind me at 10:15 to …”, then the next one.";

/// The text still contains words of time.
pub fn reminder_half_understood(what: &str) -> String {
    format!(
        "I'm not sure which time you mean, so I've set nothing: {}{} Could you say it as one time and one thing, like “remind me tomorrow at 9 to …”?",
        quoted(what),
        stop(what),
    )
}

/// Something to do and a time, without a request.
pub fn reminder_offered(
    what: &str,
    send_at: Timestamp,
    recurrence: Option<&Recurrence>,
    now: LocalNow,
) -> String {
    let when = times::day_and_time(send_at, now);
    let when = match recurrence {
        Some(rule) => format!("{}, first {when}", recurrence_phrase(rule, now.zone)),
        None => when,
    };
    let hint = if now.zone.is_none() {
        times::ZONE_HINT
    } else {
        ""
    };
    format!(
        "Shall I remind you {when}: {}? Say “yes”.{hint}",
        quoted(what.trim_end_matches(['.', '!', '?']))
    )
}

/// Several things with their times, without a request for reminders.
pub fn reminders_offered(reminders: &[(&str, Timestamp)], now: LocalNow) -> String {
    let each = reminders.iter().map(|(what, at)| {
        let when = times::day_and_time(*at, now);
        format!("{when}: {}", quoted(what.trim_end_matches(['.', '!', '?'])))
    });
    let hint = if now.zone.is_none() {
        times::ZONE_HINT
    } else {
        ""
    };
    format!(
        "Shall I remind you {}? Say “yes”.{hint}",
        each.collect::<Vec<_>>().join(", and ")
    )
}

/// An offer that was neither taken nor declined before something else was told.
pub fn offer_left(what: &str) -> String {
    format!("I've not set this reminder: {}", quoted(what))
}

/// Something that is needed, without a request.
pub fn list_offered(thing: &str) -> String {
    format!("Shall I put {} on your list? Say “yes”.", quoted(thing))
}

/// A place and the days there, without a request.
pub fn trip_offered(days: &str) -> String {
    format!("Shall I note a trip to {}? Say “yes”.", quoted(days))
}

/// 5/6
pub fn reminder_date_ambiguous(a: NaiveDate, b: NaiveDate) -> String {
    let (a, b) = (a.format("%-d %B %Y"), b.format("%-d %B %Y"));
    format!(
        "I can't tell the day from the month there: {a} or {b}? Please write the month by name."
    )
}

/// "on monday, tuesday and wednesday at 6, 7 and 8"
pub fn reminder_times_max(max: usize) -> String {
    format!(
        "Those are more than {max} times at once, so I've set nothing. Please say some of them, and the others in the next message."
    )
}

pub const REMINDER_EMPTY: &str = "What should I remind you of, and when? For example: “remind me in 20 minutes to check the oven”.";

pub const REMINDER_WITHOUT_TEXT: &str =
    "What should I remind you of? For example: “remind me in 20 minutes to check the oven”.";

pub fn reminder_without_time(what: &str) -> String {
    format!(
        "When should I remind you: {}{} Say it with a time I understand, for example “in 2 hours”, “tomorrow at 9” or “on friday at 18:30”.",
        quoted(what),
        if what.ends_with('?') { "" } else { "?" },
    )
}

/// "friday's exam at 8"
pub fn reminder_day_unsure(what: &str) -> String {
    format!(
        "I'm not sure which day you mean. {}",
        reminder_without_time(what)
    )
}

/// `time`: words of a time that was not understood.
pub fn reminder_time_unknown(time: &str, what: &str) -> String {
    format!(
        "I don't know when that is: “{}”. {}",
        quoted(time),
        reminder_without_time(what)
    )
}

/// After one thing was set for several times of a day.
pub const EVERY_DAY_OFFERED: &str = "For every day, say “make it every day”.";

pub const REMINDER_PAST: &str = "That time has already passed. When should I remind you instead?";

pub fn reminder_too_long(chars_max: usize) -> String {
    format!(
        "That's too long for a reminder. Please keep it to {} characters.",
        thousands(chars_max)
    )
}

pub fn reminder_too_far(years_max: u32) -> String {
    format!(
        "That's too far ahead. I can remind you of something at most {years_max} years from now."
    )
}

pub const REMINDER_NO_SUCH_TIME: &str =
    "I can't find that time on the calendar. Could you check the date and the hour?";

/// To who wants somebody else to be reminded.
pub fn reminds_only_here(group: bool) -> String {
    let reply = match group {
        true => {
            "I can remind only you or everybody here, so I've set nothing. Say “remind me …” or “remind us …”."
        }
        false => "I can remind only you, so I've set nothing. Say “remind me …”.",
    };
    reply.to_owned()
}

pub const WHICH_REMINDER: &str =
    "Which reminder? Say “cancel my reminder to …”, or “cancel all reminders”.";

/// Lines for `numbered_list`.
pub(super) fn numbered_reminders(
    reminders: &[(&str, Timestamp)],
    now: LocalNow,
) -> impl Iterator<Item = String> {
    reminders
        .iter()
        .map(move |(what, at)| format!("{}: {}", times::listed(*at, now), quoted(what)))
}

/// Words beside the time were not understood.
pub fn reminder_words_unknown(words: &str) -> String {
    format!(
        "I'm not sure which time you mean by “{words}”, so I've set nothing. Could you say it as one time and one thing, like “remind me tomorrow at 9 to …”?"
    )
}

/// A month without a day.
pub fn reminder_day_of_month(month: u32, what: &str) -> String {
    let date = NaiveDate::from_ymd_opt(2000, month, 5).unwrap_or_default();
    let month = date.format("%B");
    format!(
        "On which day of {month} should I remind you: {}{} For example “on the 5th” or “on the 5th at 10”.",
        quoted(what),
        if what.ends_with('?') { "" } else { "?" },
    )
}

/// "privately"
pub const REMINDER_OF_THIS_CHAT: &str = "I've set nothing: a reminder comes in the chat where it is asked for, so everybody in a group sees it. For a private one write to me in our direct chat, like “remind me tomorrow at 9 to …”.";

/// A condition is not a time.
pub fn reminder_with_condition(what: &str) -> String {
    format!(
        "I can't know when that happens, so I've set nothing: {}{} I need a time and what to remind you of, like “remind me tomorrow at 9 to …”.",
        quoted(what),
        stop(what),
    )
}
