//! The names of weekdays and months.

use std::sync::LazyLock;

use chrono::Weekday;

use super::calendar;

/// Beginnings of the weekdays of other languages, from Monday on.
const OTHER_WEEKDAYS: [&str; 7] = [
    "понедельник poniedział 月曜 周一 星期一",
    "вторник wtorek wtork 火曜 周二 星期二",
    "среду среда среды środa środę środy 水曜 周三 星期三",
    "четверг czwartek czwartk 木曜 周四 星期四",
    "пятниц piątek piątk 金曜 周五 星期五",
    "суббот sobota sobotę soboty 土曜 周六 星期六",
    "воскресень niedziel 日曜 周日 星期日 星期天",
];

/// The weekday that a word names; in some languages by its beginning.
pub(super) fn weekday_of(word: &str) -> Option<Weekday> {
    static WEEKDAYS: LazyLock<Vec<(String, u8)>> = LazyLock::new(calendar::weekdays);
    let named = WEEKDAYS.iter().find(|(name, _)| name == word);
    if let Some((_, number)) = named {
        return Weekday::try_from(*number).ok();
    }
    let mut others = OTHER_WEEKDAYS.iter().zip(0u8..);
    let is_one = |beginnings: &str| beginnings.split(' ').any(|begin| word.starts_with(begin));
    let (_, number) = others.find(|(beginnings, _)| is_one(beginnings))?;
    Weekday::try_from(number).ok()
}

/// From 1 to 12.
pub(super) fn month_of(word: &str) -> Option<u32> {
    static MONTHS: LazyLock<Vec<(String, u8)>> = LazyLock::new(calendar::months);
    let (_, number) = MONTHS.iter().find(|(name, _)| name == word)?;
    Some(u32::from(*number) + 1)
}
