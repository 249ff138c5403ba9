//! The operator's commands as the README, the guide and the unit file write them: from another
//! folder, with the unit's paths, and as another user where the test runs as root.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use support::{eventually, rows};
use tempfile::TempDir;

const README: &str = include_str!("../README.md");
const OPERATING: &str = include_str!("../src/guide/operating.md");
const UNIT: &str = include_str!("../examples/deploy/chatkeep.service");
/// "nobody", as the user that the documents call chatkeep.
const SERVICE_USER: u32 = 65534;
/// Folders of the documents that stand below a temporary one here.
const FOLDERS: [&str; 4] = ["/usr/local/bin", "/etc", "/var/lib", "/mnt"];

/// A machine of its own: the documents' folders, and stand-ins for other programs.
struct Machine {
    root: TempDir,
    is_root: bool,
}

impl Machine {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        let is_root = std::fs::metadata(root.path()).unwrap().uid() == 0;
        if !is_root {
            println!("not root: every command runs as the same user");
        }
        let machine = Self { root, is_root };
        for folder in [
            "usr/local/bin", "etc", "var/lib", "mnt", "elsewhere", "bin", ".",
        ] {
            let folder = machine.root.path().join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            let open = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(folder, open).unwrap();
        }
        for own in ["etc/chatkeep", "var/lib/chatkeep", "mnt/backups"] {
            let folder = machine.root.path().join(own);
            std::fs::create_dir(&folder).unwrap();
            machine.give(&folder);
        }
        let exe = machine.path("/usr/local/bin/chatkeep");
        std::fs::copy(env!("CARGO_BIN_EXE_chatkeep"), exe).unwrap();
        let as_user = match is_root {
            true => format!("setpriv --reuid {SERVICE_USER} --regid {SERVICE_USER} --clear-groups"),
            false => String::new(),
        };
        let sudo = format!("[ \"$1\" = -u ] || exec \"$@\"\nshift 2\nexec {as_user} \"$@\"");
        machine.program("sudo", &sudo);
        machine.program("date", "echo Mon");
        for other in ["systemctl", "useradd", "install", "cp", "curl"] {
            machine.program(other, "exit 0");
        }
        // restore -config FILE -o TO DATABASE
        let restore = "grep -qF \"path: $6\" \"$3\" && exec /bin/cp \"$6\" \"$5\"";
        machine.program("litestream", restore);
        machine
    }

    /// Where a path of the documents is.
    fn path(&self, documented: &str) -> PathBuf {
        self.root.path().join(&documented[1..])
    }

    fn give(&self, path: &Path) {
        if self.is_root {
            chown(path, Some(SERVICE_USER), Some(SERVICE_USER)).unwrap();
        }
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.root.path().join("bin").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The text with the documents' folders replaced.
    fn here(&self, text: &str) -> String {
        let root = self.root.path().display();
        FOLDERS.iter().fold(text.to_owned(), |text, folder| {
            let below = format!("{root}{folder}/");
            text.replace(&format!("{folder}/"), &below)
        })
    }

    fn shell(&self, script: &str, path: &str) -> Command {
        let mut shell = Command::new("/bin/sh");
        shell
            .env_clear()
            .env("PATH", self.here(path))
            .current_dir(self.root.path().join("elsewhere"))
            .stdin(Stdio::null())
            .args(["-ec", &self.here(script)]);
        shell
    }

    /// As an operator would paste it. Returns what it prints.
    fn paste(&self, script: &str) -> String {
        let fake = self.root.path().join("bin");
        let path = format!("{}:/usr/local/bin/:/usr/bin:/bin", fake.display());
        let output = self.shell(script, &path).output().unwrap();
        assert!(output.status.success(), "{script}\n{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// As the service's user.
    fn by_service_user(&self, command: &str) -> Command {
        let sudo = self.root.path().join("bin/sudo");
        let script = format!("exec {} -u chatkeep {command}", sudo.display());
        self.shell(&script, "/usr/bin:/bin")
    }

    fn start(&self) -> Service {
        let line = UNIT.lines().find_map(|l| l.strip_prefix("ExecStart="));
        let mut command = self.by_service_user(line.unwrap());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut first_line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut first_line).unwrap();
        if !first_line.contains("listening on") {
            let output = child.wait_with_output().unwrap();
            panic!("the service does not start: {output:?}");
        }
        Service(child)
    }

    fn owners_are_right(&self, after: &str) {
        if !self.is_root {
            return;
        }
        for folder in ["/var/lib/chatkeep", "/etc/chatkeep"] {
            for entry in std::fs::read_dir(self.path(folder)).unwrap() {
                let entry = entry.unwrap();
                let found = entry.metadata().unwrap();
                let name = entry.file_name();
                assert_eq!(found.uid(), SERVICE_USER, "{after}: {name:?}");
                assert_eq!(found.gid(), SERVICE_USER, "{after}: {name:?}");
                assert_eq!(found.mode() & 0o077, 0, "{after}: {name:?}");
            }
        }
    }
}

struct Service(Child);

impl Service {
    async fn stop(mut self) {
        support::process::signal(self.0.id(), "TERM");
        eventually("the end of the service", async || {
            self.0.try_wait().unwrap().is_some()
        })
        .await;
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The blocks of a language in a part of the guide's page on operating.
fn blocks(heading: &str, language: &str) -> Vec<&'static str> {
    let part = OPERATING.split_once(&format!("\n{heading}\n")).unwrap().1;
    let level = heading.split(' ').next().unwrap();
    let part = part.split(&format!("\n{level} ")).next().unwrap();
    let opening = format!("\n```{language}\n");
    let starts = part.split(&opening).skip(1);
    starts
        .map(|block| block.split("\n```").next().unwrap())
        .collect()
}

/// The one block that holds the words.
fn block(heading: &str, words: &str) -> &'static str {
    let found = blocks(heading, "sh").into_iter();
    let found: Vec<_> = found.filter(|block| block.contains(words)).collect();
    assert_eq!(found.len(), 1, "{words}: {found:?}");
    found[0]
}

/// The README's section on production.
fn production() -> &'static str {
    let part = README.split_once("\n## Production\n").unwrap().1;
    part.split("\n## ").next().unwrap()
}

/// The README's commands for production, before and after the configuration is edited.
fn production_commands() -> (&'static str, &'static str) {
    let part = production().split_once("```sh\n").unwrap().1;
    let (install, rest) = part.split_once("sudoedit ").unwrap();
    let rest = rest.split_once('\n').unwrap().1;
    (install, rest.split_once("\n```").unwrap().0)
}

/// The block of commands in the README's section on production that holds the words.
fn readme_block(words: &str) -> &'static str {
    let blocks = production().split("```sh\n").skip(1);
    let mut blocks = blocks.map(|block| block.split("```").next().unwrap());
    blocks.find(|block| block.contains(words)).unwrap()
}

/// The README's settings are those of the guide, and a chat network's.
#[test]
fn the_readme_sets_what_the_guide_sets() {
    let table = |text: &str| text.parse::<toml::Table>().unwrap();
    let readme = production().split_once("```toml\n").unwrap().1;
    let mut readme = table(readme.split("```").next().unwrap());
    let relay = readme.remove("relay").unwrap();
    assert!(relay["telegram"]["allow"].is_array());
    let guide = blocks("## In production", "toml");
    let guide = guide.iter().find(|b| b.contains("[storage]")).unwrap();
    assert_eq!(readme, table(guide));
}

/// The conversation that the README shows, but for the time.
#[test]
fn the_conversation_in_the_readme_is_as_shown() {
    let shown = README.split_once("```text\n$ ").unwrap().1;
    let shown = shown.split("```").next().unwrap();
    let (command, expected) = shown.split_once('\n').unwrap();
    let machine = Machine::new();
    let printed = machine.paste(command);
    let without_time = |text: &str| {
        let lines = text
            .lines()
            .map(|line| match line.split_once(", today at ") {
                Some((before, after)) => format!("{before}{}", after.split_once("): ").unwrap().1),
                None => line.to_owned(),
            });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(without_time(&printed), without_time(expected));
}

/// The settings that the documents ask for in the file that `init` made.
fn configure(machine: &Machine) {
    let file = machine.path("/etc/chatkeep/service.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut table: toml::Table = text.parse().unwrap();
    let documented = blocks("## In production", "toml");
    let documented = documented.iter().find(|b| b.contains("[storage]")).unwrap();
    let documented: toml::Table = machine.here(documented).parse().unwrap();
    for (section, keys) in documented {
        let section = table.entry(section).or_insert(toml::Table::new().into());
        let section = section.as_table_mut().unwrap();
        section.extend(keys.as_table().unwrap().clone());
    }
    let server = table["server"].as_table_mut().unwrap();
    server.insert("listen".to_owned(), "127.0.0.1:0".into());
    std::fs::write(&file, table.to_string()).unwrap();
    machine.give(&file);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_documented_command_of_an_operator_works() {
    let machine = Machine::new();
    let database = machine.path("/var/lib/chatkeep/chatkeep.db");
    let (install, start) = production_commands();
    machine.paste(install);
    configure(&machine);
    machine.paste(start);
    let service = machine.start();
    let superpowers = rows(&database, "SELECT key, value FROM flag_overrides");
    assert_eq!(json!(superpowers), json!([["superpower.enabled", "true"]]));
    let token = machine.paste(readme_block("token edge"));
    let agent = chatkeep::auth::edge_token::agent_in(token.trim());
    assert_eq!(agent.as_deref(), Some("my-relay"), "{token}");

    // Beside the service: by hand, by the timer, by cron.
    let backup = machine.path("/mnt/backups/chatkeep-Mon.db");
    machine.paste(block("## Backups", "date +%a"));
    assert!(backup.exists());
    let ini = blocks("## Backups", "ini");
    let timer = ini[0].lines().find_map(|l| l.strip_prefix("ExecStart="));
    let timer = timer
        .unwrap()
        .replace("%%", "%")
        .replace("$(date +%a)", "Tue");
    let timer = timer.replacen(
        "exec chatkeep",
        "PATH=/usr/local/bin/:$PATH exec chatkeep",
        1,
    );
    let cron = blocks("## Backups", "crontab")[0];
    let cron = cron.splitn(6, ' ').nth(5).unwrap().replace("\\%", "%");
    let cron = cron.trim().replace("$(date +%a)", "Wed");
    for (command, name) in [(timer, "Tue"), (cron, "Wed")] {
        let output = machine.by_service_user(&command).output().unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
        assert!(
            backup
                .with_file_name(format!("chatkeep-{name}.db"))
                .exists()
        );
    }
    service.stop().await;
    let epoch = || rows(&database, "SELECT value FROM meta WHERE key = 'edge_epoch'");

    // Restores, after each of which the service starts.
    for words in [
        "restore --config /etc/chatkeep/service.toml --yes /mnt/backups/chatkeep-Mon.db",
        "litestream restore",
        "now.db",
    ] {
        let before = epoch();
        std::fs::write(machine.path("/etc/litestream.yml"), litestream(&machine)).unwrap();
        machine.paste(block("## Backups", words));
        assert_ne!(epoch(), before, "{words}");
        machine.owners_are_right(words);
        machine.start().stop().await;
    }
}

fn litestream(machine: &Machine) -> String {
    let documented = blocks("## Backups", "yaml");
    machine.here(documented[0])
}

/// As root, which the documents advise against, and with the database gone as well.
#[tokio::test(flavor = "multi_thread")]
async fn what_root_makes_belongs_to_the_services_user() {
    let machine = Machine::new();
    machine.paste(block("## In production", "sudo -u chatkeep chatkeep init"));
    configure(&machine);
    machine.paste(block("## In production", "sudo -u chatkeep chatkeep check"));
    let database = machine.path("/var/lib/chatkeep/chatkeep.db");
    let config = "--config /etc/chatkeep/service.toml";
    // Root makes the database and all that is beside it.
    machine.paste(&format!(
        "chatkeep flags set llm.force_basic_mode true {config}"
    ));
    machine.owners_are_right("flags set");
    let service = machine.start();
    machine.paste(&format!("chatkeep backup {config} /mnt/backups/b.db"));
    service.stop().await;
    machine.owners_are_right("backup");
    for is_there in [true, false] {
        if !is_there {
            for entry in std::fs::read_dir(database.parent().unwrap()).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    std::fs::remove_file(path).unwrap();
                }
            }
        }
        machine.paste(&format!(
            "chatkeep restore {config} --yes /mnt/backups/b.db"
        ));
        machine.owners_are_right("restore");
        let rows = rows(&database, "SELECT key FROM flag_overrides");
        assert_eq!(json!(rows), json!([["llm.force_basic_mode"]]));
        machine.start().stop().await;
        machine.owners_are_right("the service's run");
    }
}

/// Words of the blocks of shell commands that the tests of this file run.
const RUN: [&str; 8] = [
    "sudo -u chatkeep chatkeep token edge --agent-id my-relay",
    "sudo -u chatkeep chatkeep init",
    "sudo -u chatkeep chatkeep check",
    "date +%a",
    "restore --config /etc/chatkeep/service.toml --yes /mnt/backups/chatkeep-Mon.db",
    "litestream restore",
    "now.db",
    "sudoedit /etc/chatkeep/service.toml",
];

#[test]
fn a_block_of_commands_that_no_test_runs_says_so() {
    let mut pages = vec![("README.md".to_owned(), README.to_owned())];
    for entry in std::fs::read_dir("src/guide").unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        pages.push((path.display().to_string(), text));
    }
    let mut unmarked = Vec::new();
    for (page, text) in &pages {
        for block in text.split("```sh\n").skip(1) {
            let block = block.split("```").next().unwrap();
            let is_run = RUN.iter().any(|words| block.contains(words));
            if !is_run && !block.contains("# Not run by the tests.") {
                unmarked.push(format!("{page}: {block}"));
            }
        }
    }
    assert!(unmarked.is_empty(), "{}", unmarked.join("\n"));
}
