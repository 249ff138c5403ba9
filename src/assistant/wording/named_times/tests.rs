//! Times as the replies of models name them.

use super::*;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(&format!("{text}:00Z")).unwrap()
}

/// The times in a text that is said on Wednesday, 4 March 2026, in UTC.
fn named(text: &str) -> NamedTimes {
    NamedTimes::of(text, at("2026-03-04T12:00"), Zone::UTC)
}

#[test]
fn parts_of_hours_that_are_not_read_are_compared_loosely() {
    for (text, at_time) in [
        ("In an hour and a half.", "2026-03-04T13:30"),
        ("In 1.5 hours.", "2026-03-04T13:30"),
        ("Dans une heure et demie.", "2026-03-04T13:30"),
        ("Tra un'ora e mezza.", "2026-03-04T13:30"),
        ("In 2h30.", "2026-03-04T14:30"),
        ("At quarter to nine in the evening.", "2026-03-04T20:45"),
        ("A las nueve menos cuarto de la noche.", "2026-03-04T20:45"),
        ("At half nine in the evening.", "2026-03-04T21:30"),
        ("At ten to nine.", "2026-03-05T08:50"),
        ("Um zehn vor neun Uhr.", "2026-03-05T08:50"),
    ] {
        let named = named(text);
        assert!(!named.lacks_hour(at(at_time), Zone::UTC), "{text}");
    }
    for text in [
        "At nine.", "Um halb neun.", "At half past eight.", "In an hour.",
    ] {
        assert!(
            named(text).lacks_hour(at("2026-03-04T19:05"), Zone::UTC),
            "{text}"
        );
    }
    let midnight = named("Tonight at midnight.");
    assert!(!midnight.lacks_day(at("2026-03-05T00:00"), Zone::UTC));
    for word in ["dezember", "Dec", "dez", "diciembre", "juin"] {
        assert!(is_month(word), "{word}");
    }
    assert!(!is_month("bis") && !is_month("de"));
}

#[test]
fn hours_are_compared_in_their_part_of_the_day() {
    let seven = at("2026-03-07T07:00");
    for text in [
        "at 7 in the evening", "at 7:00 in the evening", "Um sieben Uhr abends.",
        "um 7 Uhr abends", "a las 7 de la tarde", "à sept heures du soir", "alle sette di sera",
        "zeven uur 's avonds", "tonight at 7", "heute Abend um sieben", "esta tarde a las 7",
        "um 7 am Abend", "a las 7 de la noche", "at 7 at night", "Saturday at seven thirty",
        "quarter past seven", "quarter to seven", "at half past seven", "a las siete y media",
        "viertel nach sieben", "dreiviertel sieben", "half acht", "halv åtta", "kwart over zeven",
        "à sept heures et demie", "alle sette e mezza", "às sete e meia",
    ] {
        let named = named(text);
        assert!(named.lacks_hour(seven, Zone::UTC), "{text}: {named:?}");
    }
    for text in [
        "7 in the morning",
        "um 7 Uhr morgens",
        "a las 7 de la mañana",
        "le matin à 7h",
        "alle sette di mattina",
        "zeven uur 's ochtends",
        "at 7",
        "a las 7 mañana",
        "tonight I will think of it: Saturday at 7",
        "um 7 am 28.",
        "halb acht minus 30",
        "five past half seven",
        "sieben Uhr zwanzig",
        "at seven twenty",
        "las siete y diez",
    ] {
        let named = named(text);
        let is_loose = text.starts_with("halb");
        assert!(
            is_loose || !named.lacks_hour(seven, Zone::UTC),
            "{text}: {named:?}"
        );
    }
    for (text, time) in [
        ("At half nine in the evening.", "21:30"),
        ("half acht", "07:30"),
        ("a las ocho y cuarto de la noche", "20:15"),
        ("um viertel nach acht", "20:15"),
        ("à neuf heures moins le quart du soir", "20:45"),
        ("às oito e meia da noite", "20:30"),
        ("quarter to one in the afternoon", "12:45"),
        ("at 12 at night", "00:00"),
        ("a las 2 de la noche", "02:00"),
        ("um 11 Uhr nachts", "23:00"),
        ("in einer Viertelstunde", "12:15"),
        ("over een kwartier", "12:15"),
        ("daqui a meia hora", "12:30"),
        ("через полчаса", "12:30"),
    ] {
        let (named, time) = (named(text), at(&format!("2026-03-04T{time}")));
        assert!(
            named.names_hour() && !named.lacks_hour(time, Zone::UTC),
            "{text}: {named:?}"
        );
    }
    for text in [
        "in einer Viertelstunde", "over een kwartier", "daqui a meia hora", "через полчаса",
    ] {
        assert!(
            named(text).lacks_hour(at("2026-03-04T12:45"), Zone::UTC),
            "{text}"
        );
    }
}

#[test]
fn hours_after_noon_are_read_in_words() {
    for (text, time) in [
        ("Demain à vingt-deux heures.", "22:00"),
        ("à dix-sept heures", "17:00"),
        ("à vingt et une heures", "21:00"),
        ("um achtzehn Uhr", "18:00"),
        ("明日の午後6時半に", "18:30"),
        ("18時半", "18:30"),
        ("明日の夕方6時", "18:00"),
        ("saat 18.30'da", "18:30"),
        ("7'de", "19:00"),
        ("at midnight", "00:00"),
    ] {
        let (named, time) = (named(text), at(&format!("2026-03-04T{time}")));
        assert!(
            named.names_hour() && !named.lacks_hour(time, Zone::UTC),
            "{text}: {named:?}"
        );
    }
    let minutes = named("à dix-sept heures quarante-cinq");
    assert!(!minutes.names_hour(), "{minutes:?}");
}

#[test]
fn a_weekday_with_a_date_is_that_date() {
    let saturday = at("2026-03-07T07:00");
    for text in [
        "Saturday the 14th", "Samstag, den 14.", "Samstag, 14. Juni", "Saturday 6/7",
        "sábado, 14 de marzo", "on Saturday, June 7", "next month", "日曜の7時", "周日7点",
        "в воскресенье", "w niedzielę", "samedi 14 mars", "am 7. Dezember",
    ] {
        let named = named(text);
        assert!(named.lacks_day(saturday, Zone::UTC), "{text}: {named:?}");
    }
    for text in [
        "Saturday the 7th", "Samstag, den 7.", "Samstag, 7. März", "Saturday 3/7",
        "on Saturday at 7", "Samstag 7 Uhr", "Saturday, the 14 of us", "土曜の7時", "w sobotę",
        "Samstag um 12.30", "в субботу", "am Samstag, den 7. März 2026",
    ] {
        let named = named(text);
        assert!(!named.lacks_day(saturday, Zone::UTC), "{text}: {named:?}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    for language in ["en", "de", "es", "fr", "it", "nl", "pt", "sv"] {
        let monday = calendar::date_and_time(at("2026-03-09T09:00"), Zone::UTC, Some(language));
        let found = named(&monday);
        assert!(!found.has_other_day(&named("2026-03-09")), "{monday}");
        assert_eq!(found.days.len(), 2, "{monday}: {found:?}");
        assert_eq!(found.hours.len(), 1, "{monday}: {found:?}");
    }
}

#[test]
fn the_times_of_a_text_are_found() {
    for (text, time) in [
        ("Done: tomorrow at 09:00.", "2026-03-05T09:00"),
        ("tomorrow at 9", "2026-03-05T21:00"),
        ("tomorrow at 9 p.m.", "2026-03-05T21:00"),
        ("¡Listo! Te recordaré mañana a las 9.", "2026-03-05T09:00"),
        ("hoy a las 9 de la noche", "2026-03-04T21:00"),
        ("Heute Morgen um 9 Uhr", "2026-03-04T09:00"),
        ("übermorgen um 9.30 Uhr", "2026-03-06T09:30"),
        ("demain à 9 h", "2026-03-05T09:00"),
        ("après-demain à 18h30", "2026-03-06T18:30"),
        ("Domani alle 9:15", "2026-03-05T09:15"),
        ("amanhã às 9h", "2026-03-05T09:00"),
        ("na quinta-feira, às 20:00", "2026-03-05T20:00"),
        ("i morgon kl. 9", "2026-03-05T09:00"),
        (
            "Set for Sunday, 8 March 2026 at 7:05 pm",
            "2026-03-08T19:05",
        ),
        ("March 8th, 10am", "2026-03-08T10:00"),
        ("2026-03-08T20:00", "2026-03-08T20:00"),
        ("今日20時、お知らせします 9:00 夜", "2026-03-04T21:00"),
        ("20時30分に heute", "2026-03-04T20:30"),
        ("heute in zwei Stunden", "2026-03-04T14:00"),
        ("in 20 minutes, today", "2026-03-04T12:20"),
        ("hoy en dos horas", "2026-03-04T14:10"),
        ("dans une demi-heure, aujourd'hui", "2026-03-04T12:30"),
        ("in one and a half hours today", "2026-03-04T13:30"),
        ("heute um neun Uhr", "2026-03-04T21:00"),
        ("morgen um halb neun", "2026-03-05T08:30"),
        ("tomorrow at eight", "2026-03-05T08:00"),
        ("in drei Tagen um 9:00", "2026-03-07T09:00"),
        ("am 5.3. um 20:00", "2026-03-05T20:00"),
        ("on 3/5 at 20:00", "2026-03-05T20:00"),
        ("next week at 9:00", "2026-03-11T09:00"),
        ("nächste Woche um 9 Uhr", "2026-03-09T09:00"),
        ("morgen Mittag", "2026-03-05T12:00"),
        ("morgen um halb 7", "2026-03-05T06:30"),
        ("morgen für 18h.", "2026-03-05T18:00"),
        ("domani alle diciotto", "2026-03-05T18:00"),
        ("domani alle diciotto e trenta", "2026-03-05T18:30"),
        ("demain à dix-huit heures trente", "2026-03-05T18:30"),
        ("Friday next week at 9:00", "2026-03-13T09:00"),
        ("a week from today at 9:00", "2026-03-11T09:00"),
        ("de hoy en ocho, a las 9", "2026-03-11T09:00"),
        ("Sat 7 Mar, 18:00", "2026-03-07T18:00"),
        ("明日の六時半", "2026-03-05T06:30"),
        ("明日の六時", "2026-03-05T18:00"),
        ("明後日の十八時", "2026-03-06T18:00"),
        ("来週の金曜日9時", "2026-03-13T09:00"),
        ("3月7日(土)午前9時", "2026-03-07T09:00"),
        ("Yarın saat 9'da", "2026-03-05T09:00"),
        ("öbür gün saat 9'da", "2026-03-06T09:00"),
        ("gelecek cuma saat 9'da", "2026-03-13T09:00"),
        ("7 Mart Cumartesi 09:00'da", "2026-03-07T09:00"),
    ] {
        let found = named(text);
        let time = at(time);
        assert!(found.names_hour(), "{text}: {found:?}");
        assert!(!found.lacks_hour(time, Zone::UTC), "{text}: {found:?}");
        assert!(!found.lacks_day(time, Zone::UTC), "{text}: {found:?}");
    }
}

#[test]
fn how_often_something_comes_is_told_apart() {
    let monday = at("2026-03-09T09:00");
    let comes = |text: &str, rule: Option<&str>| {
        !named(text).has_other_repetition([(rule, monday, Zone::UTC)].into_iter())
    };
    for (text, rule) in [
        ("every day at 9", Some("FREQ=DAILY")),
        ("jeden Montag", Some("FREQ=WEEKLY;BYDAY=MO,WE")),
        ("todos los lunes", Some("FREQ=WEEKLY")),
        ("every weekday", Some("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR")),
        ("elke week", Some("FREQ=WEEKLY;BYDAY=FR")),
        ("every minute counts", None),
        ("tomorrow", None),
        ("on Mondays", Some("FREQ=WEEKLY;BYDAY=MO")),
        ("montags", Some("FREQ=WEEKLY;BYDAY=MO")),
        ("todos los lunes", Some("FREQ=WEEKLY;BYDAY=MO")),
        ("every other day", Some("FREQ=DAILY;INTERVAL=2")),
        ("alle zwei Wochen", Some("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO")),
        ("every 2 months", Some("FREQ=MONTHLY;INTERVAL=2")),
        ("every hour", Some("FREQ=HOURLY")),
        ("twice a day", Some("FREQ=DAILY;BYHOUR=8,20")),
        ("zweimal am Tag", Some("FREQ=HOURLY;INTERVAL=12")),
        ("deux fois par semaine", Some("FREQ=WEEKLY;BYDAY=MO,TH")),
        ("5 times, every day", Some("FREQ=DAILY;COUNT=5")),
        ("every 3 hours", Some("FREQ=HOURLY;INTERVAL=3")),
        (
            "every other Monday",
            Some("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
        ),
        ("on weekdays", Some("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR")),
        ("I sent it to Saturn, alle zwei", None),
    ] {
        assert!(comes(text, rule), "{text}");
    }
    for (text, rule) in [
        ("jeden Tag um 8:00", None),
        ("every Monday at 8:00", None),
        ("Every Tuesday", Some("FREQ=WEEKLY;BYDAY=MO")),
        ("Every weekday", Some("FREQ=WEEKLY;BYDAY=MO")),
        ("Every week", Some("FREQ=DAILY")),
        ("täglich", Some("FREQ=WEEKLY;BYDAY=MO")),
        ("on Saturdays", None),
        ("samstags", None),
        ("todos los sábados", None),
        ("tous les samedis", None),
        ("every hour", Some("FREQ=DAILY")),
        ("twice a day", Some("FREQ=DAILY")),
        ("dreimal täglich", Some("FREQ=DAILY;BYHOUR=8,20")),
        ("twice a week", Some("FREQ=WEEKLY;BYDAY=MO")),
        ("every 3 hours", Some("FREQ=HOURLY;INTERVAL=6")),
        ("every other Monday", Some("FREQ=WEEKLY;BYDAY=MO")),
        ("every other day", Some("FREQ=DAILY")),
        ("on weekdays", Some("FREQ=DAILY")),
        ("毎日9時", None),
        ("her gün 9'da", None),
        ("every week", Some("FREQ=WEEKLY;INTERVAL=2")),
        ("every 2 months", Some("FREQ=MONTHLY")),
        ("jede zweite Woche", Some("FREQ=WEEKLY")),
        ("every day", Some("FREQ=DAILY;INTERVAL=2")),
    ] {
        assert!(!comes(text, rule), "{text}");
    }
}

#[test]
fn a_last_day_is_compared_where_something_comes_again() {
    let end = [(at("2026-03-14T09:00"), Zone::UTC)];
    for (text, expected) in [
        ("every day until 14 March", false),
        ("every day until Saturday", false),
        ("jeden Tag bis 15. März", true),
        ("cada día hasta el 15 de marzo", true),
        ("the fair is open until 15 March", false),
    ] {
        assert_eq!(named(text).has_other_end(&end), expected, "{text}");
    }
    assert!(named("every day until 14 March").has_other_end(&[]));
}

#[test]
fn an_hour_of_another_zone_is_that_of_the_persons_clock() {
    // In winter New York is five hours behind.
    for (text, expected) in [
        ("at 3pm New York time", "2026-03-04T20:00"),
        ("at 15:00 (CET)", "2026-03-04T14:00"),
        ("18:00 Eastern Time", "2026-03-04T23:00"),
        ("at 18:00 UTC, every time", "2026-03-04T18:00"),
        ("à 18h est noté", "2026-03-04T18:00"),
    ] {
        let found = named(text);
        assert!(
            found.names_hour() && !found.lacks_hour(at(expected), Zone::UTC),
            "{text}: {found:?}"
        );
    }
    assert!(!named("tomorrow at 18:00 Eastern Time").names_day());
}

#[test]
fn half_a_day_is_told_only_by_a_bare_hour() {
    let ten = at("2026-03-04T22:00");
    for (text, expected) in [
        ("Sunday at 10", true),
        ("tonight at 10", false),
        ("at 10pm", false),
        ("at 22:00", false),
    ] {
        assert_eq!(
            named(text).tells_hour_loosely(ten, Zone::UTC),
            expected,
            "{text}"
        );
    }
    let (asked, known) = (named("at 18:00 and at 20:00"), named("at 18:00"));
    assert!(named("at 18:00 and at 20:00").has_unknown_of(&asked, &known));
    assert!(!named("at 18:00, in 2 days at 9:00").has_unknown_of(&asked, &known));
}

#[test]
fn distances_are_no_hours() {
    for text in [
        "A quarter of an hour from now.", "One and a half hours from now.",
        "You've got half an hour!", "3時間かかります。", "It takes 2 hours.",
    ] {
        assert!(!named(text).names_hour(), "{text}: {:?}", named(text));
    }
    for (text, expected) in [
        ("1時間後にお知らせします。", "2026-03-04T13:00"),
        ("2시간 후에 알려드릴게요.", "2026-03-04T14:00"),
        ("1時間30分後", "2026-03-04T13:30"),
        ("一時間半後", "2026-03-04T13:30"),
        ("Half an hour from now, done.", "2026-03-04T12:30"),
        ("10 dakika sonra", "2026-03-04T12:10"),
        ("بعد 10 دقائق", "2026-03-04T12:10"),
        ("明日の１９時", "2026-03-05T19:00"),
        ("غدا الساعة السابعة مساءً", "2026-03-05T19:00"),
        ("الساعة ٦ مساء", "2026-03-05T18:00"),
    ] {
        let found = named(text);
        assert!(
            found.names_hour() && !found.lacks_hour(at(expected), Zone::UTC),
            "{text}: {found:?}"
        );
    }
    let found = named("Set for 12 am tonight.");
    assert!(
        !found.lacks_day(at("2026-03-05T00:00"), Zone::UTC),
        "{found:?}"
    );
    assert!(
        found.lacks_hour(at("2026-03-05T12:00"), Zone::UTC),
        "{found:?}"
    );
}

#[test]
fn days_are_named_in_other_languages() {
    for (text, expected) in [
        ("غدا الساعة 18:00", "2026-03-05"),
        ("بعد غد", "2026-03-06"),
        ("يوم الاثنين", "2026-03-09"),
        ("5 ديسمبر", "2026-12-05"),
        ("اليوم", "2026-03-04"),
        ("２日後の18時", "2026-03-06"),
        ("ce soir à 18h", "2026-03-04"),
    ] {
        let found = named(text);
        let day = at(&format!("{expected}T18:00"));
        assert!(
            found.names_day() && !found.lacks_day(day, Zone::UTC),
            "{text}: {found:?}"
        );
    }
    for text in ["كل يوم الساعة 18:00", "her pazartesi 9'da"] {
        assert!(named(text).names_repetition(), "{text}");
    }
    assert!(!named("her monday meeting").names_repetition());
}

#[test]
fn the_days_through_which_something_comes_are_compared() {
    let span = || [(at("2026-03-05T09:00"), at("2026-03-09T09:00"), Zone::UTC)].into_iter();
    for (text, expected) in [
        ("every day at 9 for 5 days", false),
        ("5 Tage lang täglich um 9", false),
        ("cada día durante diez días", true),
        ("every day; in 9 days I travel", false),
    ] {
        let found = named(text);
        assert_eq!(
            found.has_other_length(span()),
            expected,
            "{text}: {found:?}"
        );
    }
    let found = named("every day for 5 days");
    assert!(found.names_end() && found.has_other_length(std::iter::empty()));
}

#[test]
fn another_time_is_told_apart() {
    let set = at("2030-05-05T20:00");
    let known = named("\"at\":\"Sunday 2030-05-05T20:00\"");
    for text in ["Sunday at 20:00", "on 5 May", "at 8"] {
        let found = named(text);
        assert!(!found.has_other_hour(&known), "{text}: {found:?}");
        assert!(!found.has_other_day(&known), "{text}: {found:?}");
    }
    for text in [
        "tomorrow at 09:00", "um 9 Uhr", "a las 9", "à 9h", "alle 9", "às 9", "kl. 9", "at 8 am",
        "20時30分ではなく9時", "um neun Uhr", "halb neun", "eight in the morning",
        "a las nueve de la noche", "in 2 Stunden", "in zwei Stunden", "in 2 hours", "in an hour",
        "in half an hour", "en dos horas", "dans 2 heures", "tra due ore", "over twee uur",
        "om två timmar", "через два часа", "morgen Mittag", "at noon",
    ] {
        let found = named(text);
        assert!(found.lacks_hour(set, Zone::UTC), "{text}: {found:?}");
        assert!(found.has_other_hour(&known), "{text}: {found:?}");
    }
    for text in [
        "tomorrow", "Montag", "el lunes", "5 June", "2030-05-06", "in drei Tagen", "nächste Woche",
        "am 6.5. um 20:00", "on 12/25",
    ] {
        let found = named(text);
        assert!(found.lacks_day(set, Zone::UTC), "{text}: {found:?}");
        assert!(found.has_other_day(&known), "{text}: {found:?}");
    }
    for text in [
        "It is set.", "12.50 EUR for lunch", "in 2 heures", "5 of 7", "Guten Morgen", "2-3 times",
        "at home", "por la mañana", "1,000:50", "at one point", "in hours", "5/12 of it",
        "alle due", "a good day", "this afternoon",
    ] {
        assert_eq!(named(text), NamedTimes::default(), "{text}");
    }
}
