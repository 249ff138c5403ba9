//! Invitations in mails (iTIP, RFC 5546): what their `text/calendar` parts say, as facts of the
//! mail. Only the extract is kept; nothing is answered, and no calendar is changed.

use super::Owner;
use super::ics::{self, ExpansionContext};
use crate::clock::Timestamp;
use crate::mail_extract::CalendarPart;
use crate::model::calendar::{EventFacts, EventStatus, Participation, window};
use crate::model::mail_item::{FactKind, FactStatus, InvitationData, MailFact};

/// Instances that are kept of the invitations of one mail.
const INSTANCES_MAX: usize = 10;
/// People of an invitation that are kept.
const PEOPLE_MAX: usize = 10;

/// A later mail about the same event has the same key, and changes the fact.
pub(super) fn facts(
    calendars: &[CalendarPart],
    owner: &Owner,
    now: Timestamp,
    is_late: &dyn Fn() -> bool,
) -> Vec<MailFact> {
    let context = ExpansionContext {
        window: now..window(now).end,
        zone: owner.zone,
        own_emails: &owner.emails,
        is_late,
    };
    let of_part = |part: &CalendarPart| {
        let is_about_event = matches!(
            part.method.as_deref(),
            None | Some("REQUEST" | "PUBLISH" | "ADD" | "CANCEL")
        );
        let read = is_about_event.then(|| ics::read(part.text.as_bytes(), &context).ok());
        let is_cancelled = part.method.as_deref() == Some("CANCEL");
        let events = read.flatten().map(|file| file.events).unwrap_or_default();
        let facts = events
            .into_iter()
            .map(move |event| fact(&event, is_cancelled));
        facts.collect::<Vec<_>>()
    };
    let mut facts: Vec<MailFact> = calendars.iter().flat_map(of_part).collect();
    facts.truncate(INSTANCES_MAX);
    facts
}

fn fact(event: &EventFacts, is_cancelled: bool) -> MailFact {
    let details = &event.details;
    let status = match (event.status, details.own_participation) {
        (EventStatus::Cancelled, _) => FactStatus::Cancelled,
        _ if is_cancelled => FactStatus::Cancelled,
        (_, Some(Participation::NeedsAction | Participation::Tentative)) => FactStatus::Pending,
        _ => FactStatus::Confirmed,
    };
    let mut shortened = details.clone();
    shortened.description = String::new();
    shortened.attendees.truncate(PEOPLE_MAX);
    let data = InvitationData {
        source: "calendar".to_owned(),
        title: details.title.clone(),
        event: shortened,
    };
    MailFact {
        kind: FactKind::Event,
        key: format!("invitation {} {}", event.uid, event.instance),
        status,
        time: Some(event.time),
        data: serde_json::to_value(data).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clock::Zone;

    fn read(method: Option<&str>, lines: &str) -> Vec<MailFact> {
        let owner = Owner {
            zone: Zone::UTC,
            emails: vec!["ada@example.com".to_owned()],
        };
        let part = CalendarPart {
            method: method.map(str::to_owned),
            text: format!(
                "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTART:20261124T120000Z\r\n\
                 DTEND:20261124T130000Z\r\nSUMMARY:Review\r\n{lines}END:VEVENT\r\nEND:VCALENDAR\r\n"
            ),
        };
        let now = Timestamp::parse("2026-11-22T08:00:00Z").unwrap();
        facts(&[part], &owner, now, &|| false)
    }

    #[test]
    fn invitations_updates_and_cancellations_are_one_fact() {
        const INVITED: &str = "ORGANIZER;CN=Ana:mailto:ana@example.com\r\n\
            ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ada@example.com\r\nLOCATION:Room 5\r\n";
        let invited = read(Some("REQUEST"), INVITED);
        assert_eq!(invited.len(), 1);
        assert_eq!(
            (invited[0].kind, invited[0].status),
            (FactKind::Event, FactStatus::Pending)
        );
        let data = &invited[0].data;
        assert_eq!(
            (&data["source"], &data["title"]),
            (&json!("calendar"), &json!("Review"))
        );
        let event = &data["event"];
        assert_eq!(
            (&event["place"], &event["organiser"]["name"]),
            (&json!("Room 5"), &json!("Ana"))
        );
        let accepted = read(None, &INVITED.replace("NEEDS-ACTION", "ACCEPTED"));
        assert_eq!(accepted[0].status, FactStatus::Confirmed);
        let cancelled = read(Some("CANCEL"), INVITED);
        assert_eq!(cancelled[0].status, FactStatus::Cancelled);
        assert!(
            [&accepted[0], &cancelled[0]]
                .iter()
                .all(|fact| fact.key == invited[0].key)
        );
        // Somebody's answer is no invitation.
        assert_eq!(read(Some("REPLY"), INVITED), []);
        let many = read(Some("REQUEST"), "RRULE:FREQ=DAILY\r\n");
        assert_eq!(many.len(), INSTANCES_MAX);
    }
}
