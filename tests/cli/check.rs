//! `chatkeep check` through the real binary: everything that is wrong, at once, and nothing made.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const SIX_MISTAKES: &str = r#"
[server]
listen = 8080                    # no text
environment = "production"
[storage]
path = "notes.txt"               # no database
readers = 1000                   # too many
[edge]
hartbeat_s = 10                  # nobody knows it
secret_file = "nowhere/secret"   # can't be read
[identity]
jwks_url = "id.example.com/keys" # no URL
[billing]
provider = "stripe"              # wants keys and prices
publishable_key = "pk_1"
price_monthly = "price_1"
price_annual = "price_2"
webhook_secret = "whsec_0123456789abcdef0123456789abcdef"
[admin]
token = "0123456789abcdef0123456789abcdef"
"#;

fn chatkeep(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(arguments).current_dir(folder).env_clear();
    command.env("CHATKEEP_SERVER_LISTEN", "127.0.0.1:0");
    command
}

/// For root the modes of files do not count.
const NOBODY: u32 = 65534;

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// A command run by a user for whom the modes of files count.
fn as_nobody(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = chatkeep(folder, arguments);
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// A folder of that user's.
fn nobodys_folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    if is_root() {
        chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    folder
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// What is said on standard error by a command that refuses.
fn refused(mut command: Command) -> Vec<String> {
    let output = command.output().unwrap();
    let printed = lines(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed:#?}");
    printed
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    chatkeep(folder, arguments).output().unwrap()
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<String> = entries
        .map(name)
        .map(|n| n.into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn every_mistake_is_named_at_once_and_what_to_do() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("service.toml"), SIX_MISTAKES).unwrap();
    set_mode(&folder.path().join("service.toml"), 0o644);
    std::fs::write(folder.path().join("notes.txt"), "milk, eggs").unwrap();
    let expected = [
        ("service.toml: ", "chmod o-rwx service.toml"),
        ("server.listen: ", "must be a text in quotes"),
        ("storage.readers: ", "from 1 to 64"),
        ("edge.secret: ", "nowhere/secret"),
        ("identity.jwks_url: ", "https://"),
        ("edge.hartbeat_s: ", "the nearest is edge.heartbeat_s"),
        ("billing.secret_key: ", "is required"),
        ("storage.path: ", "not a SQLite database"),
    ];
    let before = names(folder.path());
    for place in [
        &["check"][..],
        &["check", "--config", "service.toml"],
        &["--config", "service.toml", "check"],
    ] {
        let mut command = chatkeep(folder.path(), place);
        command.env_remove("CHATKEEP_SERVER_LISTEN");
        let checked = command.output().unwrap();
        let report = lines(&checked.stderr);
        assert_eq!(checked.status.code(), Some(1), "{report:#?}");
        assert_eq!(checked.stdout, b"");
        assert_eq!(report.len(), expected.len(), "{report:#?}");
        for (key, part) in expected {
            let named = |line: &&String| line.starts_with(&format!("chatkeep: {key}"));
            let line = report.iter().find(named);
            assert!(
                line.is_some_and(|l| l.contains(part)),
                "{key}{part}: {report:#?}"
            );
        }
        assert_eq!(names(folder.path()), before);
    }

    let mut as_json = chatkeep(folder.path(), &["check", "--json"]);
    let as_json = as_json
        .env_remove("CHATKEEP_SERVER_LISTEN")
        .output()
        .unwrap();
    assert_eq!(as_json.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&as_json.stdout).unwrap();
    let problems = report["problems"].as_array().unwrap();
    let as_lines: Vec<String> = problems
        .iter()
        .map(|p| {
            let text = |name| p[name].as_str().unwrap().to_owned();
            format!("chatkeep: {}: {}", text("key"), text("message"))
        })
        .collect();
    assert_eq!(as_lines, lines(&as_json.stderr));
}

/// All of them, by name, and never their values.
#[test]
fn weak_secrets_are_named_in_production() {
    let folder = TempDir::new().unwrap();
    let checked = chatkeep(folder.path(), &["check"])
        .env("ENVIRONMENT", "production")
        .env("EDGE_SECRET", "Weak1")
        .env("CHATKEEP_EDGE_PREVIOUS_SECRET", "Weak2")
        .env("RELAY_WEBHOOK_SECRET", "Weak3")
        .env("CHATKEEP_ADMIN_TOKEN", "Weak4")
        .env("CHATKEEP_IDENTITY_HS256_SECRET", "Weak5")
        .env("CHATKEEP_BILLING_PROVIDER", "stripe")
        .env("CHATKEEP_BILLING_SECRET_KEY", "Weak6")
        .env("CHATKEEP_BILLING_WEBHOOK_SECRET", "Weak7")
        .env("CHATKEEP_BILLING_PUBLISHABLE_KEY", "pk_live_1")
        .env("CHATKEEP_BILLING_PRICE_MONTHLY", "price_1")
        .env("CHATKEEP_BILLING_PRICE_ANNUAL", "price_2")
        .output()
        .unwrap();
    let printed = lines(&checked.stderr);
    assert_eq!(checked.status.code(), Some(1), "{printed:#?}");
    let mut named: Vec<&str> = printed
        .iter()
        .map(|line| line.split(": ").nth(1).unwrap())
        .collect();
    named.sort_unstable();
    let expected = [
        "admin.token", "billing.secret_key", "billing.webhook_secret", "edge.legacy_secret",
        "edge.previous_secret", "edge.secret", "identity.hs256_secret",
    ];
    assert_eq!(named, expected, "{printed:#?}");
    assert!(!printed.concat().contains("Weak"), "{printed:#?}");
}

#[test]
fn mended_it_says_so() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    assert!(run(path, &["init"]).status.success());
    let checked = run(path, &["check", "--json"]);
    let report: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!(checked.status.code(), Some(0), "{report}");
    assert_eq!(report["file"], "service.toml");
    assert_eq!(report["environment"], "production");
    assert_eq!(report["problems"], json!([]));
    let warned = report["warnings"].to_string();
    assert!(warned.contains("server.public_url"), "{warned}");
    assert_eq!(names(path), ["service.toml"]);
}

/// What a trial in the folder has sealed stays readable.
#[test]
fn init_keeps_the_sealing_key_of_a_trial() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("data")).unwrap();
    let key = path.join("data/sealing.key");
    fs::write(&key, "5".repeat(64)).unwrap();
    fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
    let made = run(path, &["init"]);
    assert!(made.status.success(), "{made:?}");
    let said = String::from_utf8(made.stdout).unwrap();
    assert!(said.contains("data/sealing.key"), "{said}");
    let file = fs::read_to_string(path.join("service.toml")).unwrap();
    assert!(file.contains("\nsealing_key_file = \"/"), "{file}");
    assert!(!file.contains("\nsealing_key = "), "{file}");
    let checked = run(path, &["check"]);
    assert!(checked.status.success(), "{checked:?}");
    // A backup names what must be kept with it, and no file of the trial that is no longer used.
    fs::write(path.join("data/secrets.toml"), "").unwrap();
    let set = ["flags", "set", "rate_limit.enabled", "true"];
    assert!(run(path, &set).status.success());
    let printed = lines(&run(path, &["backup", "b.db"]).stdout).join("\n");
    let expected = "Keep with it, elsewhere: data/sealing.key, service.toml.";
    assert!(printed.contains(expected), "{printed}");
    // A service elsewhere has nothing to do with the trial.
    fs::create_dir(path.join("etc")).unwrap();
    let made = run(path, &["init", "--config", "etc/service.toml"]);
    assert!(made.status.success(), "{made:?}");
    let file = fs::read_to_string(path.join("etc/service.toml")).unwrap();
    assert!(file.contains("\nsealing_key = "), "{file}");
    assert!(!file.contains("\nsealing_key_file"), "{file}");
}

#[test]
fn files_beside_the_database_are_looked_at_too() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    std::fs::create_dir(path.join("data")).unwrap();
    std::fs::write(path.join("data/sealing.key"), "").unwrap();
    std::fs::write(path.join("data/exports"), "a file").unwrap();
    std::fs::write(path.join("data/secrets.toml"), "[edge]\nsecret = 1\n").unwrap();
    let printed = lines(&run(path, &["check"]).stderr);
    assert_eq!(printed.len(), 3, "{printed:#?}");
    for key in [
        "marketplace.sealing_key: ", "exports.dir: ", "data/secrets.toml: ",
    ] {
        assert!(
            printed.iter().any(|line| line.contains(key)),
            "{key} {printed:?}"
        );
    }
}

/// What `head -1` does once it has its line.
#[test]
fn whoever_stops_reading_is_no_trouble() {
    let folder = TempDir::new().unwrap();
    for arguments in [
        &["check"][..],
        &["flags", "list"],
        &["flags", "list", "--json"],
        &["--help"],
        &["--version"],
        &["init"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = chatkeep(folder.path(), arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(printed, "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
    assert_eq!(names(folder.path()), ["service.toml"], "of `init`");
}

#[test]
fn a_place_that_can_not_be_written_is_named_before_the_start_fails() {
    let folder = nobodys_folder();
    let path = folder.path();
    for name in ["sealed", "open"] {
        fs::create_dir(path.join(name)).unwrap();
        set_mode(&path.join(name), if name == "open" { 0o777 } else { 0o555 });
    }
    let mut sound = as_nobody(path, &["check"]);
    sound.env("CHATKEEP_STORAGE_PATH", "open/x.db");
    let output = sound.env("CHATKEEP_EXPORTS_DIR", "open/exports").output();
    assert!(output.unwrap().status.success());
    assert!(names(&path.join("open")).is_empty(), "nothing is made");

    /// Settings, what is named, and whether a start fails as well.
    type Case = (&'static [(&'static str, &'static str)], &'static str, bool);
    let cases: [Case; 4] = [
        (
            &[("CHATKEEP_STORAGE_PATH", "sealed/data/x.db")],
            "storage.path: no file can be made in the folder sealed",
            true,
        ),
        (
            &[("CHATKEEP_EXPORTS_DIR", "sealed")],
            "exports.dir: no file can be made in the folder sealed",
            false,
        ),
        (
            &[("CHATKEEP_LOG_FILE", "sealed/log")],
            "log.file: no file can be made in the folder sealed",
            true,
        ),
        (
            &[("CHATKEEP_LOG_FILE", "nowhere/log")],
            "log.file: there is no folder nowhere",
            true,
        ),
    ];
    for (settings, expected, fails) in cases {
        let with = |arguments: &[&str]| {
            let mut command = as_nobody(path, arguments);
            command.env("CHATKEEP_STORAGE_PATH", "open/x.db");
            command.env("CHATKEEP_EXPORTS_DIR", "open/exports");
            command.envs(settings.iter().copied());
            command
        };
        let printed = refused(with(&["check"]));
        assert_eq!(printed.len(), 1, "{printed:#?}");
        assert!(printed[0].contains(expected), "{printed:#?}");
        if fails {
            refused(with(&["serve"]));
        }
    }
}

#[test]
fn a_database_that_can_not_be_written_is_named() {
    let folder = nobodys_folder();
    let database = folder.path().join("data/chatkeep.db");
    let set = ["flags", "set", "rate_limit.enabled", "true"];
    assert!(as_nobody(folder.path(), &set).status().unwrap().success());
    set_mode(&database, 0o444);
    let printed = refused(as_nobody(folder.path(), &["check"]));
    assert_eq!(printed.len(), 1, "{printed:#?}");
    let expected = "storage.path: data/chatkeep.db can't be written";
    assert!(printed[0].contains(expected), "{printed:#?}");
}

#[test]
fn a_database_of_an_earlier_build_is_named() {
    let folder = TempDir::new().unwrap();
    let set = ["flags", "set", "rate_limit.enabled", "true"];
    assert!(run(folder.path(), &set).status.success());
    let database = folder.path().join("data/chatkeep.db");
    let conn = rusqlite::Connection::open(database).unwrap();
    conn.execute_batch("ALTER TABLE erasures DROP COLUMN memory_failed; CREATE TABLE others (x)")
        .unwrap();
    drop(conn);
    for command in ["check", "serve"] {
        let printed = refused(chatkeep(folder.path(), &[command])).join("\n");
        let expected = "was made by an earlier build of this unreleased version, and lacks \
                        erasures.memory_failed";
        assert!(printed.contains(expected), "{printed}");
    }
}

#[test]
fn a_port_that_is_taken_is_named_unless_the_service_itself_has_it() {
    let folder = TempDir::new().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    for arguments in [["check"], ["serve"]] {
        let mut command = chatkeep(folder.path(), &arguments);
        command.env("CHATKEEP_SERVER_LISTEN", &address);
        let printed = refused(command).join("\n");
        let expected = format!("server.listen: can't listen on {address}");
        assert!(printed.contains(&expected), "{printed}");
        assert!(
            printed.contains("another program has this port"),
            "{printed}"
        );
    }

    let mut serving = chatkeep(folder.path(), &["serve"]);
    let serving = serving.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut serving = serving.spawn().unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(serving.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    let (_, rest) = line.split_once("http://").unwrap();
    let address = rest.split(',').next().unwrap();
    let mut beside = chatkeep(folder.path(), &["check"]);
    let checked = beside.env("CHATKEEP_SERVER_LISTEN", address).output();
    serving.kill().unwrap();
    serving.wait().unwrap();
    let checked = checked.unwrap();
    assert!(checked.status.success(), "{:?}", lines(&checked.stderr));
}

#[test]
fn secrets_that_others_may_read_are_refused_in_production() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    assert!(run(path, &["init"]).status.success());
    let file = path.join("service.toml");
    set_mode(&file, 0o644);
    for arguments in [["check"], ["serve"]] {
        let printed = refused(chatkeep(path, &arguments));
        assert_eq!(printed.len(), 1, "{printed:#?}");
        assert!(
            printed[0].contains("service.toml: contains secrets"),
            "{printed:#?}"
        );
    }
    for mode in [0o640, 0o600] {
        set_mode(&file, mode);
        assert!(run(path, &["check"]).status.success(), "{mode:o}");
    }
    // In development it is told.
    fs::write(&file, "[admin]\ntoken = \"0123456789abcdef\"\n").unwrap();
    set_mode(&file, 0o644);
    let printed = lines(&run(path, &["check"]).stdout).join("\n");
    assert!(
        printed.contains("warning: service.toml contains secrets"),
        "{printed}"
    );
    fs::write(&file, "[reply]\npersona_name = \"Ada\"\n").unwrap();
    let printed = lines(&run(path, &["check"]).stdout).join("\n");
    assert!(!printed.contains("contains secrets"), "{printed}");
}

#[test]
fn certificates_of_the_mail_server_are_read() {
    let folder = TempDir::new().unwrap();
    let ca = |content: Option<&str>| {
        if let Some(content) = content {
            fs::write(folder.path().join("ca.pem"), content).unwrap();
        }
        let mut command = chatkeep(folder.path(), &["check"]);
        command.env("CHATKEEP_MAIL_SMTP_URL", "smtps://mail.example.com");
        command.env("CHATKEEP_MAIL_FROM", "juno@example.com");
        command.env("CHATKEEP_MAIL_CA_FILE", "ca.pem");
        refused(command)
    };
    for (content, expected) in [
        (None, "mail.ca_file: can't read ca.pem"),
        (Some("none"), "mail.ca_file: contains no certificate"),
    ] {
        let message = ca(content);
        assert!(message[0].contains(expected), "{message:#?}");
    }
}

/// With these the relays would only fail, or the service would not start.
#[test]
fn certificates_and_addresses_of_services_and_relays_are_read() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("none.pem"), "none").unwrap();
    let damaged = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
    fs::write(folder.path().join("damaged.pem"), damaged).unwrap();
    let account = |key: &str, value: &str| {
        format!("[relay.xmpp]\npassword = \"x\"\njid = \"juno@localhost\"\n{key} = \"{value}\"\n")
    };
    let jid = "[relay.xmpp]\npassword = \"x\"\njid = \"juno@localhost/home\"\n";
    for (file, settings, expected) in [
        (
            "missing",
            "[services]\nca_file = \"missing.pem\"\n".to_owned(),
            "services.ca_file: can't read missing.pem",
        ),
        (
            "none",
            "[services]\nca_file = \"none.pem\"\n".to_owned(),
            "services.ca_file: it contains no certificate",
        ),
        (
            "damaged",
            "[services]\nca_file = \"damaged.pem\"\n".to_owned(),
            "services.ca_file: a certificate can't be used",
        ),
        (
            "relay",
            account("ca_file", "missing.pem"),
            "relay.xmpp.ca_file: can't read missing.pem",
        ),
        (
            "relay none",
            account("ca_file", "none.pem"),
            "relay.xmpp.ca_file: it contains no certificate",
        ),
        (
            "url",
            account("server", "xmpp://localhost"),
            "relay.xmpp.server: must be a host",
        ),
        (
            "port",
            account("server", "localhost:0"),
            "relay.xmpp.server: must be a host",
        ),
        (
            "resource",
            jid.to_owned(),
            "relay.xmpp.jid: must be an address without a resource",
        ),
    ] {
        let path = folder.path().join("service.toml");
        fs::write(&path, settings).unwrap();
        let printed = refused(chatkeep(
            folder.path(),
            &["--config", "service.toml", "check"],
        ));
        let found = printed.iter().any(|line| line.contains(expected));
        assert!(found, "{file}: {printed:#?}");
    }
    for server in [
        "localhost", "localhost:5222", "127.0.0.1", "127.0.0.1:5222", "[::1]:5222",
    ] {
        fs::write(
            folder.path().join("service.toml"),
            account("server", server),
        )
        .unwrap();
        let sound = run(folder.path(), &["--config", "service.toml", "check"]);
        assert!(
            sound.status.success(),
            "{server}: {:?}",
            lines(&sound.stderr)
        );
    }
}

/// As `chmod 400` of the database, a look at it, and `chmod 600` leave it.
#[test]
fn a_start_mends_the_modes_of_the_files_beside_the_database() {
    let folder = nobodys_folder();
    let as_user = |arguments: &[&str]| as_nobody(folder.path(), arguments).output().unwrap();
    let flag = ["flags", "set", "llm.force_basic_mode", "false"];
    assert!(as_user(&flag).status.success());
    let database = folder.path().join("data/chatkeep.db");
    set_mode(&database, 0o400);
    let why = refused(as_nobody(folder.path(), &flag));
    assert!(why.iter().any(|line| line.contains("chmod")), "{why:#?}");
    assert!(as_user(&["flags", "list"]).status.success());
    let index = folder.path().join("data/chatkeep.db-shm");
    assert_eq!(fs::metadata(&index).unwrap().mode() & 0o777, 0o400);
    set_mode(&database, 0o600);
    let checked = as_user(&["check"]);
    assert!(checked.status.success(), "{:?}", lines(&checked.stderr));
    let written = as_user(&flag);
    assert!(written.status.success(), "{:?}", lines(&written.stderr));
}

/// Root replaces a backup of the service's user, who must be able to restore it.
#[test]
fn a_backup_that_root_replaces_remains_its_owners() {
    if !is_root() {
        return;
    }
    let folder = nobodys_folder();
    let backup = folder.path().join("z.db");
    let succeeds = |mut command: Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{:?}", lines(&output.stderr));
    };
    succeeds(as_nobody(
        folder.path(),
        &["flags", "set", "llm.force_basic_mode", "false"],
    ));
    succeeds(as_nobody(folder.path(), &["backup", "z.db"]));
    succeeds(chatkeep(folder.path(), &["backup", "--force", "z.db"]));
    let found = fs::metadata(&backup).unwrap();
    assert_eq!((found.uid(), found.mode() & 0o777), (NOBODY, 0o600));
    // A file of somebody else's is not a way to get a copy.
    chown(&backup, Some(1), Some(1)).unwrap();
    succeeds(chatkeep(folder.path(), &["backup", "--force", "z.db"]));
    assert_eq!(fs::metadata(&backup).unwrap().uid(), 0);
}

/// What root's trial of the service makes is the service's user's; what is root's all the same is named.
#[test]
fn files_of_root_beside_the_database_are_given_away_or_named() {
    if !is_root() {
        return;
    }
    let folder = nobodys_folder();
    let with = |mut command: Command| {
        command.env("CHATKEEP_STORAGE_PATH", "x.db");
        command.env("CHATKEEP_LOG_FILE", "log");
        command.env("CHATKEEP_RELAY_TELEGRAM_TOKEN", "501:abc");
        command.env("CHATKEEP_RELAY_TELEGRAM_BASE_URL", "http://127.0.0.1:9");
        command
    };
    let mut trial = with(chatkeep(folder.path(), &["serve"]));
    let mut service = trial.stdout(Stdio::null()).spawn().unwrap();
    let journal = folder.path().join("x.db.relay-telegram");
    for _ in 0..500 {
        if journal.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    service.kill().unwrap();
    service.wait().unwrap();
    for name in names(folder.path()) {
        let owner = fs::metadata(folder.path().join(&name)).unwrap().uid();
        assert_eq!(owner, NOBODY, "{name}");
    }
    let check = with(as_nobody(folder.path(), &["check"])).output().unwrap();
    assert!(check.status.success(), "{:?}", lines(&check.stderr));

    let photos = folder.path().join("x.db.photos");
    fs::create_dir(&photos).unwrap();
    set_mode(&photos, 0o700);
    for made in [&photos, &journal] {
        chown(made, Some(0), Some(0)).unwrap();
    }
    for (command, why) in [
        (as_nobody(folder.path(), &["check"]), "Permission denied"),
        (
            chatkeep(folder.path(), &["check"]),
            "root's, in a folder of another user",
        ),
    ] {
        let printed = refused(with(command));
        assert_eq!(printed.len(), 1, "{printed:#?}");
        for part in ["x.db.relay-telegram", "x.db.photos", why] {
            assert!(printed[0].contains(part), "{printed:#?}");
        }
    }
}

#[test]
fn an_unknown_word_about_the_log_is_named_with_the_known_ones() {
    let folder = TempDir::new().unwrap();
    for (name, word, key, known) in [
        ("CHATKEEP_LOG", "verbose", "log.level", "error, warn, info"),
        (
            "CHATKEEP_LOG", "info,chatkeep=loud", "log.level", "debug, trace",
        ),
        (
            "CHATKEEP_LOG_FORMAT", "xml", "log.format", "\"text\", \"json\"",
        ),
    ] {
        for arguments in [["check"], ["serve"]] {
            let mut command = chatkeep(folder.path(), &arguments);
            let printed = refused({
                command.env(name, word);
                command
            });
            assert_eq!(printed.len(), 1, "{printed:#?}");
            for part in [name, key, known] {
                assert!(printed[0].contains(part), "{part}: {printed:#?}");
            }
        }
    }
    fs::create_dir(folder.path().join("logs")).unwrap();
    let mut command = chatkeep(folder.path(), &["check"]);
    command.env("CHATKEEP_LOG_FILE", "logs");
    let printed = refused(command);
    assert!(
        printed[0].contains("log.file: logs is a folder"),
        "{printed:#?}"
    );
    let mut sound = chatkeep(folder.path(), &["check"]);
    sound.env("CHATKEEP_LOG", "info,chatkeep::http::access=off");
    let sound = sound.env("CHATKEEP_LOG_FORMAT", "json").output().unwrap();
    assert!(sound.status.success(), "{:?}", lines(&sound.stderr));
}

/// Starts the service in the folder and returns its address.
fn serve(folder: &Path) -> (Child, String) {
    let mut command = chatkeep(folder, &["serve"]);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut serving = command.spawn().unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(serving.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    let (_, rest) = line.split_once("http://").unwrap();
    (serving, rest.split(',').next().unwrap().to_owned())
}

#[test]
fn a_locked_database_is_a_problem_unless_the_service_itself_has_it() {
    let folder = TempDir::new().unwrap();
    let (mut serving, address) = serve(folder.path());
    let beside = run(folder.path(), &["check"]);
    let pid = serving.id();
    serving.kill().unwrap();
    serving.wait().unwrap();
    let printed = lines(&beside.stdout).join("\n");
    assert!(beside.status.success(), "{beside:?}");
    let expected = format!("Process {pid} serves this database at http://{address}.");
    assert!(printed.contains(&expected), "{printed}");

    let database = folder.path().join("data/chatkeep.db");
    let other = rusqlite::Connection::open(&database).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for arguments in [["check"], ["serve"]] {
        let printed = refused(chatkeep(folder.path(), &arguments)).join("\n");
        let expected = "another program has locked it; end that program (`fuser -v";
        assert!(printed.contains(expected), "{arguments:?}: {printed}");
    }
    other.execute_batch("COMMIT").unwrap();
    let alone = run(folder.path(), &["check"]);
    assert!(alone.status.success(), "{alone:?}");
    assert!(!lines(&alone.stdout).join("").contains("Process"));
}

#[test]
fn a_secrets_file_that_everybody_may_read_is_a_warning() {
    let folder = TempDir::new().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, "0123456789abcdef0123456789abcdef\n").unwrap();
    let warned = |folder_mode, file_mode| {
        set_mode(folder.path(), folder_mode);
        set_mode(&token, file_mode);
        let mut command = chatkeep(folder.path(), &["check"]);
        let output = command.env("CHATKEEP_ADMIN_TOKEN_FILE", &token).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        let printed = lines(&output.stdout).join("\n");
        assert!(!printed.contains("0123456789abcdef"), "{printed}");
        let expected = format!("run chmod o-rwx {}", token.display());
        printed.contains("warning: admin.token: every user") && printed.contains(&expected)
    };
    assert!(warned(0o755, 0o644));
    assert!(!warned(0o755, 0o640), "only the group");
    assert!(!warned(0o700, 0o644), "nobody else gets to it");
}

#[test]
fn init_writes_the_file_that_the_environment_names() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let named = |arguments: &[&str]| {
        let mut command = chatkeep(path, arguments);
        command.env("CHATKEEP_CONFIG", "etc/own.toml");
        command
    };
    let printed = refused(named(&["init"])).join("\n");
    assert!(printed.contains("mkdir -p etc"), "{printed}");
    fs::create_dir(path.join("etc")).unwrap();
    for arguments in [["init"], ["check"]] {
        let output = named(&arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let printed = lines(&output.stdout).join("\n");
        assert!(printed.contains("etc/own.toml"), "{printed}");
    }
    assert_eq!(names(path), ["etc"]);
    let printed = refused(named(&["init"])).join("\n");
    assert!(printed.contains("exists already"), "{printed}");
    // The option comes first.
    let output = named(&["init", "--config", "other.toml"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(names(path), ["etc", "other.toml"]);
}

#[test]
fn a_start_that_fails_leaves_nothing_behind() {
    let folder = nobodys_folder();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut taken = as_nobody(folder.path(), &["serve"]);
    taken.env(
        "CHATKEEP_SERVER_LISTEN",
        listener.local_addr().unwrap().to_string(),
    );
    refused(taken);
    assert!(
        names(folder.path()).is_empty(),
        "{:?}",
        names(folder.path())
    );

    // A database that can't be written.
    let set = ["flags", "set", "rate_limit.enabled", "true"];
    assert!(as_nobody(folder.path(), &set).status().unwrap().success());
    let data = folder.path().join("data");
    let before = names(&data);
    set_mode(&data.join("chatkeep.db"), 0o400);
    let printed = refused(as_nobody(folder.path(), &["serve"])).join("\n");
    assert!(
        printed.contains("data/chatkeep.db can't be read and written"),
        "{printed}"
    );
    assert!(printed.contains("chown"), "{printed}");
    assert_eq!(names(&data), before);
    set_mode(&data.join("chatkeep.db"), 0o600);
    // Once that is repaired, nothing stands in the way.
    let unset = ["flags", "unset", "rate_limit.enabled"];
    assert!(as_nobody(folder.path(), &unset).status().unwrap().success());
}

/// The log of a sound start and of a clean stop has no warning.
#[test]
fn a_production_as_init_and_the_guide_make_it_warns_of_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    assert!(run(path, &["init"]).status.success());
    let with = |arguments: &[&str]| {
        let mut command = chatkeep(path, arguments);
        command.env("CHATKEEP_SERVER_PUBLIC_URL", "https://chat.example.com");
        command.env("CHATKEEP_SERVER_TRUSTED_PROXIES", "127.0.0.1,::1");
        command.env("CHATKEEP_STORAGE_PATH", path.join("own.db"));
        command
    };
    let checked = with(&["check"]).output().unwrap();
    assert!(
        !lines(&checked.stdout).concat().contains("warning"),
        "{checked:?}"
    );
    let mut command = with(&["serve"]);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut serving = command.spawn().unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(serving.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    assert!(line.contains("(production)"), "{line}");
    let pid = serving.id().to_string();
    assert!(Command::new("kill").arg(pid).status().unwrap().success());
    let output = serving.wait_with_output().unwrap();
    let log = lines(&output.stderr);
    assert!(output.status.success(), "{log:#?}");
    assert!(
        log.iter()
            .any(|line| line.contains("INFO  RELAY_WEBHOOK_SECRET")),
        "{log:#?}"
    );
    assert!(log.iter().all(|line| !line.contains("WARN")), "{log:#?}");

    // Without its proxy's address it does.
    let mut command = with(&["check"]);
    let checked = command
        .env_remove("CHATKEEP_SERVER_TRUSTED_PROXIES")
        .output();
    let printed = lines(&checked.unwrap().stdout).concat();
    assert!(
        printed.contains("warning: server.public_url is https"),
        "{printed}"
    );
}

/// With the default number few are told of a limit that leaves enough.
#[test]
fn a_limit_of_open_files_is_warned_of_where_it_matters() {
    for (hard, number, is_warned) in [
        (15_000, "", false),
        (1_000, "", true),
        (15_000, "16000", true),
    ] {
        let folder = TempDir::new().unwrap();
        let mut command = Command::new("/bin/sh");
        let script = format!("ulimit -n {hard} && exec timeout -s TERM 2 \"$0\" serve");
        let output = command
            .args(["-c", &script, env!("CARGO_BIN_EXE_chatkeep")])
            .current_dir(folder.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("CHATKEEP_SERVER_LISTEN", "127.0.0.1:0")
            .env("CHATKEEP_SERVER_MAX_CONNECTIONS", number)
            .output()
            .unwrap();
        let log = lines(&output.stderr);
        let said = log
            .iter()
            .find(|line| line.contains("max_connections lowered"));
        let said = said.unwrap_or_else(|| panic!("{log:#?}"));
        assert_eq!(said.contains("WARN"), is_warned, "{said}");
    }
}

/// A database behind a symbolic link has its lock and log beside itself.
#[test]
fn a_database_may_be_a_link() {
    let (folder, real) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let database = real.path().join("real.db");
    let mut set = chatkeep(
        folder.path(),
        &["flags", "set", "llm.force_basic_mode", "true"],
    );
    let made = set
        .env("CHATKEEP_STORAGE_PATH", &database)
        .output()
        .unwrap();
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(&database, &link).unwrap();
    for arguments in [
        &["check"][..],
        &["flags", "unset", "llm.force_basic_mode"],
        &["user", "list"],
    ] {
        let mut command = chatkeep(folder.path(), arguments);
        let output = command
            .env("CHATKEEP_STORAGE_PATH", &link)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    }
    let beside: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
}
