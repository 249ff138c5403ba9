//! `chatkeep flags …` as somebody at a terminal meets it: without a service, beside one, and
//! with what can't be meant.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

const KEY: &str = "context.max_messages";
const PATIENCE: Duration = Duration::from_secs(20);

fn chatkeep(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(arguments).current_dir(folder).env_clear();
    command.env("CHATKEEP_SERVER_LISTEN", "127.0.0.1:0");
    command.env("USER", "ada");
    command
}

fn flags(folder: &Path, arguments: &[&str]) -> Output {
    let arguments = [&["flags"], arguments].concat();
    chatkeep(folder, &arguments).output().unwrap()
}

/// The output of a successful command.
fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = flags(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn flag_view(folder: &Path) -> Value {
    let list: Value = serde_json::from_str(&run(folder, &["list", "--json"])).unwrap();
    let mut flags = list["flags"].as_array().unwrap().iter();
    flags.find(|flag| flag["key"] == KEY).unwrap().clone()
}

/// `chatkeep serve` in the folder; it ends when dropped.
struct RunningService(Child);

impl RunningService {
    fn start(folder: &Path) -> Self {
        Self::with(folder, &[])
    }

    fn with(folder: &Path, settings: &[(&str, &str)]) -> Self {
        let mut command = chatkeep(folder, &["serve"]);
        command.envs(settings.iter().copied());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let serving = Self(command.spawn().unwrap());
        let started = Instant::now();
        let lock = folder.join("data/chatkeep.db.lock");
        while !std::fs::read_to_string(&lock).is_ok_and(|text| text.contains("http")) {
            assert!(started.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(20));
        }
        serving
    }
}

impl Drop for RunningService {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn sets_lists_and_unsets_with_and_without_a_service() {
    let folder = TempDir::new().unwrap();
    assert_eq!(flag_view(folder.path())["source"], "default");
    assert!(!folder.path().join("data/chatkeep.db").exists());

    let set = ["set", KEY, "7", "--expires", "2h"];
    let first = flags(folder.path(), &set);
    assert_eq!(first.status.code(), Some(0));
    let note = String::from_utf8(first.stderr).unwrap();
    assert!(note.contains("data/chatkeep.db did not exist"), "{note}");
    let repeated = flags(folder.path(), &set);
    assert!(repeated.stderr.is_empty(), "{repeated:?}");
    assert_eq!(
        String::from_utf8(repeated.stdout).unwrap(),
        "context.max_messages is 7 now.\n"
    );
    let alone = flag_view(folder.path());
    assert_eq!(
        (&alone["value"], &alone["source"]),
        (&7.into(), &"override".into())
    );
    assert_eq!(alone["set_by"], "command line, ada");
    assert!(alone["expires_at"].is_string(), "{alone}");

    let serving = RunningService::start(folder.path());
    assert_eq!(flag_view(folder.path()), alone, "the service says the same");
    let clamped = run(folder.path(), &["set", KEY, "99", "--by", "Bo"]);
    let expected = "context.max_messages is 20 now: 99 is outside its range, 3 to 20.\n";
    assert_eq!(clamped, expected);
    let beside = flag_view(folder.path());
    assert_eq!(
        (&beside["value"], &beside["set_by"]),
        (&20.into(), &"command line, Bo".into())
    );
    assert_eq!(beside["expires_at"], Value::Null);
    let list = run(folder.path(), &["list"]);
    let line = list.lines().find(|line| line.starts_with(KEY)).unwrap();
    assert!(
        line.contains("20  override (by command line, Bo, 2"),
        "{line}"
    );
    let column = |key: &str| {
        let line = list.lines().find(|line| line.starts_with(key)).unwrap();
        line.split_whitespace().nth(1).unwrap().to_owned()
    };
    assert_eq!(column("flag "), "in_use");
    assert_eq!(column(KEY), "yes");
    assert_eq!(column("superpower.user_created.enabled"), "no");
    run(folder.path(), &["unset", KEY]);
    assert_eq!(flag_view(folder.path())["source"], "default");
    drop(serving);
    assert_eq!(flag_view(folder.path())["source"], "default");
    let alone = run(folder.path(), &["set", KEY, "-1"]);
    let expected = "context.max_messages is 3 now: -1 is outside its range, 3 to 20.\n";
    assert_eq!(alone, expected);
}

#[test]
fn a_provider_without_a_key_leaves_every_flag_at_its_default() {
    let folder = TempDir::new().unwrap();
    let _serving = RunningService::with(
        folder.path(),
        &[("CHATKEEP_FLAGS_PROVIDER", "launchdarkly")],
    );
    assert_eq!(flag_view(folder.path())["source"], "default");
}

#[test]
fn refuses_what_can_not_be_meant() {
    let folder = TempDir::new().unwrap();
    let cases: [(&[&str], i32, &str); 12] = [
        (&["set", "context.max_message", "7"], 1, KEY),
        (&["unset", "Context.max_messages"], 1, KEY),
        (&["set", KEY, "7.0"], 1, "a whole number"),
        (&["set", "rate_limit.photos_per_hour", "-5"], 1, "0 or more"),
        (
            &["set", "free_tier.daily_message_limit", "-1"],
            1,
            "0 or more",
        ),
        (
            &["set", "rate_limit.strict_mode_multiplier", "-0.5"],
            1,
            "0 or more",
        ),
        (&["set", KEY, "seven"], 1, "a whole number"),
        (&["set", KEY, "\"7\""], 1, "a whole number"),
        (&["set", "rate_limit.enabled", "1"], 1, "true or false"),
        (&["set", KEY, "7", "--expires", "soon"], 1, "30m"),
        (
            &["set", KEY, "7", "--expires", "2020-01-01T00:00:00Z"],
            1,
            "in the future",
        ),
        (&["set", KEY], 2, "VALUE"),
    ];
    for (arguments, code, part) in cases {
        let output = flags(folder.path(), arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(part), "{arguments:?}: {errors}");
    }
    assert!(!folder.path().join("data/chatkeep.db").exists());
}

#[test]
fn a_provider_that_hangs_does_not_keep_the_service_from_ending() {
    let folder = TempDir::new().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let settings = [("FLAGS_SDK_KEY", "key"), ("CHATKEEP_FLAGS_BASE_URL", &url)];
    let mut serving = RunningService::with(folder.path(), &settings);
    let _called = silent.accept().unwrap();
    let started = Instant::now();
    let pid = serving.0.id().to_string();
    assert!(Command::new("kill").arg(pid).status().unwrap().success());
    assert!(serving.0.wait().unwrap().success());
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn a_name_is_checked_alike_with_and_without_a_service() {
    let folder = TempDir::new().unwrap();
    run(folder.path(), &["set", KEY, "7", "--by", &"n".repeat(50)]);
    let (long, wrong) = ("n".repeat(51), ["", " ", "a\nb"]);
    let refuse_all = || {
        for name in wrong.iter().copied().chain([long.as_str()]) {
            let output = flags(folder.path(), &["set", KEY, "8", "--by", name]);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{name:?}: {errors}");
            assert!(errors.contains("1 to 50 characters"), "{errors}");
        }
        assert_eq!(flag_view(folder.path())["value"], 7);
    };
    refuse_all();
    let _serving = RunningService::start(folder.path());
    refuse_all();
    run(folder.path(), &["set", KEY, "9", "--by", &"n".repeat(50)]);
}

#[test]
fn the_list_says_what_each_flag_does() {
    let folder = TempDir::new().unwrap();
    let described = flag_view(folder.path())["description"].clone();
    let list = run(folder.path(), &["list"]);
    let mut lines = list.lines();
    lines.find(|line| line.starts_with(KEY)).unwrap();
    let next = lines.next().unwrap();
    assert_eq!(next.strip_prefix("    "), described.as_str(), "{next}");
}

#[test]
fn an_override_that_is_not_there_is_not_removed() {
    let folder = TempDir::new().unwrap();
    let nothing = format!("{KEY} has no override.\n");
    assert_eq!(run(folder.path(), &["unset", KEY]), nothing);
    assert!(!folder.path().join("data/chatkeep.db").exists());
    run(folder.path(), &["set", KEY, "7"]);
    let removed = format!("The override of {KEY} is removed.\n");
    assert_eq!(run(folder.path(), &["unset", KEY]), removed);
    assert_eq!(run(folder.path(), &["unset", KEY]), nothing);
    let _serving = RunningService::start(folder.path());
    assert_eq!(run(folder.path(), &["unset", KEY]), nothing);
}

/// A user's name that is too long or has control characters is shortened, beside a service and
/// without one.
#[test]
fn any_users_name_can_change_a_flag() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("q\n{}", "x".repeat(60));
    let set = |value: &str| {
        let mut command = chatkeep(folder.path(), &["flags", "set", KEY, value]);
        let output = command.env("USER", &name).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{errors}");
        flag_view(folder.path())["set_by"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let expected = format!("command line, q{}", "x".repeat(49));
    assert_eq!(set("5"), expected);
    let _service = RunningService::start(folder.path());
    assert_eq!(set("6"), expected);
}
