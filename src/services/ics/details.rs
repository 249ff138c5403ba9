//! The details of an event beside its time: title, place, link of a call, people.

use calcard::icalendar::{
    ICalendarComponent, ICalendarEntry, ICalendarParameterName, ICalendarParameterValue,
    ICalendarParticipationStatus, ICalendarProperty, ICalendarTransparency, ICalendarUserTypes,
};
use mail_parser::decoders::html::html_to_text;

use super::{own_property, text_of};
use crate::model::calendar::{EventDetails, EventPerson, Participation};

const TITLE_CHARS_MAX: usize = 300;
const PLACE_CHARS_MAX: usize = 300;
const LINK_CHARS_MAX: usize = 2_000;
const DESCRIPTION_CHARS_MAX: usize = 2_000;
/// Bytes of a description before its markup is removed.
const DESCRIPTION_BYTES_MAX: usize = 64 << 10;
const ATTENDEES_MAX: usize = 50;
/// Where calls take place: hosts and the hosts under them.
const CALL_HOSTS: [&str; 12] = [
    "meet.google.com", "zoom.us", "zoom.com", "teams.microsoft.com", "teams.live.com", "webex.com",
    "meet.jit.si", "whereby.com", "gotomeeting.com", "meet.goto.com", "facetime.apple.com",
    "bluejeans.com",
];

pub(super) fn details_of(event: &ICalendarComponent, own_emails: &[String]) -> EventDetails {
    let text = |name: ICalendarProperty| text_of(event, &name).unwrap_or_default();
    let description = plain(text(ICalendarProperty::Description));
    let place = match clean(text(ICalendarProperty::Location), PLACE_CHARS_MAX) {
        place if place.is_empty() => structured_place(event).unwrap_or_default(),
        place => place,
    };
    let (link, is_call) = link_of(event, &place, text(ICalendarProperty::Description));
    let mut attendees = event.properties(&ICalendarProperty::Attendee);
    let own_answer = attendees
        .by_ref()
        .filter_map(person_of)
        .find(|person| own_emails.contains(&person.email));
    let others = event.properties(&ICalendarProperty::Attendee);
    let others = others
        .filter(|entry| !is_thing(entry))
        .filter_map(person_of);
    let others = others.filter(|person| !own_emails.contains(&person.email));
    let organiser = event
        .property(&ICalendarProperty::Organizer)
        .and_then(person_of);
    EventDetails {
        title: clean(text(ICalendarProperty::Summary), TITLE_CHARS_MAX),
        place,
        link,
        is_call,
        phone: phone_of(event),
        description,
        organiser: organiser.filter(|person| !own_emails.contains(&person.email)),
        attendees: others.take(ATTENDEES_MAX).collect(),
        is_busy: is_busy(event),
        own_participation: own_answer.map(|person| person.participation),
        ..EventDetails::default()
    }
}

/// One line without control characters, at most `chars_max` long.
pub(super) fn clean(text: &str, chars_max: usize) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !is_invisible(*c))
        .take(chars_max * 4)
        .collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(chars_max).collect()
}

/// Marks that change how the text around them is shown.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// A description without HTML.
fn plain(text: &str) -> String {
    let end = text.floor_char_boundary(DESCRIPTION_BYTES_MAX);
    let text = &text[..end];
    let is_html = text.contains("</") || text.contains("<br") || text.contains("<p>");
    let text = match is_html {
        true => html_to_text(text),
        false => text.to_owned(),
    };
    let text = text
        .chars()
        .filter(|c| !is_invisible(*c) && (!c.is_control() || *c == '\n'));
    let text: String = text.take(DESCRIPTION_CHARS_MAX).collect();
    text.trim().to_owned()
}

/// Apple names places beside the address.
fn structured_place(event: &ICalendarComponent) -> Option<String> {
    let mut entries = event.entries.iter();
    let entry = entries.find(|entry| {
        matches!(&entry.name, ICalendarProperty::Other(name)
            if name.eq_ignore_ascii_case("X-APPLE-STRUCTURED-LOCATION"))
    })?;
    let title = entry.params.iter().find(|param| {
        matches!(&param.name, ICalendarParameterName::Other(name) if name.eq_ignore_ascii_case("X-TITLE"))
    })?;
    Some(clean(title.value.as_text()?, PLACE_CHARS_MAX))
}

/// The link, and whether a call is there. A call's link wins over any other.
fn link_of(event: &ICalendarComponent, place: &str, description: &str) -> (String, bool) {
    let conferences = event.properties(&ICalendarProperty::Conference);
    let conferences = conferences.filter_map(|entry| entry.values.first()?.as_text());
    let own = [
        "X-GOOGLE-CONFERENCE", "X-MICROSOFT-SKYPETEAMSMEETINGURL",
        "X-MICROSOFT-ONLINEMEETINGCONFLINK", "X-MICROSOFT-ONLINEMEETINGEXTERNALLINK",
    ];
    let own = own.iter().filter_map(|name| own_property(event, name));
    if let Some(call) = conferences.chain(own).find_map(web_link) {
        return (call, true);
    }
    let url = text_of(event, &ICalendarProperty::Url).and_then(web_link);
    let end = description.floor_char_boundary(DESCRIPTION_BYTES_MAX);
    let texts = [
        place,
        url.as_deref().unwrap_or_default(),
        &description[..end],
    ];
    if let Some(call) = texts.iter().find_map(|text| call_in(text)) {
        return (call, true);
    }
    let at_place = place.split_whitespace().find_map(web_link);
    (url.or(at_place).unwrap_or_default(), false)
}

fn web_link(text: &str) -> Option<String> {
    let text = text.trim();
    let is_web = ["https://", "http://"].iter().any(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    let is_one = !text.contains(char::is_whitespace) && !text.chars().any(char::is_control);
    (is_web && is_one && text.len() <= LINK_CHARS_MAX).then(|| text.to_owned())
}

/// The first link of a call within a text.
fn call_in(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(at) = rest.find("https://") {
        let link = &rest[at..];
        let ends = |c: char| c.is_whitespace() || "<>\"'()[]{}|\\^`".contains(c);
        let end = link.find(ends).unwrap_or(link.len());
        let link = link[..end].trim_end_matches(['.', ',', ';', ':', '!']);
        let host = link["https://".len()..]
            .split(['/', '?', '#', ':'])
            .next()?;
        let host = host.to_ascii_lowercase();
        let is_call = CALL_HOSTS.iter().any(|known| {
            host == *known
                || host
                    .strip_suffix(known)
                    .is_some_and(|rest| rest.ends_with('.'))
        });
        if is_call {
            return web_link(link);
        }
        rest = &rest[at + "https://".len()..];
    }
    None
}

fn phone_of(event: &ICalendarComponent) -> String {
    let conferences = event.properties(&ICalendarProperty::Conference);
    let mut conferences = conferences.filter_map(|entry| entry.values.first()?.as_text());
    let phone = conferences.find_map(|uri| uri.strip_prefix("tel:"));
    let phone =
        phone.or_else(|| text_of(event, &ICalendarProperty::Location)?.strip_prefix("tel:"));
    clean(phone.unwrap_or_default(), 40)
}

fn is_busy(event: &ICalendarComponent) -> bool {
    let is_free = own_property(event, "X-MICROSOFT-CDO-BUSYSTATUS")
        .is_some_and(|status| status.trim().eq_ignore_ascii_case("FREE"));
    event.transparency() != Some(&ICalendarTransparency::Transparent) && !is_free
}

/// A room or a resource.
fn is_thing(entry: &ICalendarEntry) -> bool {
    entry
        .parameters(&ICalendarParameterName::Cutype)
        .any(|kind| {
            matches!(
                kind,
                ICalendarParameterValue::Cutype(
                    ICalendarUserTypes::Room | ICalendarUserTypes::Resource
                )
            )
        })
}

fn person_of(entry: &ICalendarEntry) -> Option<EventPerson> {
    let address = entry.values.first()?.as_text()?;
    let email = match address.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => &address[7..],
        _ if address.contains('@') => address,
        _ => "",
    };
    let name = entry
        .parameters(&ICalendarParameterName::Cn)
        .find_map(|name| name.as_text());
    let name = clean(name.unwrap_or_default(), 100);
    let participation = entry
        .parameters(&ICalendarParameterName::Partstat)
        .find_map(|status| {
            let ICalendarParameterValue::Partstat(status) = status else {
                return None;
            };
            Some(match status {
                ICalendarParticipationStatus::Accepted => Participation::Accepted,
                ICalendarParticipationStatus::Declined => Participation::Declined,
                ICalendarParticipationStatus::Tentative => Participation::Tentative,
                _ => Participation::NeedsAction,
            })
        });
    let email = clean(&email.to_lowercase(), 200);
    // Google names people without a name after their address.
    let name = match name.eq_ignore_ascii_case(&email) {
        true => String::new(),
        false => name,
    };
    (!name.is_empty() || !email.is_empty()).then(|| EventPerson {
        name,
        email,
        participation: participation.unwrap_or_default(),
    })
}
