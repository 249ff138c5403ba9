//! The parser for conversation scripts: messages with their times, expected answers, and expected
//! rows.

use chrono::NaiveDateTime;

use crate::clock::Zone;

/// A parsed script, with line numbers.
#[derive(Debug, PartialEq)]
pub(super) struct Script {
    pub(super) steps: Vec<(usize, ScriptStep)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ScriptStep {
    /// The local time, and the zone of all times in the file.
    Clock(NaiveDateTime, Option<Zone>),
    /// Moves the clock by seconds.
    Wait(i64),
    /// From here on names denote new people.
    NewPeople,
    Say {
        speaker: String,
        /// `None` for a direct chat.
        group: Option<String>,
        text: String,
        then: Vec<Expectation>,
    },
    /// Parts of one message that the service sent by itself, such as a reminder.
    LateMessage(Vec<Part>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expectation {
    /// Parts of the answer.
    Answer(Vec<Part>),
    Silence,
    /// All open reminders of the last speaker, soonest first.
    Reminders(Vec<ReminderLine>),
    /// All memories of the last speaker.
    Memories(Vec<String>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) is_absent: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReminderLine {
    pub(super) at: NaiveDateTime,
    pub(super) text: String,
    /// An RRULE; `None` for a single reminder.
    pub(super) rule: Option<String>,
}

const TIME: &str = "%Y-%m-%d %H:%M";

/// The error names the line and what is allowed.
pub(super) fn read(text: &str) -> Result<Script, String> {
    let mut steps: Vec<(usize, ScriptStep)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let failed = |why: &str| format!("line {number}: {why}: {line}");
        match line.split_once(' ').unwrap_or((line, "")) {
            ("=" | "@" | "&", _) => {
                let Some((_, ScriptStep::Say { then, .. })) = steps.last_mut() else {
                    return Err(failed("nobody has said anything before this line"));
                };
                expect(line, then).map_err(|why| failed(&why))?;
            }
            (">", parts) => steps.push((number, ScriptStep::LateMessage(parts_of(parts)))),
            ("new", "") => steps.push((number, ScriptStep::NewPeople)),
            ("+", wait) => {
                let seconds = seconds(wait);
                let seconds =
                    seconds.ok_or_else(|| failed("write like “+ 10 min” or “+ 2 days”"))?;
                steps.push((number, ScriptStep::Wait(seconds)));
            }
            ("clock", time) => {
                let step = clock(time);
                let hint = "write like “clock 2026-11-23 14:00 Europe/Berlin”";
                steps.push((number, step.ok_or_else(|| failed(hint))?));
            }
            _ => {
                let step = say(line);
                let hint = "write like “ana: hello” or “ana in family: hello”";
                steps.push((number, step.ok_or_else(|| failed(hint))?));
            }
        }
    }
    Ok(Script { steps })
}

fn clock(text: &str) -> Option<ScriptStep> {
    let (time, zone) = text.split_at_checked(16)?;
    let zone = match zone.trim() {
        "" => None,
        name => Some(name.parse().ok()?),
    };
    Some(ScriptStep::Clock(
        NaiveDateTime::parse_from_str(time, TIME).ok()?,
        zone,
    ))
}

fn seconds(text: &str) -> Option<i64> {
    let (count, unit) = text.trim().split_once(' ')?;
    let unit = match unit.trim_end_matches('s') {
        "" | "sec" | "second" => 1,
        "min" | "minute" => 60,
        "hour" => 3_600,
        "day" => 86_400,
        _ => return None,
    };
    count
        .parse::<i64>()
        .ok()
        .filter(|n| *n > 0)?
        .checked_mul(unit)
}

/// `\n` in a message is a line break.
fn say(line: &str) -> Option<ScriptStep> {
    let (speaker, text) = line.split_once(':')?;
    let (speaker, group) = match speaker.split_once(" in ") {
        Some((speaker, group)) => (speaker, Some(group.trim().to_owned())),
        None => (speaker, None),
    };
    let is_name = !speaker.is_empty() && speaker.chars().all(|c| c.is_alphanumeric());
    is_name.then(|| ScriptStep::Say {
        speaker: speaker.to_owned(),
        group,
        text: text.trim().replace("\\n", "\n"),
        then: Vec::new(),
    })
}

fn expect(line: &str, then: &mut Vec<Expectation>) -> Result<(), String> {
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    match (kind, rest.trim()) {
        ("=", "-") => then.push(Expectation::Silence),
        ("=", parts) => then.push(Expectation::Answer(parts_of(parts))),
        ("@", "none") => then.push(Expectation::Reminders(Vec::new())),
        ("@", rest) => {
            let hint = "write like “@ 2026-11-24 09:00 call mom {FREQ=DAILY}”";
            let reminder = reminder(rest).ok_or(hint)?;
            match then.last_mut() {
                Some(Expectation::Reminders(all)) => all.push(reminder),
                _ => then.push(Expectation::Reminders(vec![reminder])),
            }
        }
        (_, "none") => then.push(Expectation::Memories(Vec::new())),
        (_, text) => match then.last_mut() {
            Some(Expectation::Memories(all)) => all.push(text.to_owned()),
            _ => then.push(Expectation::Memories(vec![text.to_owned()])),
        },
    }
    Ok(())
}

fn reminder(text: &str) -> Option<ReminderLine> {
    let (time, text) = text.split_at_checked(16)?;
    let (text, rule) = match text.split_once('{') {
        Some((text, rule)) => (text, Some(rule.strip_suffix('}')?.to_owned())),
        None => (text, None),
    };
    Some(ReminderLine {
        at: NaiveDateTime::parse_from_str(time, TIME).ok()?,
        text: text.trim().to_owned(),
        rule,
    })
}

/// Parses "today at 18:00 | !tomorrow".
fn parts_of(text: &str) -> Vec<Part> {
    let parts = text
        .split('|')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts
        .map(|part| match part.strip_prefix('!') {
            Some(absent) => Part {
                text: absent.to_owned(),
                is_absent: true,
            },
            None => Part {
                text: part.to_owned(),
                is_absent: false,
            },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_line_by_line() {
        let script = read(
            "# Times\nclock 2026-11-23 14:00 Europe/Berlin\nana: hi \\n there\n= Hi | !bye\n\
             @ 2026-11-24 09:00 run {FREQ=DAILY}\n& none\nnew\nbo in family: juno, hi\n= -\n+ 2 hours\n> Reminder",
        )
        .unwrap();
        assert_eq!(script.steps.len(), 6);
        let ScriptStep::Say { text, then, .. } = &script.steps[1].1 else {
            panic!("{script:?}");
        };
        assert_eq!((text.as_str(), then.len()), ("hi \n there", 3));
        assert_eq!(script.steps[4].1, ScriptStep::Wait(7_200));
    }

    #[test]
    fn an_invalid_line_is_named() {
        for line in [
            "= hello", "clock soon", "+ soon", "hello", "ana: hi\n@ soon call",
        ] {
            assert!(read(line).unwrap_err().contains("line "), "{line}");
        }
    }
}
