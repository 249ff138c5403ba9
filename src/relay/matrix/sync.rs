//! Parses answers of `/sync`. Pure, except for waiting for marks.

use std::collections::{HashSet, VecDeque};

use serde_json::{Value, json};
use tokio::sync::oneshot;

/// Events per room and answer; further ones are fetched separately.
const EVENTS_MAX: usize = 50;
/// Types of events that are handled.
const KINDS: [&str; 6] = [
    "m.room.message", "m.room.encrypted", "m.room.member", "m.room.encryption", "m.room.tombstone",
    "m.sticker",
];
/// Types of events that change what is known of a room.
const CHANGES: [&str; 3] = ["m.room.member", "m.room.encryption", "m.room.tombstone"];

/// The filter for `/sync`.
pub(super) fn filter() -> Value {
    let nothing = json!({"types": []});
    json!({
        "room": {
            "timeline": {"limit": EVENTS_MAX, "types": KINDS},
            "state": nothing, "ephemeral": nothing, "account_data": nothing,
        },
        "presence": nothing, "account_data": nothing,
    })
}

/// The filter for `/messages`.
pub(super) fn gap_filter() -> Value {
    json!({"types": KINDS})
}

/// New events of a room that the bot is in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RoomUpdates {
    pub(super) room: String,
    pub(super) events: Vec<Value>,
    /// Set when earlier events are missing, from this mark backwards.
    pub(super) gap: Option<String>,
    /// Membership or encryption may have changed, or the room was upgraded.
    pub(super) has_changed: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Invitation {
    pub(super) room: String,
    pub(super) inviter: String,
}

pub(super) fn updates(answer: &Value, us: &str) -> Vec<RoomUpdates> {
    let rooms = answer["rooms"]["join"].as_object().into_iter().flatten();
    let updates = rooms.map(|(room, content)| room_updates(room, &content["timeline"], us));
    updates.collect()
}

fn room_updates(room: &str, timeline: &Value, us: &str) -> RoomUpdates {
    let events = timeline["events"].as_array().cloned().unwrap_or_default();
    let own = |event: &Value, membership: &str| {
        event["type"] == "m.room.member"
            && event["state_key"] == us
            && event["content"]["membership"] == membership
    };
    let joined = events.iter().rposition(|event| own(event, "join"));
    let invited = events.iter().rposition(|event| own(event, "invite"));
    let is_limited = timeline["limited"] == true;
    let changes = |event: &Value| CHANGES.iter().any(|kind| event["type"] == *kind);
    let has_changed = is_limited || events.iter().any(changes);
    let gap = timeline["prev_batch"].as_str().map(str::to_owned);
    RoomUpdates {
        room: room.to_owned(),
        // In a room just joined: messages since the invitation.
        gap: gap.filter(|_| is_limited && joined.is_none()),
        events: match joined {
            Some(joined) => events[invited.filter(|at| *at < joined).unwrap_or(joined)..].to_vec(),
            None => events,
        },
        has_changed,
    }
}

pub(super) fn invitations(answer: &Value, us: &str) -> Vec<Invitation> {
    let rooms = answer["rooms"]["invite"].as_object().into_iter().flatten();
    let invitations = rooms.filter_map(|(room, content)| {
        let events = content["invite_state"]["events"].as_array()?;
        let own = events.iter().find(|event| {
            event["type"] == "m.room.member"
                && event["state_key"] == us
                && event["content"]["membership"] == "invite"
        })?;
        Some(Invitation {
            room: room.clone(),
            inviter: own["sender"].as_str()?.to_owned(),
        })
    });
    invitations.collect()
}

/// Rooms that the bot has left or was removed from.
pub(super) fn left_rooms(answer: &Value) -> Vec<&str> {
    let rooms = answer["rooms"]["leave"].as_object().into_iter().flatten();
    rooms.map(|(room, _)| room.as_str()).collect()
}

/// Puts older events, which are sorted from newest to oldest, before newer ones, without
/// duplicates.
pub(super) fn put_before(older: Vec<Value>, events: &mut Vec<Value>) {
    let known: HashSet<String> = events
        .iter()
        .filter_map(|event| event["event_id"].as_str().map(str::to_owned))
        .collect();
    let is_new = |event: &Value| {
        let id = event["event_id"].as_str();
        id.is_some_and(|id| !known.contains(id))
    };
    let older = older.into_iter().rev().filter(is_new);
    *events = older.chain(events.drain(..)).collect();
}

/// Marks of syncs with their unfinished events. A mark may be stored when the events of its sync
/// and of all earlier ones are done.
#[derive(Default)]
pub(super) struct SyncMarks(VecDeque<(String, Vec<oneshot::Receiver<()>>)>);

impl SyncMarks {
    pub(super) fn add(&mut self, mark: String, under_way: Vec<oneshot::Receiver<()>>) {
        self.0.push_back((mark, under_way));
    }

    /// The number of unfinished events.
    pub(super) fn under_way(&self) -> usize {
        self.0.iter().map(|(_, under_way)| under_way.len()).sum()
    }

    /// The next mark that may be stored; waits for ever without one.
    pub(super) async fn next_done(&mut self) -> String {
        while let Some((_, under_way)) = self.0.front_mut() {
            if let Some(done) = under_way.last_mut() {
                // An error means that the work was aborted because the relay ends.
                let _ = done.await;
                under_way.pop();
            } else if let Some((mark, _)) = self.0.pop_front() {
                return mark;
            }
        }
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: &str = "@juno:a";

    fn member(whose: &str, membership: &str) -> Value {
        json!({"type": "m.room.member", "state_key": whose, "sender": "@ada:a",
               "content": {"membership": membership}, "event_id": format!("{whose}{membership}")})
    }

    fn said(id: &str) -> Value {
        json!({"type": "m.room.message", "event_id": id})
    }

    fn ids(updates: &RoomUpdates) -> Vec<&str> {
        let ids = updates.events.iter().map(|event| &event["event_id"]);
        ids.map(|id| id.as_str().unwrap()).collect()
    }

    #[test]
    fn what_was_written_before_the_invitation_is_left_out() {
        let timeline = |events: Value, limited: bool| json!({"events": events, "limited": limited, "prev_batch": "p"});
        let cases = [
            (
                json!([said("1"), said("2")]),
                false,
                vec!["1", "2"],
                None,
                false,
            ),
            (
                json!([said("1"), said("2")]),
                true,
                vec!["1", "2"],
                Some("p"),
                true,
            ),
            (
                json!([
                    said("1"),
                    member(US, "invite"),
                    said("2"),
                    member(US, "join"),
                    said("3")
                ]),
                true,
                vec!["@juno:ainvite", "2", "@juno:ajoin", "3"],
                None,
                true,
            ),
            (
                json!([said("1"), member(US, "join"), said("3")]),
                false,
                vec!["@juno:ajoin", "3"],
                None,
                true,
            ),
            (
                json!([said("1"), member("@ada:a", "join")]),
                false,
                vec!["1", "@ada:ajoin"],
                None,
                true,
            ),
        ];
        for (events, limited, expected, gap, has_changed) in cases {
            let updates = room_updates("!r", &timeline(events.clone(), limited), US);
            assert_eq!(ids(&updates), expected, "{events}");
            assert_eq!(updates.gap.as_deref(), gap, "{events}");
            assert_eq!(updates.has_changed, has_changed, "{events}");
        }
    }

    #[test]
    fn who_invites() {
        let state = |events: Value| json!({"rooms": {"invite": {"!r": {"invite_state": {"events": events}}}}});
        let found = invitations(
            &state(json!([member("@ada:a", "join"), member(US, "invite")])),
            US,
        );
        let expected = Invitation {
            room: "!r".to_owned(),
            inviter: "@ada:a".to_owned(),
        };
        assert_eq!(found, [expected]);
        assert!(invitations(&state(json!([member("@bo:a", "invite")])), US).is_empty());
    }

    #[test]
    fn a_gap_is_filled_in_order() {
        let mut events = vec![said("3"), said("4")];
        put_before(vec![said("3"), said("2"), said("1")], &mut events);
        let updates = RoomUpdates {
            room: String::new(),
            events,
            gap: None,
            has_changed: false,
        };
        assert_eq!(ids(&updates), ["1", "2", "3", "4"]);
    }

    #[tokio::test]
    async fn a_mark_waits_for_all_before_it() {
        let mut marks = SyncMarks::default();
        let (first, heard_first) = oneshot::channel();
        let (second, heard_second) = oneshot::channel();
        marks.add("a".to_owned(), vec![heard_first]);
        marks.add("b".to_owned(), vec![heard_second]);
        second.send(()).unwrap();
        assert_eq!(marks.under_way(), 2);
        assert!(futures_util::FutureExt::now_or_never(marks.next_done()).is_none());
        first.send(()).unwrap();
        assert_eq!(marks.next_done().await, "a");
        assert_eq!(marks.next_done().await, "b");
        assert!(futures_util::FutureExt::now_or_never(marks.next_done()).is_none());
    }
}
