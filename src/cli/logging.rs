//! Log output: stderr or a file, as text or JSON lines, one line per event. Library messages below
//! a warning are never logged, because they may contain transferred data and credentials.

mod lines;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use env_logger::{Builder, Logger};
use log::kv::{self, Key, Value, VisitSource};
use log::{Level, Log, Metadata, Record};

use super::printable::{is_printable, push_utf16};
use crate::clock::{Clock, Timestamp};
use crate::config::{self, LogFormat};
use crate::files;
use crate::setting::Setting;
use crate::store;
use lines::Lines;

/// Target of the service's own lines, including requests, and prefix of its modules' targets.
const OWN_TARGET: &str = "chatkeep";
/// Writable by the owner, readable by the group that may read logs.
const FILE_MODE: u32 = 0o640;
/// Initial buffer size; most lines are shorter.
const LINE_BYTES: usize = 256;

/// The log of this process.
pub(super) struct Logging(Arc<Setting<Output>>);

/// The current destination.
struct Output {
    /// Says which lines are written. It writes none itself: it would copy each twice.
    logger: Logger,
    format: LogFormat,
    lines: Lines,
    clock: Clock,
}

/// Starts logging. The error is a sentence for the operator.
pub(super) fn start(settings: &config::Log) -> Result<Logging, String> {
    let output = Arc::new(Setting::new(output(settings)?));
    log::set_max_level(output.get().logger.filter());
    // A second start in one process keeps the first logger.
    let _ = log::set_boxed_logger(Box::new(FilteredLog(output.clone())));
    std::panic::set_hook(Box::new(|panic| {
        // A panic's message may contain personal data, so only its place is logged.
        let place = panic
            .location()
            .map_or("nowhere".into(), ToString::to_string);
        log::error!("panicked at {place}");
        if std::thread::current().name() == Some("main") {
            log::logger().flush(); // the process may end now
        }
    }));
    Ok(Logging(output))
}

impl Logging {
    /// Reopens the file and applies these settings. After an error nothing has changed.
    pub(super) fn restart(&self, settings: &config::Log) -> Result<(), String> {
        let output = output(settings)?;
        let level = output.logger.filter();
        let before = self.0.get();
        self.0.set(output);
        log::set_max_level(level);
        before.lines.flush();
        Ok(())
    }
}

fn output(settings: &config::Log) -> Result<Output, String> {
    let lines = match &settings.file {
        Some(path) => Lines::into(open(path)?),
        None => Lines::into(std::io::stderr()),
    };
    let lines = lines.map_err(|e| format!("can't start the thread of the log: {e}"))?;
    Ok(Output {
        logger: Builder::new().parse_filters(&settings.level).build(),
        format: settings.format,
        lines,
        clock: Clock::system(),
    })
}

fn open(path: &Path) -> Result<File, String> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).mode(FILE_MODE);
    let opened = options.open(path).and_then(|file| {
        files::give_to_owner(&file, path, None)?;
        Ok(file)
    });
    opened.map_err(|e| {
        format!(
            "log.file: can't open {}: {e}; {}",
            path.display(),
            match e.kind() {
                ErrorKind::NotFound => "make its folder first, for the user that runs the service",
                _ => store::advice(&e),
            }
        )
    })
}

/// Passes on the lines for which `is_logged` is true.
struct FilteredLog(Arc<Setting<Output>>);

impl Log for FilteredLog {
    fn enabled(&self, metadata: &Metadata) -> bool {
        is_logged(metadata) && self.0.get().logger.enabled(metadata)
    }

    fn log(&self, record: &Record) {
        let output = self.0.get();
        if is_logged(record.metadata()) && output.logger.matches(record) {
            let now = output.clock.now();
            output.lines.put(match output.format {
                LogFormat::Json => json_line(record, now),
                LogFormat::Text => text_line(record, now),
            });
        }
    }

    fn flush(&self) {
        self.0.get().lines.flush();
    }
}

fn is_logged(metadata: &Metadata) -> bool {
    metadata.level() <= Level::Warn || is_own(metadata.target())
}

fn is_own(target: &str) -> bool {
    let rest = target.strip_prefix(OWN_TARGET);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn text_line(record: &Record, now: Timestamp) -> String {
    let mut line = String::with_capacity(LINE_BYTES);
    let _ = write!(line, "{now} {:5} ", record.level()); // writing to a string can't fail
    // Text from outside must not forge lines or control a terminal.
    push_printable(&mut line, &message(record), push_unicode);
    let _ = record.key_values().visit(&mut TextFields(&mut line));
    line.push('\n');
    line
}

fn json_line(record: &Record, now: Timestamp) -> String {
    let mut line = String::with_capacity(LINE_BYTES);
    let level = record.level();
    let _ = write!(line, r#"{{"time":"{now}","level":"{level}","target":"#);
    push_json(&mut line, record.target());
    let _ = record.key_values().visit(&mut JsonFields(&mut line));
    line.push_str(r#","message":"#);
    push_json(&mut line, &message(record));
    line.push_str("}\n");
    line
}

fn message<'a>(record: &Record<'a>) -> Cow<'a, str> {
    let args = record.args();
    args.as_str()
        .map_or_else(|| args.to_string().into(), Cow::from)
}

struct TextFields<'a>(&'a mut String);

impl<'kvs> VisitSource<'kvs> for TextFields<'_> {
    fn visit_pair(&mut self, key: Key<'kvs>, value: Value<'kvs>) -> Result<(), kv::Error> {
        self.0.push(' ');
        self.0.push_str(key.as_str());
        self.0.push('=');
        match (value.to_borrowed_str(), value.to_f64()) {
            (Some(text), _) => push_printable(self.0, text, push_unicode),
            (None, Some(_)) => {
                let _ = write!(self.0, "{value}"); // digits
            }
            (None, None) => push_printable(self.0, &value.to_string(), push_unicode),
        }
        Ok(())
    }
}

struct JsonFields<'a>(&'a mut String);

impl<'kvs> VisitSource<'kvs> for JsonFields<'_> {
    fn visit_pair(&mut self, key: Key<'kvs>, value: Value<'kvs>) -> Result<(), kv::Error> {
        let _ = write!(self.0, ",\"{key}\":");
        match (value.to_borrowed_str(), value.to_f64()) {
            (Some(text), _) => push_json(self.0, text),
            (None, Some(number)) if number.is_finite() => {
                let _ = write!(self.0, "{number}");
            }
            _ => push_json(self.0, &value.to_string()),
        }
        Ok(())
    }
}

/// Appends a JSON string, with escapes for everything that isn't printable.
fn push_json(line: &mut String, text: &str) {
    line.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\\']) {
        push_printable(line, &rest[..at], push_utf16);
        line.push('\\');
        line.push_str(&rest[at..=at]);
        rest = &rest[at + 1..];
    }
    push_printable(line, rest, push_utf16);
    line.push('"');
}

/// Appends a character as a Rust escape.
fn push_unicode(line: &mut String, c: char) {
    let _ = write!(line, "{}", c.escape_unicode());
}

fn push_printable(line: &mut String, text: &str, escape: fn(&mut String, char)) {
    let is_plain = |b: u8| b.is_ascii() && !b.is_ascii_control();
    if text.bytes().all(is_plain) || text.chars().all(is_printable) {
        line.push_str(text);
        return;
    }
    for c in text.chars() {
        if is_printable(c) {
            line.push(c);
        } else {
            escape(line, c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp(1_700_000_000_123);
    const NASTY: &str =
        "a\r\nb\u{1b}[2J\u{9b}\u{2028}\u{202e}\u{61c}\u{200b}\u{e0041}\"\\\t\u{0}é🦀";

    fn lines(message: &str, fields: &[(&str, Value)]) -> (String, String) {
        let args = format_args!("{message}");
        let record = Record::builder()
            .args(args)
            .level(Level::Info)
            .target("chatkeep::x")
            .key_values(&fields)
            .build();
        (text_line(&record, AT), json_line(&record, AT))
    }

    #[test]
    fn an_event_is_one_line_whatever_is_in_it() {
        let fields = [
            ("who", Value::from(NASTY)),
            ("status", Value::from(200_u16)),
            ("ms", Value::from(0.4)),
        ];
        let (text, json) = lines(NASTY, &fields);
        for line in [&text, &json] {
            let (line, end) = line.split_at(line.len() - 1);
            assert_eq!(end, "\n");
            assert!(line.chars().all(is_printable), "{line:?}");
        }
        assert!(text.starts_with("2023-11-14T22:13:20.123Z INFO  a\\u{d}"));
        assert!(text.ends_with(" status=200 ms=0.4\n"), "{text}");
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read["message"], NASTY);
        assert_eq!(read["who"], NASTY);
        assert_eq!((&read["status"], &read["ms"]), (&200.into(), &0.4.into()));
        assert_eq!(read["target"], "chatkeep::x");
        assert_eq!(read["level"], "INFO");
    }

    #[test]
    fn a_plain_line_stays_as_it_is() {
        let (text, json) = lines("hello", &[]);
        assert_eq!(text, "2023-11-14T22:13:20.123Z INFO  hello\n");
        let expected = r#"{"time":"2023-11-14T22:13:20.123Z","level":"INFO","target":"chatkeep::x","message":"hello"}"#;
        assert_eq!(json.trim_end(), expected);
    }

    #[test]
    fn libraries_log_warnings_only() {
        for (target, level, expected) in [
            ("chatkeep", Level::Trace, true),
            ("chatkeep::http::access", Level::Info, true),
            ("chatkeep_like", Level::Debug, false),
            ("ureq::run", Level::Debug, false),
            ("rustls", Level::Info, false),
            ("hyper", Level::Warn, true),
        ] {
            let metadata = Metadata::builder().target(target).level(level).build();
            assert_eq!(is_logged(&metadata), expected, "{target} {level}");
        }
    }
}
