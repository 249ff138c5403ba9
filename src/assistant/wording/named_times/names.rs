//! The names of weekdays and months.

use std::sync::LazyLock;

use chrono::Weekday;

use super::calendar;

/// Beginnings of the weekdays of other languages, from Monday on.
const OTHER_WEEKDAYS: [&str; 7] = [
    "pazartesi понедельник poniedział 月曜 周一 星期一 الاثنين الإثنين",
    "salı вторник wtorek wtork 火曜 周二 星期二 الثلاثاء",
    "çarşamba среду среда среды środa środę środy 水曜 周三 星期三 الأربعاء الاربعاء",
    "perşembe четверг czwartek czwartk 木曜 周四 星期四 الخميس",
    "cumaya cumada cumay пятниц piątek piątk 金曜 周五 星期五 الجمعة",
    "cumartesi суббот sobota sobotę soboty 土曜 周六 星期六 السبت",
    "pazar воскресень niedziel 日曜 周日 星期日 星期天 الأحد الاحد",
];

/// Short names of months, and those of Turkish and Arabic.
const OTHER_MONTHS: [&str; 12] = [
    "jan ene janv gen ocak يناير",
    "feb févr fev şubat فبراير",
    "mar mär mart مارس",
    "apr abr avr nisan أبريل ابريل",
    "mayıs mai مايو",
    "jun haziran يونيو",
    "jul juil temmuz يوليو",
    "aug ago août ağustos أغسطس",
    "sep sept eylül سبتمبر",
    "oct okt ekim أكتوبر",
    "nov kasım نوفمبر",
    "dec dez dic déc aralık ديسمبر",
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
    // "Cumartesi" is another day.
    if word == "cuma" {
        return Some(Weekday::Fri);
    }
    let (_, number) = others.find(|(beginnings, _)| is_one(beginnings))?;
    Weekday::try_from(number).ok()
}

/// From 1 to 12.
pub(super) fn month_of(word: &str) -> Option<u32> {
    static MONTHS: LazyLock<Vec<(String, u8)>> = LazyLock::new(calendar::months);
    let others = || {
        (1..)
            .zip(OTHER_MONTHS)
            .find(|(_, names)| names.split(' ').any(|name| name == word))
    };
    match MONTHS.iter().find(|(name, _)| name == word) {
        Some((_, number)) => Some(u32::from(*number) + 1),
        None => others().map(|(number, _)| number),
    }
}
