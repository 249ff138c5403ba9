//! The outbox alone: what is due to a relay, in which order, and what ends it.

use super::*;
use crate::store::UserId;

const NOW: Timestamp = Timestamp(0);
const TIMING: Timing = Timing {
    ack_timeout_ms: 30_000,
    max_in_flight: 2,
    per_minute: 1_000,
};

fn outbox(rooms: &[i64]) -> Outbox {
    let commands: Vec<(i64, Option<i64>)> = rooms.iter().map(|room| (*room, None)).collect();
    outbox_of(TIMING, &commands)
}

/// Rooms, and creators of the apps that send.
fn outbox_of(timing: Timing, commands: &[(i64, Option<i64>)]) -> Outbox {
    let mut outbox = Outbox::new(timing, Vec::new(), Monotonic(0));
    for (seq, (room, creator)) in (1..).zip(commands) {
        outbox.insert(UnfinishedCommand {
            seq,
            command_id: seq.to_string().into(),
            room: RoomId(*room),
            state: CommandState::Queued,
            attempts: 0,
            resends: 0,
            refusals: 0,
            send_order: 0,
            expires_at: Timestamp(1_000_000_000),
            app_creator: creator.map(UserId),
        });
    }
    outbox
}

/// The seqs that go out over the socket at a time.
fn sent(outbox: &mut Outbox, at: u64) -> Vec<u64> {
    let steps = outbox.plan(NOW, Monotonic(at), || 0.5);
    for step in &steps {
        outbox.note_handed_out(*step, Monotonic(at));
    }
    steps.iter().map(OutboxStep::seq).collect()
}

#[test]
fn the_backoff_doubles_to_a_minute() {
    let cases = [
        (1, 1_000),
        (2, 2_000),
        (4, 8_000),
        (7, 60_000),
        (90, 60_000),
    ];
    for (attempts, middle) in cases {
        assert_eq!(
            backoff_ms(attempts, BACKOFF_MAX_MS, 0.0),
            middle * 8 / 10,
            "{attempts}"
        );
        assert_eq!(
            backoff_ms(attempts, BACKOFF_MAX_MS, 0.5),
            middle,
            "{attempts}"
        );
        assert_eq!(
            backoff_ms(attempts, BACKOFF_MAX_MS, 1.0),
            middle * 12 / 10,
            "{attempts}"
        );
    }
}

#[test]
fn one_of_a_chat_and_so_many_in_all() {
    let mut outbox = outbox(&[1, 1, 2, 3]);
    assert_eq!(sent(&mut outbox, 0), [0; 0], "no socket");
    outbox.connected();
    assert_eq!(sent(&mut outbox, 0), [1, 3]);
    outbox.remove(3);
    assert_eq!(sent(&mut outbox, 0), [4]);
    outbox.remove(1);
    assert_eq!(sent(&mut outbox, 0), [2]);
    assert_eq!(outbox.in_flight(), 2);
}

#[test]
fn a_time_out_frees_the_place_until_the_backoff_is_over() {
    let mut outbox = outbox(&[1, 2, 3]);
    outbox.connected();
    assert_eq!(sent(&mut outbox, 0), [1, 2]);
    assert_eq!(outbox.next_timer(), Some(Monotonic(30_000)));
    assert_eq!(sent(&mut outbox, 30_000), [3]);
    assert_eq!(outbox.next_timer(), Some(Monotonic(31_000)));
    assert_eq!(sent(&mut outbox, 31_000), [1]);
    outbox.remove(1);
    outbox.remove(3);
    assert_eq!(sent(&mut outbox, 31_000), [2]);
    outbox.remove(2);
    assert_eq!((outbox.in_flight(), outbox.next_timer()), (0, None));
}

#[test]
fn what_could_not_be_committed_is_tried_again() {
    let mut outbox = outbox(&[1]);
    outbox.connected();
    assert_eq!(outbox.plan(NOW, Monotonic(0), || 0.5).len(), 1);
    assert_eq!(outbox.plan(NOW, Monotonic(0), || 0.5), []);
    outbox.commit_failed(1, Monotonic(0));
    assert_eq!(sent(&mut outbox, 999), [0; 0]);
    assert_eq!(sent(&mut outbox, 1_000), [1]);
}

/// A creator's backlog goes out after reminders and replies, and in turn with other creators'.
#[test]
fn apps_hold_up_nobody_else() {
    let timing = Timing {
        max_in_flight: 100,
        per_minute: 4,
        ..TIMING
    };
    let (ada, bo) = (Some(7), Some(8));
    // Rooms 1 to 4 get Ada's, 5 Bo's and then a reminder, 6 a reminder.
    let commands = [
        (1, ada),
        (2, ada),
        (3, ada),
        (4, ada),
        (5, bo),
        (5, None),
        (6, None),
    ];
    let mut by_socket = outbox_of(timing, &commands);
    by_socket.connected();
    assert_eq!(sent(&mut by_socket, 0), [7, 1, 5, 2]);
    for seq in [7, 1, 5, 2] {
        by_socket.remove(seq);
    }
    assert_eq!(sent(&mut by_socket, 61_000), [6, 3, 4]);

    let mut by_poll = outbox_of(timing, &commands);
    let polled = |outbox: &mut Outbox, limit, at| {
        let (steps, _) = outbox.poll_plan(limit, NOW, Monotonic(at));
        let seqs: Vec<u64> = steps.iter().map(OutboxStep::seq).collect();
        for step in steps {
            outbox.note_handed_out(step, Monotonic(at));
            outbox.remove(step.seq());
        }
        seqs
    };
    assert_eq!(polled(&mut by_poll, 2, 0), [1, 5]);
    assert_eq!(polled(&mut by_poll, 2, 1), [6, 7]);
    assert_eq!(polled(&mut by_poll, 9, 61_001), [2, 3, 4]);
}
