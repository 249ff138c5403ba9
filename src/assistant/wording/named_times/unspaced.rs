//! What texts in scripts without spaces name: days by their words, and hours in their numerals.

use chrono::{Datelike, Days, NaiveDate, Weekday};

use super::NamedDay;
use super::repetition::NamedRepetition;

/// Words for a day, and how many days it is ahead; a longer word before one that it contains.
const DAYS: [(&str, u64); 16] = [
    ("明々後日", 3),
    ("しあさって", 3),
    ("大后天", 3),
    ("글피", 3),
    ("明後日", 2),
    ("明后天", 2),
    ("あさって", 2),
    ("後天", 2),
    ("后天", 2),
    ("모레", 2),
    ("明日", 1),
    ("明天", 1),
    ("내일", 1),
    ("今日", 0),
    ("今天", 0),
    ("오늘", 0),
];
const WEEKDAYS: [[&str; 2]; 7] = [
    ["月曜", "星期一"],
    ["火曜", "星期二"],
    ["水曜", "星期三"],
    ["木曜", "星期四"],
    ["金曜", "星期五"],
    ["土曜", "星期六"],
    ["日曜", "星期日"],
];
const NEXT_WEEK: [&str; 4] = ["来週", "下周", "下週", "다음 주"];
const WEEK_DAYS: u64 = 7;
const REPEATED: [(&str, NamedRepetition); 6] = [
    ("毎日", NamedRepetition::Day),
    ("每天", NamedRepetition::Day),
    ("매일", NamedRepetition::Day),
    ("毎週", NamedRepetition::Week),
    ("每周", NamedRepetition::Week),
    ("매주", NamedRepetition::Week),
];
const NUMERALS: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
/// After such a numeral.
const UNITS: [char; 5] = ['時', '点', '點', '分', '月'];

pub(super) fn days(text: &str, today: NaiveDate) -> Vec<NamedDay> {
    let mut days = Vec::new();
    let mut rest = text.to_owned();
    for (word, ahead) in DAYS {
        if rest.contains(word) {
            rest = rest.replace(word, " ");
            days.extend(today.checked_add_days(Days::new(ahead)).map(NamedDay::Date));
        }
    }
    for (at, _) in text.match_indices("日後").chain(text.match_indices("天后")) {
        let digits = text[..at]
            .bytes()
            .rev()
            .take_while(u8::is_ascii_digit)
            .count();
        let ahead = text[at - digits..at].parse().ok();
        let day = ahead.and_then(|ahead| today.checked_add_days(Days::new(ahead)));
        days.extend(day.map(NamedDay::Date));
    }
    let mut weekdays = WEEKDAYS.iter().zip(0u8..);
    if let Some((_, number)) =
        weekdays.find(|(names, _)| names.iter().any(|name| text.contains(name)))
    {
        days.extend(Weekday::try_from(number).ok().map(NamedDay::Weekday));
    }
    if NEXT_WEEK.iter().any(|word| text.contains(word)) {
        let monday = u64::from(today.weekday().num_days_from_monday());
        let first = today.checked_add_days(Days::new(WEEK_DAYS - monday));
        let last = first.and_then(|first| first.checked_add_days(Days::new(WEEK_DAYS - 1)));
        days.extend(
            first
                .zip(last)
                .map(|(first, last)| NamedDay::Within(first, last)),
        );
    }
    days
}

pub(super) fn repetitions(text: &str) -> impl Iterator<Item = NamedRepetition> {
    let found = REPEATED.iter().filter(|(word, _)| text.contains(word));
    found.map(|(_, repetition)| *repetition)
}

/// With figures for the numerals of hours, minutes and months: "六時半".
pub(super) fn with_figures(text: &str) -> String {
    let is_numeral = |c: char| c == '十' || NUMERALS.contains(&c);
    let mut all = String::new();
    let mut numeral = String::new();
    for c in text.chars().chain(['\0']) {
        if is_numeral(c) {
            numeral.push(c);
            continue;
        }
        match value(&numeral).filter(|_| UNITS.contains(&c)) {
            Some(value) => all.push_str(&value.to_string()),
            None => all.push_str(&numeral),
        }
        numeral.clear();
        all.extend((c != '\0').then_some(c));
    }
    all
}

/// "十八": 18.
fn value(numeral: &str) -> Option<usize> {
    let digit = |text: &str| {
        let mut chars = text.chars();
        let first = chars.next()?;
        let value = NUMERALS.iter().position(|one| *one == first);
        value.filter(|_| chars.next().is_none())
    };
    match numeral.split_once('十') {
        Some((tens, ones)) => {
            let tens = if tens.is_empty() {
                Some(1)
            } else {
                digit(tens)
            };
            let ones = if ones.is_empty() {
                Some(0)
            } else {
                digit(ones)
            };
            Some(tens? * 10 + ones?)
        }
        None => digit(numeral),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_of_hours_are_figures() {
        for (text, expected) in [
            ("今晩六時半に", "今晩6時半に"),
            ("十八時三十分", "18時30分"),
            ("二十一時", "21時"),
            ("十二月4日", "12月4日"),
            ("一緒に", "一緒に"),
            ("", ""),
        ] {
            assert_eq!(with_figures(text), expected);
        }
    }

    #[test]
    fn days_are_found_in_longer_words() {
        // A Wednesday.
        let today = NaiveDate::from_ymd_opt(2026, 3, 4).unwrap();
        let on = |day| NaiveDate::from_ymd_opt(2026, 3, day).unwrap();
        for (text, expected) in [
            ("明日の9時", vec![NamedDay::Date(on(5))]),
            ("明後日9時", vec![NamedDay::Date(on(6))]),
            ("2日後の18時", vec![NamedDay::Date(on(6))]),
            ("来週", vec![NamedDay::Within(on(9), on(15))]),
            ("朝", vec![]),
        ] {
            assert_eq!(days(text, today), expected, "{text}");
        }
    }
}
