//! What is extracted of each mail in tests/fixtures/mail, and that hostile mails end quickly.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{ParsedMail, extract};
use crate::model::calendar::EventClock;

const OWN: &str = "ada@example.com";
/// Each takes a second at most, on a busy machine some; a bomb would take hours.
const HOSTILE_MAX: Duration = Duration::from_secs(60);

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mail")
}

/// Blocks of `expected.txt`: `== name`, then what is extracted, field by field.
fn expected() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(folder().join("expected.txt")).expect("expected.txt");
    let blocks = text.split("== ").skip(1);
    let named = blocks.map(|block| block.split_once('\n').expect("a name"));
    named
        .map(|(name, body)| (name.to_owned(), body.trim_end().to_owned()))
        .collect()
}

fn shown(mail: Option<ParsedMail>) -> String {
    let Some(mail) = mail else {
        return "no mail".to_owned();
    };
    let extract = &mail.extract;
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            writeln!(text, "{name}: {value}").expect("a string");
        }
    };
    line(
        "from",
        format!("{} <{}>", extract.from_name, extract.from_email).trim_start(),
    );
    line("subject", &extract.subject);
    let flags = [
        (extract.is_list, "list"),
        (extract.is_bulk, "bulk"),
        (extract.is_automatic, "automatic"),
        (!extract.is_to_self, "not to self"),
        (extract.answers_own, "answers own"),
        (extract.sent_at.is_none(), "no date"),
    ];
    let flags: Vec<_> = flags
        .iter()
        .filter(|(is, _)| *is)
        .map(|(_, name)| *name)
        .collect();
    line("is", &flags.join(", "));
    line("replies to", &extract.replies_to.join(", "));
    line("text", &extract.text.replace('\n', " / "));
    for calendar in &mail.calendars {
        let first = calendar.text.lines().next().unwrap_or_default();
        line("calendar", &format!("{:?} {first}", calendar.method));
    }
    for fact in &mail.facts {
        let clock = fact.time.map(|time| match time.clock {
            EventClock::Zoned => "zoned",
            EventClock::Floating => "floating",
            EventClock::AllDay => "all day",
        });
        let kind = format!("{:?} {:?} [{}]", fact.kind, fact.status, fact.key);
        line("fact", &format!("{kind} {}", clock.unwrap_or("no time")));
        let fields = fact.data.as_object().expect("an object");
        for (name, value) in fields {
            let value = match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            line(&format!("  {name}"), &value);
        }
    }
    text.trim_end().to_owned()
}

#[test]
fn each_mail_gives_what_it_states() {
    let expected = expected();
    let mut names: Vec<String> = Vec::new();
    let mut wrong = String::new();
    for entry in std::fs::read_dir(folder()).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "eml") {
            continue;
        }
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let mail = std::fs::read(&path).expect("a file");
        let found = shown(extract(&mail, OWN));
        if expected.get(&name) != Some(&found) {
            write!(wrong, "== {name}\n{found}\n\n").expect("a string");
        }
        names.push(name);
    }
    assert!(wrong.is_empty(), "not as in expected.txt:\n{wrong}");
    names.sort();
    assert_eq!(names, expected.into_keys().collect::<Vec<_>>());
    assert!(names.len() >= 60, "mails are missing");
}

fn html_mail(html: &str) -> Vec<u8> {
    let head = "From: m@example.com\nDate: Fri, 20 Nov 2026 10:00:00 +0000\nContent-Type: text/html; charset=utf-8\n\n";
    format!("{head}{html}").into_bytes()
}

fn nested(kind: &str, levels: usize) -> Vec<u8> {
    let mut mail = "From: m@example.com\n".to_owned();
    for level in 0..levels {
        match kind {
            "message" => mail.push_str("Content-Type: message/rfc822\n\n"),
            "folded" => mail.push_str("content-TYPE:\n message/rfc822\n\n"),
            kind => {
                let head =
                    format!("Content-Type: multipart/{kind}; boundary=b{level}\n\n--b{level}\n");
                mail.push_str(&head);
            }
        }
    }
    mail.push_str("Content-Type: text/plain\n\nThe core.\n");
    mail.into_bytes()
}

const MIB: usize = 1024 * 1024;

fn many(text: &str, bytes: usize) -> String {
    text.repeat(bytes / text.len())
}

type Case = (&'static str, Vec<u8>);

#[rustfmt::skip] // a mail a line
fn hostile_html() -> Vec<Case> {
    let attributes: String = (0..150_000).map(|n| format!(" a{n}")).collect();
    let formats: String = (0..20_000).map(|n| format!("<b c{n}>")).collect();
    let property = "<div itemscope itemtype='http://schema.org/Order'><span itemprop='orderNumber'>";
    vec![
        ("divs", html_mail(&many("<div>", MIB))),
        ("hidden divs", html_mail(&many("<div hidden>", MIB))),
        ("formats", html_mail(&(formats + &many("</p><p>", MIB)))),
        ("attributes", html_mail(&format!("<p {attributes}>text</p>"))),
        ("an open tag", html_mail(&("<p ".to_owned() + &many("a=b ", MIB)))),
        ("an open quote", html_mail(&("<p a=\"".to_owned() + &many("<p>", MIB)))),
        ("open brackets", html_mail(&many("<", MIB))),
        ("comments", html_mail(&many("<!--", MIB))),
        ("entities", html_mail(&many("&amp;&#x41;&", MIB))),
        ("end tags", html_mail(&(many("<i>", MIB / 4) + &many("</b>", MIB / 4)))),
        ("scripts", html_mail(&many("<script type='application/ld+json'>{\"@type\":\"Order\",\"orderNumber\":1}</script>", MIB))),
        ("a deep script", html_mail(&format!("<script type='application/ld+json'>{}</script>", many("[", MIB / 4)))),
        ("a wide script", html_mail(&format!("<script type='application/ld+json'>[{}1]</script>", many("{\"@id\":\"a\",\"b\":[]},", MIB / 4)))),
        ("references in a circle", html_mail("<script type='application/ld+json'>[{\"@type\":\"Order\",\"@id\":\"a\",\"about\":{\"@id\":\"a\"},\"orderNumber\":{\"@id\":\"a\"}}]</script>")),
        ("items", html_mail(&many(property, MIB))),
        ("links", html_mail(&many("<a href='https://example.com/1Z999AA10123456784'>", MIB))),
    ]
}

#[rustfmt::skip] // a mail a line
fn hostile_mime() -> Vec<Case> {
    vec![
        ("mails in mails", nested("message", 40_000)),
        ("folded mails in mails", nested("folded", 40_000)),
        ("parts in parts", nested("mixed", 20_000)),
        ("digests in digests", nested("digest", 20_000)),
        ("headers", [many("A: b\n", 4 * MIB).into_bytes(), b"\n\ntext".to_vec()].concat()),
        ("a long header", format!("Subject: {}\n\ntext", many("=?utf-8?Q?=C3=BC?= ", MIB)).into_bytes()),
        ("references", format!("References: {}\n\ntext", many("<a@b> ", MIB)).into_bytes()),
        ("addresses", format!("To: {}a@b\n\ntext", many("a@b, ", MIB)).into_bytes()),
        ("groups", format!("To: {}\n\ntext", many("a:", MIB)).into_bytes()),
        ("comments in addresses", format!("To: {}\n\ntext", many("(", MIB)).into_bytes()),
        ("phrases", [b"From: a@b\nDate: Fri, 20 Nov 2026 10:00:00 +0000\n\n".to_vec(), many("free cancellation tracking number: ", MIB).into_bytes()].concat()),
        ("numbers", [b"From: a@b\nDate: Fri, 20 Nov 2026 10:00:00 +0000\n\n tracking number ".to_vec(), many("12 ", MIB).into_bytes()].concat()),
        ("bytes", (0..MIB).map(|n| (n * 31 % 251) as u8).collect()),
        ("zeros", vec![0; MIB]),
        ("boundaries", format!("Content-Type: multipart/mixed; boundary=b\n\n{}", many("--b\n\n", MIB)).into_bytes()),
    ]
}

#[test]
fn hostile_mails_end_quickly() {
    for (name, mail) in hostile_html().into_iter().chain(hostile_mime()) {
        let started = Instant::now();
        let read = extract(&mail, OWN);
        let took = started.elapsed();
        assert!(took < HOSTILE_MAX, "{name} took {took:?}");
        if let Some(read) = read {
            assert!(read.facts.len() <= super::FACTS_MAX, "{name}");
            assert!(
                read.extract.text.chars().count() <= super::TEXT_CHARS_MAX,
                "{name}"
            );
            assert!(read.extract.subject.chars().count() <= 500, "{name}");
        }
        println!("{name}: {took:?}");
    }
}
