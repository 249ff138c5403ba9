//! The outbox alone: what is due to a relay, in which order, and what ends it.

use super::*;

const NOW: Timestamp = Timestamp(0);
const TIMING: Timing = Timing {
    ack_timeout_ms: 30_000,
    max_in_flight: 2,
    per_minute: 1_000,
};

fn outbox(rooms: &[i64]) -> Outbox {
    let mut outbox = Outbox::new(TIMING, Vec::new(), Monotonic(0));
    for (seq, room) in (1..).zip(rooms) {
        outbox.insert(Unfinished {
            seq,
            command_id: seq.to_string().into(),
            room: RoomId(*room),
            state: CommandState::Queued,
            attempts: 0,
            resends: 0,
            refusals: 0,
            handed: 0,
            expires_at: Timestamp(1_000_000_000),
        });
    }
    outbox
}

/// The seqs that go out over the socket at a time.
fn sent(outbox: &mut Outbox, at: u64) -> Vec<u64> {
    let steps = outbox.plan(NOW, Monotonic(at), || 0.5);
    for step in &steps {
        outbox.handed(*step, Monotonic(at));
    }
    steps.iter().map(Step::seq).collect()
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
    outbox.release(1, Monotonic(0));
    assert_eq!(sent(&mut outbox, 999), [0; 0]);
    assert_eq!(sent(&mut outbox, 1_000), [1]);
}
