//! Texts in the languages that have them: a file for each, so that none lacks one. The texts of a
//! crisis are in `care::crisis_texts`, as those of more languages are known.

mod de;
mod en;
mod es;
mod fr;
mod it;
mod nl;
mod pt;
mod sv;

use whatlang::Lang;

/// The texts of one language; `{}` is filled in.
pub(super) struct LanguageTexts {
    /// Primary subtag of BCP 47.
    pub(super) tag: &'static str,
    pub(super) detected: Lang,
    /// For texts that are too short for their letters to tell the language.
    pub(super) frequent_words: &'static str,
    /// A day with `{weekday}`, `{day}`, `{month}` and `{year}`.
    pub(super) date: &'static str,
    /// From Monday on, with spaces between.
    pub(super) weekdays: &'static str,
    pub(super) months: &'static str,
    pub(super) reminder: &'static str,
    pub(super) late: &'static str,
    /// Text of a reminder that was missed several times, with `{times}`.
    pub(super) missed: &'static str,
    pub(super) apology: &'static str,
    pub(super) refused: &'static str,
    pub(super) overloaded: &'static str,
    pub(super) without_model: &'static str,
    pub(super) cut_short: &'static str,
    pub(super) called_elsewhere: &'static str,
    pub(super) nothing_done: &'static str,
    pub(super) not_done: &'static str,
    pub(super) not_all_done: &'static str,
    pub(super) not_known: &'static str,
    pub(super) nothing_sent: &'static str,
    pub(super) account_stays: &'static str,
    pub(super) no_export: &'static str,
    pub(super) what_is_set: &'static str,
    pub(super) what_was_done: &'static str,
    pub(super) times_in_utc: &'static str,
    pub(super) cancelled: &'static str,
    pub(super) forgotten: &'static str,
    pub(super) unseen_photos: &'static str,
    pub(super) message_cut: &'static str,
    pub(super) english_only: &'static str,
    /// `None` for English, whose answers are in `account` and `undo`.
    pub(super) answers: Option<CommandAnswers>,
}

/// The answers to `status`, `usage` and `undo`.
pub(super) struct CommandAnswers {
    pub(super) named: &'static str,
    pub(super) unnamed: &'static str,
    pub(super) subscribed: &'static str,
    /// With the name of the plan.
    pub(super) plan: &'static str,
    pub(super) free: &'static str,
    /// Also `{reminders}`.
    pub(super) kept: &'static str,
    pub(super) zone: &'static str,
    pub(super) no_zone: &'static str,
    pub(super) unlimited: &'static str,
    /// Messages used today, of `{limit}`, with `{left}`.
    pub(super) used: &'static str,
    pub(super) nothing_to_undo: &'static str,
    pub(super) undone_already: &'static str,
    pub(super) too_late: &'static str,
    /// "undo" while the message before it is not answered yet.
    pub(super) still_answering: &'static str,
    pub(super) back_again: &'static str,
    pub(super) cancelled: &'static str,
    pub(super) forgotten: &'static str,
}

/// All of them, English first.
pub(super) static LANGUAGES: [LanguageTexts; 8] = [
    en::TEXTS,
    de::TEXTS,
    es::TEXTS,
    fr::TEXTS,
    it::TEXTS,
    nl::TEXTS,
    pt::TEXTS,
    sv::TEXTS,
];

/// The texts for a BCP 47 tag, by its first part; English without a tag, and for other languages.
pub(super) fn texts(tag: Option<&str>) -> &'static LanguageTexts {
    let primary = tag.and_then(|tag| tag.split(['-', '_']).next());
    let mut all = LANGUAGES.iter();
    let found = all.find(|one| primary.is_some_and(|tag| one.tag.eq_ignore_ascii_case(tag)));
    found.unwrap_or(&LANGUAGES[0])
}
