//! Frames that are not as they should be, and floods.

use serde_json::json;

use crate::commands::{chat_with, until_states};
use crate::raw::{BINARY, CLOSE, CONTINUED, FIN, PING, RawSocket, TEXT, frame};
use crate::sockets::ends_with;
use crate::support::Service;

const KIB: usize = 1024;

#[rustfmt::skip] // a table: one case, one line
fn broken() -> Vec<(&'static str, Vec<u8>, u16)> {
    let huge = [&[FIN | TEXT, 0x80 | 127][..], &(1u64 << 62).to_be_bytes(), &[0; 4]].concat();
    let parts = [(TEXT, 40 * KIB), (CONTINUED, 24 * KIB), (CONTINUED, 1)];
    let parts = parts.map(|(first, length)| frame(first, &vec![b'a'; length]));
    vec![
        ("64 KiB and one byte",       frame(FIN | TEXT, &[b'a'; 64 * KIB + 1]), 1009),
        ("10 MB",                     frame(FIN | TEXT, &vec![b'a'; 10_000_000]), 1009),
        ("2^62 bytes",                huge, 1009),
        ("fragments beyond 64 KiB",   parts.concat(), 1009),
        ("text that is not UTF-8",    frame(FIN | TEXT, b"\"\xff\""), 1007),
        ("a surrogate",               frame(FIN | TEXT, b"\xed\xa0\x80"), 1007),
        ("binary",                    frame(FIN | BINARY, b"{}"), 1003),
        ("RSV1",                      frame(FIN | 0x40 | TEXT, b"{}"), 1002),
        ("opcode 3",                  frame(FIN | 0x3, b"{}"), 1002),
        ("opcode 11",                 frame(FIN | 0xb, b"{}"), 1002),
        ("unmasked",                  vec![FIN | TEXT, 2, b'{', b'}'], 1002),
        ("a fragmented ping",         frame(PING, b""), 1002),
        ("a ping of 126 bytes",       frame(FIN | PING, &[0; 126]), 1002),
        ("a continuation of nothing", frame(FIN | CONTINUED, b"{}"), 1002),
        ("text within text",          [frame(TEXT, b"{"), frame(FIN | TEXT, b"}")].concat(), 1002),
    ]
}

#[tokio::test]
async fn broken_frames_close_with_their_code() {
    let service = Service::start().await;
    for (index, (what, bytes, code)) in broken().into_iter().enumerate() {
        println!("{what}");
        let socket = RawSocket::open(&service, &format!("agent-{index}")).await;
        socket.written_ends_with(bytes, code).await;
    }
}

#[tokio::test]
async fn exactly_64_kib_may_come_in_fragments() {
    let service = Service::start().await;
    let mut socket = RawSocket::open(&service, "a").await;
    let padding = " ".repeat(64 * KIB - r#"{"type":"ping"}"#.len());
    let text = format!(r#"{{"type":"ping"{padding}}}"#);
    let (head, tail) = text.as_bytes().split_at(40 * KIB);
    socket.frame(TEXT, head).await;
    socket.frame(FIN | PING, b"between").await;
    socket.frame(FIN | CONTINUED, tail).await;
    assert_eq!(socket.next().await, Some((0x8a, b"between".to_vec())));
    assert_eq!(socket.next_text().await, r#"{"type":"pong"}"#);
}

#[tokio::test]
async fn a_close_is_answered() {
    let service = Service::start().await;
    let cases: [(&[u8], [u8; 2]); 3] = [
        (&[0x03, 0xe8], [0x03, 0xe8]), // 1000
        (&[0x10, 0x68], [0x10, 0x68]), // 4200
        (&[0x03, 0xed], [0x03, 0xea]), // 1005 may not be sent: 1002
    ];
    for (index, (sent, answered)) in cases.into_iter().enumerate() {
        let mut socket = RawSocket::open(&service, &format!("agent-{index}")).await;
        socket.frame(FIN | CLOSE, sent).await;
        let (first, payload) = socket.next().await.unwrap();
        assert_eq!((first, &payload[..2]), (0x88, &answered[..]));
        assert_eq!(socket.next().await, None);
    }
}

#[tokio::test]
async fn floods_close_with_4429() {
    let service = Service::start().await;
    let mut endless = frame(TEXT, b"");
    endless.extend(frame(CONTINUED, b"").repeat(100_000));
    let floods = [
        ("empty continuations", endless),
        ("pings", frame(FIN | PING, b"").repeat(100_000)),
        ("pongs", frame(FIN | 0xa, b"").repeat(1_000)),
        (
            "frames",
            frame(FIN | TEXT, br#"{"type":"ping"}"#).repeat(1_000),
        ),
        (
            "acks of nothing",
            frame(
                FIN | TEXT,
                br#"{"type":"command_ack","data":{"command_id":"x","success":true}}"#,
            )
            .repeat(1_000),
        ),
    ];
    for (index, (what, bytes)) in floods.into_iter().enumerate() {
        println!("{what}");
        let socket = RawSocket::open(&service, &format!("agent-{index}")).await;
        socket.written_ends_with(bytes, 4429).await;
    }
}

#[tokio::test]
async fn acks_of_commands_under_way_are_no_flood() {
    let service = Service::with(&[("CHATKEEP_EDGE_COMMANDS_PER_MINUTE", "1000")]).await;
    let mut relay = service.relay("a").await;
    let chats: Vec<String> = (0..60).map(|number| format!("chat-{number}")).collect();
    for chat in &chats {
        chat_with(&service, "a", chat, &["one"]).await;
    }
    let mut commands = Vec::new();
    for _ in &chats {
        commands.push(relay.command().await);
    }
    for status in ["received", "executing", "completed"] {
        for command in &commands {
            relay.ack(command, status).await;
        }
    }
    relay.settle().await;
    let ended: Vec<(u64, &str)> = (1..=60).map(|seq| (seq, "completed")).collect();
    until_states(&service, &ended).await;
}

#[tokio::test]
async fn the_fifth_malformed_frame_closes() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    for _ in 0..6 {
        // Answered, and not counted.
        relay
            .ack(&json!({"command_id": "nothing"}), "completed")
            .await;
        assert_eq!(relay.next().await["data"]["code"], "unknown_command");
    }
    let malformed = [
        (json!(["ping"]), "malformed"),
        (json!({"type": 1}), "malformed"),
        (
            json!({"type": "command_ack", "data": {"status": "completed"}}),
            "malformed",
        ),
        (json!({"type": "dance"}), "unknown_type"),
        (
            json!({"type": "event", "data": {"event_id": "e"}}),
            "malformed",
        ),
    ];
    for (frame, code) in malformed {
        relay.say(&frame).await;
        let error = relay.next().await;
        assert_eq!(
            (&error["type"], &error["data"]["code"]),
            (&json!("error"), &json!(code)),
            "{frame}"
        );
    }
    ends_with(&mut relay, 4400).await;
}
