//! Where log lines go: stderr, as text or as JSON lines.

use std::io::Write;

use env_logger::{Builder, Env, Target};
use log::LevelFilter;
use serde_json::json;

use crate::clock::Clock;

/// `CHATKEEP_LOG` filters as env_logger does ("debug", "chatkeep=debug,warn");
/// `CHATKEEP_LOG_FORMAT=json` writes one JSON object a line.
pub(super) fn start(default: LevelFilter) {
    let mut builder = Builder::from_env(Env::new().filter("CHATKEEP_LOG"));
    if std::env::var_os("CHATKEEP_LOG").is_none() {
        builder.filter_level(default);
    }
    builder.target(Target::Stderr);
    let as_json = std::env::var("CHATKEEP_LOG_FORMAT").is_ok_and(|format| format == "json");
    let clock = Clock::system();
    builder.format(move |out, record| {
        let text = record.args().to_string();
        if as_json {
            let line = json!({
                "time": clock.now(),
                "level": record.level().as_str(),
                "target": record.target(),
                "message": text,
            });
            return writeln!(out, "{line}");
        }
        // What comes from outside must not forge lines or steer a terminal.
        let safe: String = text.chars().flat_map(printable).collect();
        writeln!(out, "{} {:5} {safe}", clock.now(), record.level())
    });
    // A second start in one process keeps the first.
    let _ = builder.try_init();
}

fn printable(c: char) -> impl Iterator<Item = char> {
    let escaped = c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let plain = (!escaped).then_some(c);
    let escape = escaped.then(|| c.escape_unicode());
    plain.into_iter().chain(escape.into_iter().flatten())
}
