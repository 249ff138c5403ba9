//! The extract of a mail: its headers, its text and the facts in it (flights, parcels, renewals).
//! Pure: bytes in, an extract out. Anybody may have written a mail, so sizes, nesting and counts
//! are limited. No link is followed, and a text is never treated as an instruction.
//!
//! The `data` of a [`MailFact`] is an object of these fields; those that a mail does not state
//! are missing. Dates are `2026-12-01`, `2026-12-01T09:00:00` (what a clock at the place shows)
//! or `2026-12-01T09:00:00+01:00`; a place is `{name, code, address, telephone}`.
//!
//! | Field | Is |
//! |---|---|
//! | `source` | `markup` (schema.org), `text` (a sentence, by rules) or `calendar` (an invitation) |
//! | `delivered` | true: the parcel or order arrived |
//! | `title` | the hotel, restaurant, event, train; what is in the parcel, or who sends it |
//! | `reference`, `holder`, `provider` | the booking's number, in whose name, the airline, carrier, shop or service |
//! | `number` | flight with the airline's code, train, tracking number, order |
//! | `origin`, `destination`, `place` | places |
//! | `starts`, `ends`, `opens` | departure, check-in, begin or the date itself; arrival, check-out, end; boarding or doors |
//! | `gate`, `terminal`, `platform`, `seat`, `boarding_group` | |
//! | `ticket_number`, `ticket_code` | the code is what a reader scans: `qrCode:…`, `barcode128:…` |
//! | `party_size`, `price` | a number; an amount with its currency |
//! | `check_in_url`, `tracking_url`, `change_url`, `cancel_url` | http or https |

mod dates;
mod fact;
mod headers;
mod html;
mod microdata;
mod parcels;
mod parts;
mod plain_text;
mod schema;
mod schema_values;
mod terms;
mod urgency;
mod wall_date_time;

#[cfg(test)]
mod tests;

use mail_parser::MessageParser;
use serde::{Deserialize, Serialize};

use crate::model::mail_item::{MailExtract, MailFact};
use fact::Fact;
use wall_date_time::WallDateTime;

/// More than that of a mail is not looked at.
pub const MAIL_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The text that is kept.
const TEXT_CHARS_MAX: usize = 4_000;
/// The text in which facts are looked for.
const SEARCHED_CHARS_MAX: usize = 64 * 1024;
const FACTS_MAX: usize = 32;
const CALENDARS_MAX: usize = 5;

/// The parts of a mail that are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedMail {
    pub extract: MailExtract,
    pub facts: Vec<MailFact>,
    /// Parts of type `text/calendar`.
    pub calendars: Vec<CalendarPart>,
}

/// A calendar in a mail: an invitation or its cancellation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarPart {
    /// In upper case: `REQUEST`, `CANCEL`; `None`: the part's header names none.
    pub method: Option<String>,
    pub text: String,
}

/// `own`: the address of whose mail it is, or its part before the `@`. `None`: these bytes are
/// no mail.
pub fn extract(mail: &[u8], own: &str) -> Option<ParsedMail> {
    let mail = headers::with_unicode_headers(parts::capped(mail));
    let message = MessageParser::default().parse(mail.as_ref())?;
    let mut extract = headers::read(&message, own);
    let bodies = parts::read(&message);
    let page = html::read(&bodies.html);
    let plain = plain_text::without_quotes(&bodies.plain);
    let text = plain_text::better(&plain, &page.text);
    let searched = first_chars(text, SEARCHED_CHARS_MAX);
    let searched = terms::SearchedMail::new(&extract, searched, &page.links);
    let mut facts = schema::facts(&page.markup);
    parcels::add(&searched, &mut facts);
    terms::add(&searched, &mut facts);
    fact::finish(&mut facts);
    extract.answers_own = !extract.replies_to.is_empty()
        && !extract.is_list
        && (plain_text::quotes(&bodies.plain, own) || plain_text::quotes(&page.quoted, own));
    extract.text = first_chars(text, TEXT_CHARS_MAX).trim_end().to_owned();
    extract.urgency = urgency::rules(&extract);
    Some(ParsedMail {
        extract,
        facts: facts.iter().take(FACTS_MAX).map(Fact::record).collect(),
        calendars: bodies.calendars,
    })
}

/// At most this many characters.
fn first_chars(text: &str, chars_max: usize) -> &str {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// One line: without control characters, and without those that turn or hide text.
fn one_line(text: &str, chars_max: usize) -> String {
    let words: Vec<String> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .map(visible)
        .filter(|word| !word.is_empty())
        .collect();
    first_chars(&words.join(" "), chars_max).to_owned()
}

/// Without characters that change the direction of text or have no width.
fn visible(text: &str) -> String {
    let is_trick = |c: char| {
        matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{34f}')
    };
    let shown = text.chars().filter(|c| !is_trick(*c));
    let shown = shown.map(|c| if c == '\t' { ' ' } else { c });
    shown.filter(|c| !c.is_control() || *c == '\n').collect()
}
