//! The commands as somebody at a terminal meets them: the real binary, its output and its exit
//! codes, in a folder of their own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(20);

/// The binary in a folder, with nothing of this process's environment that concerns it.
fn chatkeep(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(arguments).current_dir(folder).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("CHATKEEP_SERVER_LISTEN", "127.0.0.1:0");
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    chatkeep(folder, arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// One line on stderr that holds all of `parts`, and exit code 1.
fn assert_refused(output: &Output, parts: &[&str]) {
    let printed = stderr(output);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert_eq!(printed.lines().count(), 1, "{printed}");
    for part in parts {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

/// `chatkeep serve` in a folder, after its greeting.
struct RunningService {
    child: Child,
    greeting: String,
}

impl RunningService {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = chatkeep(folder, arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut greeting = lines.next().expect("a greeting").unwrap();
        if greeting.contains("(development)") {
            for line in lines.map_while(Result::ok) {
                greeting = format!("{greeting}\n{line}");
                if line.starts_with("Or talk to it") {
                    break;
                }
            }
        }
        Self { child, greeting }
    }

    fn address(&self) -> &str {
        let after = self.greeting.split("http://").nth(1).unwrap();
        after.split([',', ' ']).next().unwrap()
    }

    /// The status of `POST /edge/sync` with a token: whether it is let in.
    fn status_with(&self, token: &str) -> u16 {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "POST /edge/sync HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\nContent-Length: 2\r\n\r\n{{}}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// Asks it to end as a supervisor does; its exit code.
    fn stop(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").args(["-TERM", &id]).status();
        assert!(killed.unwrap().success());
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it did not end");
    }
}

impl Drop for RunningService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn token(folder: &Path, agent: &str) -> String {
    let output = run(
        folder,
        &["token", "edge", "--agent-id", agent, "--phone", "+15550100"],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output).trim().to_owned()
}

/// The commands that a help names, and theirs.
fn commands(folder: &Path, above: &str) -> Vec<String> {
    let mut arguments: Vec<&str> = above.split_whitespace().collect();
    arguments.push("--help");
    let help = run(folder, &arguments);
    assert_eq!(help.status.code(), Some(0), "{above}: {}", stderr(&help));
    let help = stdout(&help);
    assert!(help.contains("\nExample: "), "{above}: {help}");
    let listed = help.lines().skip_while(|line| *line != "Commands:");
    let named = listed.skip(1).take_while(|line| !line.is_empty());
    let names = named.filter_map(|line| line.split_whitespace().next());
    let mut found = vec![above.to_owned()];
    for name in names.filter(|name| *name != "help") {
        found.extend(commands(folder, format!("{above} {name}").trim()));
    }
    found
}

#[test]
fn every_command_explains_itself_with_an_example() {
    let folder = TempDir::new().unwrap();
    let found = commands(folder.path(), "");
    for command in ["", "serve", "check", "token user", "billing reconcile"] {
        assert!(found.iter().any(|c| c == command), "{command}: {found:?}");
    }
    assert!(found.len() >= 22, "{found:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn wrong_usage_exits_2_and_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    for (arguments, expected) in [
        (&["--nope"][..], "--nope"),
        (&["serf"], "serve"),
        (&["token", "edge", "--agent-id", "a"], "--phone"),
        (
            &["token", "edge", "--agent-id", "a b", "--phone", "1"],
            "1-64 of",
        ),
        (
            &["token", "edge", "--agent-id", "a", "--phone", "1:2"],
            "colon",
        ),
        (&["token", "revoke", "--agent-id", ""], "--agent-id"),
        (&["token", "user"], "--phone"),
        (&["token", "user", "--user-id", "ada"], "UUID"),
        (
            &["token", "user", "--phone", "1", "--ttl", "soon"],
            "like 90s",
        ),
        (&["chat", "--phone", ""], "--phone"),
        (&["explain", "last"], "X-Message-Id"),
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn chat_answers_piped_lines_and_waits_for_a_reminder() {
    let folder = TempDir::new().unwrap();
    let mut chat = chatkeep(folder.path(), &["chat"])
        .env("HTTP_PROXY", "http://127.0.0.1:9") // concerns nobody here
        .env("http_proxy", "http://127.0.0.1:9")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = b"my name is Ada\n\nremind me in 1 second to stretch\n";
    chat.stdin.take().unwrap().write_all(lines).unwrap();
    let output = chat.wait_with_output().unwrap();
    let (printed, troubles) = (stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(0), "{troubles}");
    assert_eq!(troubles, "");
    let printed: Vec<&str> = printed.lines().collect();
    assert!(
        printed[0].starts_with("Juno: ") && printed[0].contains("Ada"),
        "{printed:?}"
    );
    assert!(printed[1].contains("in 1 second, "), "{printed:?}");
    assert!(printed[1].contains("): stretch"), "{printed:?}");
    assert_eq!(printed[2], "Juno: ⏰ Reminder: stretch");
    assert_eq!(printed.len(), 3);
}

/// Bubbles hold what people wrote.
#[test]
fn chat_shows_nothing_that_steers_a_terminal() {
    let folder = TempDir::new().unwrap();
    let mut chat = chatkeep(folder.path(), &["chat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = "remember that my word is \u{202e}olleh\u{61c}\u{2067}\u{9b}2J\n";
    let mut input = chat.stdin.take().unwrap();
    input.write_all(lines.as_bytes()).unwrap();
    drop(input);
    let printed = stdout(&chat.wait_with_output().unwrap());
    assert!(printed.contains("olleh\u{fffd}"), "{printed:?}");
    for hidden in ['\u{202e}', '\u{61c}', '\u{2067}', '\u{9b}'] {
        assert!(!printed.contains(hidden), "{printed:?}");
    }
}

#[test]
fn chat_ends_quietly_when_nobody_reads_any_more() {
    let folder = TempDir::new().unwrap();
    let mut chat = chatkeep(folder.path(), &["chat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(chat.stdout.take());
    chat.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    assert_refused(&chat.wait_with_output().unwrap(), &["standard output"]);
}

#[test]
fn the_printed_curl_line_works_from_any_folder() {
    let folder = TempDir::with_prefix("it's a folder ").unwrap();
    let elsewhere = TempDir::new().unwrap();
    let serving = RunningService::start(folder.path(), &[]);
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !has("curl") || !has("bash") {
        return;
    }
    let start = serving.greeting.find("curl -s").unwrap();
    let line = serving.greeting[start..].split("\n\n").next().unwrap();
    assert!(
        line.contains("$("),
        "the line holds a command, not a credential"
    );
    for place in [folder.path(), elsewhere.path()] {
        let output = Command::new("bash")
            .args(["-c", line])
            .current_dir(place)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .output()
            .unwrap();
        let answer = stdout(&output);
        assert!(
            answer.contains(r#""should_respond":true"#),
            "{answer} {}",
            stderr(&output)
        );
    }
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    assert_eq!(serving.stop(), Some(0));
}

#[test]
fn tokens_end_through_the_running_service_and_without_it() {
    let folder = TempDir::new().unwrap();
    let revoke = ["token", "revoke", "--agent-id", "bridge"];
    // In the wrong folder nothing would end: no word of success, and nothing is made.
    assert_refused(&run(folder.path(), &revoke), &["no database", "--config"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let serving = RunningService::start(folder.path(), &["serve"]);
    let (first, other) = (
        token(folder.path(), "bridge"),
        token(folder.path(), "other"),
    );
    assert_eq!(serving.status_with(&first), 200);
    assert!(run(folder.path(), &revoke).status.success());
    assert_eq!(serving.status_with(&first), 401);
    assert_eq!(serving.status_with(&other), 200);
    let second = token(folder.path(), "bridge");
    assert_eq!(serving.status_with(&second), 200);
    let foreign = chatkeep(folder.path(), &revoke)
        .env("CHATKEEP_ADMIN_TOKEN", "another")
        .output();
    assert_refused(&foreign.unwrap(), &["another admin.token", "--config"]);
    assert_eq!(serving.stop(), Some(0));

    assert!(run(folder.path(), &revoke).status.success());
    let third = token(folder.path(), "bridge");
    let serving = RunningService::start(folder.path(), &["serve"]);
    assert_eq!(serving.status_with(&first), 401);
    assert_eq!(serving.status_with(&second), 401);
    assert_eq!(serving.status_with(&third), 200);
}

#[test]
fn a_token_is_made_again_after_a_revocation_that_lay_ahead() {
    let folder = TempDir::new().unwrap();
    let serving = RunningService::start(folder.path(), &["serve"]);
    let first = token(folder.path(), "bridge");
    assert_eq!(serving.status_with(&first), 200);
    assert_eq!(serving.stop(), Some(0));
    let database = folder.path().join("data/chatkeep.db");
    let changed = rusqlite::Connection::open(database).unwrap().execute(
        "UPDATE agents SET tokens_valid_from_s = unixepoch() + 86400 WHERE agent_id = 'bridge'",
        [],
    );
    assert_eq!(changed.unwrap(), 1);
    let make = [
        "token", "edge", "--agent-id", "bridge", "--phone", "+15550100",
    ];
    let advice = "chatkeep token revoke --agent-id bridge";
    assert_refused(&run(folder.path(), &make), &["lies ahead", advice]);
    assert!(
        run(folder.path(), &["token", "revoke", "--agent-id", "bridge"])
            .status
            .success()
    );
    let second = token(folder.path(), "bridge");
    let serving = RunningService::start(folder.path(), &["serve"]);
    assert_eq!(serving.status_with(&first), 401);
    assert_eq!(serving.status_with(&second), 200);
}

#[test]
fn a_name_that_nobody_has_is_refused_with_the_nearest() {
    let folder = TempDir::new().unwrap();
    let serving = RunningService::start(folder.path(), &["serve"]);
    let unknown = ["token", "revoke", "--agent-id", "brigde"];
    let refused = run(folder.path(), &unknown);
    assert_refused(&refused, &["no relay brigde", "no relay is known yet"]);
    let (bridge, typo) = (
        token(folder.path(), "bridge"),
        token(folder.path(), "brigde"),
    );
    assert_eq!(serving.status_with(&bridge), 200);
    let refused = run(folder.path(), &unknown);
    assert_refused(
        &refused,
        &["no relay brigde", "nearest is bridge", "--force"],
    );
    let unlike = run(folder.path(), &["token", "revoke", "--agent-id", "other"]);
    assert_refused(&unlike, &["no relay other is known; nothing was ended"]);
    let forced = ["token", "revoke", "--agent-id", "brigde", "--force"];
    assert!(run(folder.path(), &forced).status.success());
    assert_eq!(serving.status_with(&typo), 401);
    assert_eq!(serving.status_with(&bridge), 200);
    for command in [
        &["user", "show", "--phone", "+15550110"][..],
        &["user", "revoke", "--phone", "+15550110"],
        &["user", "grant", "--phone", "+15550110", "--plan", "annual"],
        &["token", "user", "--phone", "+15550110"],
    ] {
        let refused = run(folder.path(), command);
        assert_refused(&refused, &["no users yet", "after their first message"]);
    }
    assert_eq!(serving.stop(), Some(0));
    // The same without a service.
    let misspelt = ["token", "revoke", "--agent-id", "bridges"];
    assert_refused(&run(folder.path(), &misspelt), &["nearest is bridge"]);
}

#[test]
fn init_check_and_serve_make_a_production_service() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    for place in [&["init"][..], &["init", "--config", "other.toml"]] {
        let written = run(path, place);
        assert!(written.status.success(), "{}", stderr(&written));
        assert_refused(&run(path, place), &["exists already"]);
    }
    assert!(path.join("other.toml").exists());
    let checked = run(path, &["check"]);
    assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
    assert!(stdout(&checked).contains("service.toml: no problem found (production)."));
    // Neither command made anything.
    assert!(!path.join("data").exists());
    for arguments in [
        ["--config", "other.toml", "serve"],
        ["serve", "--config", "other.toml"],
    ] {
        let serving = RunningService::start(path, &arguments);
        assert!(
            serving.greeting.contains("(production)"),
            "{}",
            serving.greeting
        );
        assert!(
            serving.greeting.contains("other.toml"),
            "{}",
            serving.greeting
        );
        assert!(!serving.greeting.contains("curl"), "{}", serving.greeting);
        assert_eq!(serving.stop(), Some(0));
    }
    assert!(!path.join("data/secrets.toml").exists());
    let mode = std::fs::metadata(path.join("data"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700, "what people wrote is nobody else's");
}

#[test]
fn init_writes_whether_people_are_charged() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    for (file, options, charge_nobody) in [
        ("a.toml", &[][..], true), // nobody can be asked here
        ("b.toml", &["--charge"], false),
        ("c.toml", &["--charge-nobody"], true),
    ] {
        let arguments = [&["init", "--config", file], options].concat();
        let written = run(path, &arguments);
        assert!(written.status.success(), "{}", stderr(&written));
        let printed = stdout(&written);
        let setting = format!("charge_nobody = {charge_nobody}");
        assert!(printed.contains(&setting), "{printed}");
        let how = format!("chatkeep flags set superpower.enabled true --config {file}");
        assert!(printed.contains(&how), "{printed}");
        let text = std::fs::read_to_string(path.join(file)).unwrap();
        let set = text.lines().filter(|line| *line == setting);
        assert_eq!(set.count(), 1, "{options:?}");
    }
    let both = run(path, &["init", "--charge", "--charge-nobody"]);
    assert_eq!(both.status.code(), Some(2), "{}", stderr(&both));
    assert!(!path.join("service.toml").exists());
}

#[test]
fn the_first_start_in_production_says_how_superpowers_are_switched_on() {
    let folder = TempDir::new().unwrap();
    assert!(run(folder.path(), &["init"]).status.success());
    for is_told in [true, false] {
        let mut child = chatkeep(folder.path(), &["serve"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut greeting = String::new();
        stdout.read_line(&mut greeting).unwrap();
        let serving = RunningService { child, greeting };
        assert_eq!(serving.stop(), Some(0));
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        let how = "chatkeep flags set superpower.enabled true --config service.toml";
        assert_eq!(rest.contains(how), is_told, "{rest}");
    }
}

#[test]
fn a_relay_that_is_not_built_in_is_refused_with_those_that_are() {
    let folder = TempDir::new().unwrap();
    for words in [&["relay", "signal"][..], &["relay", "telegrm", "--check"]] {
        let output = run(folder.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let printed = stderr(&output);
        for expected in [words[1], "telegram, matrix, xmpp", "examples/relays"] {
            assert!(printed.contains(expected), "{printed}");
        }
    }
}

#[test]
fn config_may_stand_anywhere() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("conf")).unwrap();
    let text = "[storage]\npath = \"elsewhere/chatkeep.db\"\n";
    std::fs::write(folder.path().join("conf/c.toml"), text).unwrap();
    let config = ["--config", "conf/c.toml"];
    let (edge, of) = (["token", "edge"], ["--agent-id", "a", "--phone", "1"]);
    for arguments in [
        [&config[..], &edge, &of].concat(),
        [&edge[..1], &config, &edge[1..], &of].concat(),
        [&edge[..], &of, &config].concat(),
    ] {
        let output = run(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        let printed = stderr(&output);
        assert!(printed.contains("elsewhere/chatkeep.db"), "{arguments:?}");
    }
    assert!(!folder.path().join("data").exists());
}

#[test]
fn production_names_every_problem_at_once() {
    let folder = TempDir::new().unwrap();
    let output = chatkeep(folder.path(), &["serve"])
        .env("ENVIRONMENT", "production")
        .env("EDGE_SECRET", "short-and-secret")
        .env("CHATKEEP_BILLING_PROVIDER", "stripe")
        .env("CHATKEEP_EDGE_HARTBEAT_S", "5")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let printed = stderr(&output);
    for key in [
        "edge.secret: ", "admin.token: ", "identity.jwks_url: ", "billing.webhook_secret: ",
        "CHATKEEP_EDGE_HARTBEAT_S",
    ] {
        assert!(printed.contains(key), "{key}: {printed}");
    }
    assert!(!printed.contains("short-and-secret"), "{printed}");
    assert_eq!(stdout(&output), "");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_is_in_the_way_is_told_in_one_line() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let serving = RunningService::start(path, &["serve"]);
    assert_refused(
        &run(path, &["serve"]),
        &["data/chatkeep.db", "in use by process"],
    );

    let elsewhere = TempDir::new().unwrap();
    let refused_serve = chatkeep(elsewhere.path(), &["serve"])
        .env("CHATKEEP_SERVER_LISTEN", serving.address())
        .output();
    assert_refused(
        &refused_serve.unwrap(),
        &[serving.address(), "server.listen"],
    );

    for arguments in [
        ["check", "--config", "no.toml"],
        ["--config", "no.toml", "serve"],
    ] {
        assert_refused(&run(path, &arguments), &["no.toml", "can't be read"]);
    }

    let blocked = TempDir::new().unwrap();
    std::fs::write(blocked.path().join("data"), "a file").unwrap();
    assert_refused(&run(blocked.path(), &["serve"]), &["data"]);

    std::fs::create_dir(blocked.path().join("db")).unwrap();
    std::fs::write(
        blocked.path().join("db/chatkeep.db"),
        "no database, but long enough",
    )
    .unwrap();
    for command in ["serve", "check"] {
        let output = chatkeep(blocked.path(), &[command])
            .env("CHATKEEP_STORAGE_PATH", "db/chatkeep.db")
            .env("CHATKEEP_EXPORTS_DIR", "db/exports")
            .output();
        assert_refused(&output.unwrap(), &["db/chatkeep.db"]);
    }

    let stranger = chatkeep(blocked.path(), &["chat", "--url"])
        .arg(format!("http://{}", serving.address()))
        .env("CHATKEEP_EDGE_TOKEN", "foreign")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut stranger = stranger.unwrap();
    stranger.stdin.take().unwrap().write_all(b"hi\n").unwrap();
    assert_refused(
        &stranger.wait_with_output().unwrap(),
        &["token edge", "--token"],
    );
}
