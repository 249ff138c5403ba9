//! Writes the commented example of every key (`service.toml`) and the file of `chatkeep init`. Both
//! come from the descriptions in `sections`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::Config;
use super::reader::{ConfigReader, KnownSection};
use super::section::Key;

const COLUMNS_MAX: usize = 90;
/// After the name of a secret: the setting that names its file.
const FILE_SUFFIX: &str = "_file";

const HEAD: &str = "\
# Settings of Chatkeep. A line that begins with \"#\" and no space is a setting with its default,
# or an example if the setting has no default. Remove the \"#\" to set it.
#
# Environment variables override this file: CHATKEEP_<SECTION>_<KEY>, with commas between the
# items of a list. A secret can be stored in a separate file, named by <key>_file. An empty value
# counts as unset. `chatkeep check` reports every problem at once. After SIGHUP (`systemctl
# reload chatkeep`) a running service reads the settings again; the log names the changed settings
# that need a restart.
";

/// `service.toml` with every key commented out; the same as no file.
pub fn example() -> String {
    render(&[])
}

/// The secrets of a new `service.toml`, each of 64 hex characters.
pub struct NewSecrets {
    pub edge_secret: String,
    pub admin_token: String,
    pub hs256_secret: String,
    pub sealing_key: SealingKey,
}

/// The sealing key of a new `service.toml`.
pub enum SealingKey {
    New(String),
    /// The file of a key that is in use already.
    InFile(PathBuf),
}

/// `service.toml` for production.
pub fn production_file(secrets: &NewSecrets, charge_nobody: bool) -> String {
    let sealing_key = match &secrets.sealing_key {
        SealingKey::New(key) => ("marketplace.sealing_key", key.as_str().into()),
        SealingKey::InFile(path) => (
            "marketplace.sealing_key_file",
            path.display().to_string().into(),
        ),
    };
    render(&[
        ("server.environment", "production".into()),
        ("edge.secret", secrets.edge_secret.as_str().into()),
        (
            "identity.hs256_secret",
            secrets.hs256_secret.as_str().into(),
        ),
        ("access.charge_nobody", charge_nobody.into()),
        sealing_key,
        ("admin.token", secrets.admin_token.as_str().into()),
    ])
}

fn render(set: &[(&str, toml::Value)]) -> String {
    let mut out = HEAD.to_owned();
    for section in known_sections() {
        let _ = write!(out, "\n# {}\n[{}]\n", section.about.trim(), section.name);
        for key in section.keys.iter().filter(|key| !key.hidden) {
            let full = format!("{}.{}", section.name, key.name);
            let set = set
                .iter()
                .find(|(name, _)| *name == full || name.strip_suffix(FILE_SUFFIX) == Some(&full));
            let line = set.map(|(name, value)| {
                let suffix = name.strip_prefix(&full).unwrap_or_default();
                format!("{}{suffix} = {value}", key.name)
            });
            render_key(&mut out, key, line);
        }
    }
    out
}

/// `line` sets the key; without one it is commented out.
fn render_key(out: &mut String, key: &Key, line: Option<String>) {
    let has_example = key.example.as_str() != Some("");
    let note = match (key.has_default, has_example) {
        (false, true) => format!("{} Not set; for example:", key.note),
        (false, false) => format!("{} Not set.", key.note),
        (true, _) => key.note.clone(),
    };
    let note = if line.is_some() { &key.note } else { &note };
    out.push('\n');
    for line in wrap(note) {
        let _ = writeln!(out, "# {line}");
    }
    let _ = match line {
        Some(line) => writeln!(out, "{line}"),
        None => writeln!(out, "#{} = {}", key.name, key.example),
    };
}

fn known_sections() -> Vec<KnownSection> {
    let env = BTreeMap::new();
    let mut reader = ConfigReader::new(toml::Table::new(), &env);
    Config::read(&mut reader);
    reader.finish().0
}

fn wrap(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= COLUMNS_MAX => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;

    const CHECKED_IN: &str = include_str!("../../service.toml");

    /// Uncomments setting lines, which have no space after the `#`.
    fn uncomment(text: &str, keep: impl Fn(&str) -> bool) -> toml::Table {
        let lines = text.lines().map(|line| match line.strip_prefix('#') {
            Some(setting) if setting.starts_with(char::is_alphabetic) && keep(setting) => setting,
            _ => line,
        });
        lines.collect::<Vec<_>>().join("\n").parse().unwrap()
    }

    /// Run this after changing a key: `cargo test --lib writes_the_example -- --ignored`.
    #[test]
    #[ignore = "writes service.toml"]
    fn writes_the_example() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/service.toml");
        std::fs::write(path, example()).unwrap();
    }

    #[test]
    fn the_checked_in_file_is_the_example() {
        assert!(
            CHECKED_IN == example(),
            "run the ignored test writes_the_example"
        );
    }

    #[test]
    fn the_example_is_the_same_as_no_file() {
        let source = Source::default();
        let (config, report) = Config::from_table(CHECKED_IN.parse().unwrap(), &source);
        assert_eq!(report.problems, []);
        let (without, _) = Config::from_table(toml::Table::new(), &source);
        assert_eq!(format!("{config:?}"), format!("{without:?}"));
    }

    #[test]
    fn every_default_in_the_example_is_the_default() {
        let sections = known_sections();
        let keys = sections.iter().flat_map(|s| &s.keys);
        let optional: Vec<&Key> = keys.filter(|key| !key.has_default).collect();
        let table = uncomment(CHECKED_IN, |line| {
            let is_example = |k: &&Key| line == format!("{} = {}", k.name, k.example);
            !optional.iter().any(is_example)
        });
        let source = Source::default();
        let (config, report) = Config::from_table(table, &source);
        assert_eq!(report.problems, []);
        let (without, _) = Config::from_table(toml::Table::new(), &source);
        assert_eq!(format!("{config:?}"), format!("{without:?}"));
    }

    #[test]
    fn the_example_names_every_key_and_no_other_and_its_examples_are_valid() {
        let table = uncomment(CHECKED_IN, |_| true);
        for section in known_sections() {
            for key in section.keys.iter().filter(|key| !key.hidden) {
                let mut steps = section.name.split('.');
                let outer = &table[steps.next().unwrap()];
                let inner = steps.fold(outer, |table, step| &table[step]);
                assert!(inner.get(&key.name).is_some(), "{}", key.name);
            }
        }
        let (_, report) = Config::from_table(table, &Source::default());
        assert_eq!(report.problems, []);
    }

    #[test]
    fn the_production_file_starts() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sealing.key");
        let [edge, admin, hs256, sealing] = ["e", "a", "f", "b"].map(|c| c.repeat(64));
        std::fs::write(&file, &sealing).unwrap();
        for sealing_key in [
            SealingKey::New(sealing.clone()),
            SealingKey::InFile(file.clone()),
        ] {
            let secrets = NewSecrets {
                edge_secret: edge.clone(),
                admin_token: admin.clone(),
                hs256_secret: hs256.clone(),
                sealing_key,
            };
            let text = production_file(&secrets, true);
            let (config, report) = Config::from_table(text.parse().unwrap(), &Source::default());
            assert_eq!(report.problems, []);
            assert!(config.is_production());
            assert_eq!(config.edge.secret.unwrap().expose(), edge);
            assert_eq!(config.admin.token.unwrap().expose(), admin);
            assert_eq!(config.identity.hs256_secret.unwrap().expose(), hs256);
            assert!(config.access.charge_nobody);
            assert_eq!(config.marketplace.sealing_key.unwrap().expose(), sealing);
        }
    }
}
