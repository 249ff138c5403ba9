//! Wording of answers to messages that refer to a reminder or a memory.

use super::reminders::numbered_reminders;
use super::{list, quoted, recurrence_phrase, stop, times};
use crate::assistant::LocalNow;
use crate::clock::{Timestamp, Zone};
use crate::model::recurrence::Recurrence;

pub fn reminder_moved(
    what: &str,
    send_at: Timestamp,
    recurrence: Option<&Recurrence>,
    now: LocalNow,
) -> String {
    let when = next_time(send_at, recurrence, now);
    format!("Okay, now {when}: {}{}", quoted(what), stop(what))
}

/// The reminder is as it is to be.
pub fn is_already_so(
    what: &str,
    send_at: Timestamp,
    recurrence: Option<&Recurrence>,
    now: LocalNow,
) -> String {
    let when = next_time(send_at, recurrence, now);
    format!("It is so already, {when}: {}{}", quoted(what), stop(what))
}

fn next_time(send_at: Timestamp, recurrence: Option<&Recurrence>, now: LocalNow) -> String {
    let when = times::day_and_time(send_at, now);
    match recurrence {
        Some(recurrence) => format!("{}, next {when}", recurrence_phrase(recurrence, now.zone)),
        None => when,
    }
}

/// `next`: the next time of a recurring reminder.
pub fn reminder_done(texts: &[&str], next: Option<Timestamp>, now: LocalNow) -> String {
    let mut what: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    what.dedup();
    let what = what.join("; ");
    let next = match next {
        Some(next) => format!(" It comes again {}.", times::day_and_time(next, now)),
        None => String::new(),
    };
    format!("Good: {what}{}{next}", stop(&what))
}

pub fn comes_once(what: &str, send_at: Timestamp, now: LocalNow) -> String {
    format!(
        "“{}” comes once, {}.",
        quoted(what),
        times::day_and_time(send_at, now)
    )
}

/// Several match; their numbers are valid for some minutes. `how`: how to name one, with an example.
pub fn which_of_these(how: &str, reminders: &[(&str, Timestamp)], now: LocalNow) -> String {
    let lines = numbered_reminders(reminders, now);
    super::numbered_list(&format!("Which one? Say it {how}:"), lines, reminders.len())
}

/// No reminder was delivered that could be postponed.
pub fn not_come_yet(reminders: &[(&str, Timestamp)], now: LocalNow) -> String {
    let each = each_still(reminders, "to come", now);
    format!(
        "No reminder has come here that I could put off. {each} “make it …” with a time moves it."
    )
}

/// "snooze every 10 min"
pub const SNOOZES_ONCE: &str = "A snooze comes once, so I've changed nothing: say for example “snooze 10 min”. What comes again and again is a reminder of its own, like “remind me every hour to …”.";

pub const NOTHING_TO_SNOOZE: &str =
    "There's no reminder here to put off. “reminders” shows the ones you have.";

/// Several came, and it is not clear which is to be put off.
pub const WHICH_CAME: &str = "Which one? I've put off nothing. Say it like “snooze the first one”, “snooze the second one 20 min” or “snooze both”.";

pub const NOTHING_DUE: &str =
    "No reminder is due here, so there's nothing to tick off. “reminders” shows what is to come.";

/// Both as they were typed.
pub fn which_duration(first: &str, second: &str) -> String {
    format!("Should it be {first} or {second}? I've changed nothing.")
}

/// Both as they are said: "at 8", "8 people".
pub fn hour_or_people(hour: &str, count: &str) -> String {
    format!("Should it be {hour} or for {count}? I've left it as it is so far.")
}

/// "make it 7 or 8"
pub const CHANGE_UNCLEAR: &str = "I'm not sure what to change, so I've left it as it is. Say one thing, like “make it 19:00” or “change the text to buy milk”.";

/// More than a time, where the time was asked for.
pub fn only_the_time(text: &str) -> String {
    format!(
        "I'm not sure about all of that, so I've set nothing yet. Only the time, please: when should I remind you: {}?",
        quoted(text)
    )
}

/// "i want to cancel it" of a subscription.
pub const SUBSCRIPTION_STAYS: &str = "I can't cancel that with them; please do that yourself. I still know of it; “undo” takes it back.";

/// "another one"
pub const ANOTHER_OF_WHAT: &str = "Another of what? Say it in full, like “add eggs to my list”, “remind me at 9 to call mum” or “another joke”.";

/// A time without its day, where the day was asked for.
pub const DAY_NEEDED: &str = "On which day is that? I've noted nothing yet. Say it with its time, like “on friday at 15:00”.";

/// "make it 9" after a reminder before an event: the reminder's time, how long before, or the event's?
pub const BEFORE_EVENT_UNCLEAR: &str = "I'm not sure whether you mean the reminder or the event, so I've left both as they are. Say it with the name, like “move my concert reminder to 19:00”.";

/// "i meant ana" after a change of another reminder, where there is one for Ana too.
pub fn another_is_named_so(text: &str) -> String {
    format!(
        "There is a reminder of its own for that, “{0}”, so I've changed nothing more. “undo” takes the last change back; then say what you want with that name.",
        quoted(text)
    )
}

/// "delete that", where it is not clear what.
pub const THAT_UNCLEAR: &str = "I'm not sure what you mean, so I've deleted nothing. Say it by its name, like “forget my door code” or “cancel my reminder to call Ben”.";

/// "make it 45"
pub fn number_unclear(number: u32) -> String {
    format!(
        "I'm not sure what you mean by {number}, so I've left it as it is. Say it like “make it 19:00” or “make it in {number} minutes”."
    )
}

/// After "undo", of a reminder whose earlier time has passed.
pub fn time_has_passed(what: &str, (before, is): (Timestamp, Timestamp), now: LocalNow) -> String {
    format!(
        "It was for {}, which has passed, so “{}” stays as it is, {}.",
        times::day_and_time(before, now),
        quoted(what),
        times::day_and_time(is, now)
    )
}

/// For reminders that were set when UTC was assumed, once the zone is known.
pub fn reminders_set_in_utc(reminders: &[(&str, Timestamp)], now: Timestamp, zone: Zone) -> String {
    let now = LocalNow::new(now, zone);
    let day_and_time = |at| times::day_and_time(at, now);
    let meant = |at: Timestamp| at.utc().format("%H:%M");
    match reminders {
        [(what, at)] => format!(
            "Before that I went by UTC: “{}” comes {}. If you meant {} there, say “make it {}”.",
            quoted(what),
            day_and_time(*at),
            meant(*at),
            meant(*at)
        ),
        several => {
            let lines = numbered_reminders(several, now);
            let example = several.first().map(|(_, at)| meant(*at).to_string());
            format!(
                "{}\nIf you meant other times, move them: “move 1 to {}”.",
                super::numbered_list(
                    "Before that I went by UTC. Now these come:",
                    lines,
                    several.len(),
                ),
                example.unwrap_or_default()
            )
        }
    }
}

/// "done" about reminders that were not delivered yet.
pub fn still_set(reminders: &[(&str, Timestamp)], now: LocalNow) -> String {
    let each = each_still(reminders, "set", now);
    format!("{each} If it's done, say “cancel that”.")
}

/// Reminders of what was moved or called off, which stay.
pub fn kept_reminders(reminders: &[(&str, Timestamp)], now: LocalNow) -> String {
    let lines = reminders.iter().map(|(what, at)| {
        let when = times::day_and_time(*at, now);
        format!("{when}: {}", quoted(what))
    });
    list("I've changed no reminder of it:", lines, reminders.len())
}

/// What is still known by the name of a reminder that was cancelled.
pub fn kept_events(events: &str) -> String {
    format!("I still know of this: {events}")
}

/// What is known by the name of a reminder that was moved.
pub fn events_not_moved(events: &str) -> String {
    format!("I've left this as it is: {events}")
}

/// A reminder that would come during a focus session.
pub fn after_focus(until: Timestamp, now: LocalNow) -> String {
    format!(
        "You're in focus, so it comes after that, {}; “stop focus” ends it.",
        times::day_and_time(until, now)
    )
}

/// In a direct chat: the reminder of a group.
pub fn in_a_group(text: &str) -> String {
    format!("{text} (in a group)")
}

/// "all" said in a direct chat means none of a group; they are numbered.
pub fn group_reminders_stay(reminders: &[(&str, Timestamp)], now: LocalNow) -> String {
    super::numbered_list(
        "These are of groups, so they stay. “cancel 1” with the number cancels one:",
        numbered_reminders(reminders, now),
        reminders.len(),
    )
}

/// A sentence for each.
fn each_still(reminders: &[(&str, Timestamp)], state: &str, now: LocalNow) -> String {
    let each = reminders.iter().map(|(text, send_at)| {
        let when = times::day_and_time(*send_at, now);
        format!("“{}” is still {state}, {when}.", quoted(text))
    });
    each.collect::<Vec<String>>().join(" ")
}

/// After "never mind", for reminders that were just set or moved.
pub fn reminders_stay(reminders: &[(&str, Timestamp)], now: LocalNow) -> String {
    let lines = reminders
        .iter()
        .map(|(what, at)| format!("{}: {}", times::day_and_time(*at, now), quoted(what)));
    let lines: Vec<String> = lines.collect();
    match lines.as_slice() {
        [line] => format!("Okay. The reminder stays, {line}. “undo” takes the last change back."),
        lines => list(
            "Okay. The reminders stay; “undo” takes the last change back:",
            lines.iter().cloned(),
            lines.len(),
        ),
    }
}

/// "move it forward an hour"
pub const EARLIER_OR_LATER: &str = "Earlier or later? I've left it as it is. Say for example “make it an hour earlier” or “make it an hour later”.";

/// No reminder is about it, and nothing else that is known here.
pub fn nothing_to_move(about: &str, has_calendar: bool) -> String {
    let calendar = match has_calendar {
        true => "",
        false => " I see no calendar of yours.",
    };
    format!(
        "I know of no reminder about “{}”, so I've moved nothing.{calendar} “reminders” shows the ones you have.",
        quoted(about)
    )
}

pub const LEFT_AS_IT_WAS: &str = "Okay, I've left everything as it was.";

/// A sum right after things were put on a list.
pub const CHANGE_UNCLEAR_OF_LIST: &str = "Is that what it cost? The list stays as it is, and I've noted nothing. Say “spent 12.40 on groceries” for what was spent, or “make it 3 eggs”.";

/// "ask me later" to the question how something was.
pub fn not_asked_again(what: &str) -> String {
    format!(
        "Okay. I don't ask about the {what} again by myself; tell me when you like: “remember that the {what} went well”."
    )
}

/// "done 2" for what hasn't come.
pub fn done_before_it_came(reminders: &[(&str, Timestamp)]) -> String {
    let what: Vec<String> = reminders.iter().map(|(text, _)| quoted(text)).collect();
    let what = what.join("; ");
    let it = if reminders.len() == 1 { "it" } else { "them" };
    format!("Good: {what}{} I've cancelled {it}.", stop(&what))
}

/// "done 2" for what comes again.
pub fn repeating_stays(reminders: &[(&str, Timestamp)], now: LocalNow) -> String {
    let each = each_still(reminders, "set", now);
    format!("{each} “cancel” with its number ends it.")
}

/// The time of a reminder whose text is still asked for.
pub fn what_then(at: Timestamp, now: LocalNow) -> String {
    format!(
        "Okay, {}. What should I remind you of?",
        times::day_and_time(at, now)
    )
}

pub const ALREADY_DELIVERED: &str = "That reminder has come already, and won't come again.";

pub const NO_NUMBERS: &str = "I don't know which list you mean any more. “reminders” shows them with their numbers; anything else goes by its name, like “cancel dinner”.";

pub fn no_such_number(number: usize) -> String {
    format!(
        "There's no number {number} that is still open. “reminders” shows them with their numbers."
    )
}
