//! The texts in English.

use super::{Lang, LanguageTexts};

pub(super) const TEXTS: LanguageTexts = LanguageTexts {
    tag: "en",
    detected: Lang::Eng,
    frequent_words: "about add all am an and any are at be been call can cancel could cut did do does \
                     doing don done for forgotten from get glad good got great had happy has have hello \
                     he her here hi his hour hours how i if in is it its know let ll made me min minutes more my not of okay \
                     on or our please re remember remembered remind reminder reminders sent set show \
                     sorry sure tell thank thanks that the then there they this to today tomorrow up ve \
                     was we what when where which will with would yes yet you your told called need no she him anymore",
    date: "{weekday}, {day} {month} {year}",
    weekdays: "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    months: "January February March April May June July August September October November December",
    reminder: "⏰ Reminder: {}",
    late: "this is late, it was due {}",
    missed: "it was due {times} times since the last one, most recently {}",
    apology: "Sorry, {} can't find the words right now. Please try again in a moment.",
    refused: "That's something {} would rather not answer. Is there anything else?",
    overloaded: "{} is talking with a lot of people right now. Please try again in a minute.",
    without_model: "(The language model did not answer, so this is from the basic assistant.)",
    cut_short: "(That was too long for this chat; this is its beginning.)",
    called_elsewhere: "Before that I had already called {}; what was done there stays done.",
    nothing_done: "(Nothing was set, noted or changed for this message.)",
    not_done: "(This was not done: {}.)",
    not_all_done: "(Not all of this was done.)",
    not_known: "(It is not known whether this was done; please look there.)",
    nothing_sent: "(Nothing was sent to your own chat for this message.)",
    account_stays: "(Your account is not deleted. Ask whoever runs this service, or sign in and send POST /account/deletion with the confirmation “DELETE MY ACCOUNT”; 30 days later everything is deleted for good.)",
    no_export: "(No data was exported. Ask whoever runs this service, or sign in and send POST /account/export.)",
    what_is_set: "(What is set: {}.)",
    what_was_done: "(What was done: {}.)",
    times_in_utc: "(Times are in UTC: your time zone is not known yet.)",
    cancelled: "“{}”, cancelled",
    forgotten: "“{}”, forgotten",
    unseen_photos: "(Photos of this message that were not looked at: {}.)",
    message_cut: "(Your message was too long to be read as a whole; I read its beginning and its end.)",
    english_only: "Without a language model I understand only English, so I've done nothing. For example: “remind me at 15:00 to …”. Whoever runs me can connect a language model.",
    answers: None,
};
