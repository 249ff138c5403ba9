//! `[[reply.mcp]]`: servers of the Model Context Protocol whose tools a language model may call.

use super::secret::Secret;
use super::section::Section;
use super::url;

/// Bytes of a server's name; it stands before the name of each of its tools.
const NAME_BYTES_MAX: usize = 20;

/// A server of the Model Context Protocol.
#[derive(Debug, Clone)]
pub struct McpServer {
    /// Lower case letters, digits and "-", at most 20 bytes; no two are the same.
    pub name: String,
    /// The address of its endpoint for streamable HTTP, used exactly as configured.
    pub url: String,
    pub token: Option<Secret>,
    /// Whether its tools are offered in groups too.
    pub groups: bool,
}

impl McpServer {
    pub(super) fn example() -> toml::Value {
        let mut table = toml::Table::new();
        table.insert("name".to_owned(), "notes".into());
        table.insert("url".to_owned(), "http://127.0.0.1:3000/mcp".into());
        table.insert("groups".to_owned(), false.into());
        toml::Value::Array(vec![toml::Value::Table(table)])
    }

    /// `None`: a problem was reported.
    pub(super) fn read(s: &mut Section) -> Option<Self> {
        let name = s.parsed_if_set("name", "", "notes", name);
        let address = s.parsed_if_set("url", "", "http://127.0.0.1:3000/mcp", url::web);
        let token = s.secret("token", "");
        let groups = s.switch("groups", "", false);
        Some(Self {
            name: s.needed("name", name)?,
            url: s.needed("url", address)?,
            token,
            groups,
        })
    }
}

fn name(text: &str) -> Result<String, String> {
    let is_name = (1..=NAME_BYTES_MAX).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    match is_name {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "must begin with a letter and have at most {NAME_BYTES_MAX} lower case letters, digits and \"-\""
        )),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Source};

    fn read(text: &str) -> (Config, Vec<(String, String)>, Vec<String>) {
        let (config, report) = Config::from_table(text.parse().unwrap(), &Source::default());
        let problems = report.problems.into_iter();
        let problems = problems.map(|problem| (problem.key, problem.message));
        (config, problems.collect(), report.warnings)
    }

    #[test]
    fn servers_are_read_and_their_tokens_hidden() {
        let (config, problems, warnings) = read(
            "[reply]\nengine = \"openai\"\nbase_url = \"http://x\"\nmodel = \"m\"\n\
             [[reply.mcp]]\nname = \"notes\"\nurl = \"http://127.0.0.1:3000/mcp/\"\ntoken = \"tell-nobody\"\n\
             [[reply.mcp]]\nname = \"wiki-2\"\nurl = \"https://wiki.example.com\"\ngroups = true\n",
        );
        assert_eq!(problems, []);
        assert!(!warnings.concat().contains("reply.mcp"), "{warnings:?}");
        let [notes, wiki] = &config.reply.mcp[..] else {
            panic!("{:?}", config.reply.mcp);
        };
        assert_eq!(
            (notes.url.as_str(), notes.groups),
            ("http://127.0.0.1:3000/mcp/", false)
        );
        assert_eq!(notes.token.as_ref().unwrap().expose(), "tell-nobody");
        assert!(wiki.groups && wiki.token.is_none());
        assert!(!format!("{config:?}").contains("tell-nobody"));
    }

    #[test]
    fn every_mistake_is_named() {
        let (config, problems, warnings) = read(
            "[[reply.mcp]]\nname = \"Notes\"\nurl = \"ftp://x\"\n\
             [[reply.mcp]]\nname = \"wiki\"\ntokn = \"a\"\n\
             [[reply.mcp]]\nname = \"same\"\nurl = \"http://x\"\n\
             [[reply.mcp]]\nname = \"same\"\nurl = \"http://u:p@y\"\n\
             [[reply.mcp]]\nname = \"same\"\nurl = \"http://y\"\n",
        );
        let keys: Vec<&str> = problems.iter().map(|(key, _)| key.as_str()).collect();
        let expected = [
            "reply.mcp.1.name", "reply.mcp.1.url", "reply.mcp.2.url", "reply.mcp.2.tokn",
            "reply.mcp.4.url", "reply.mcp",
        ];
        assert_eq!(keys, expected, "{problems:?}");
        assert!(problems[3].1.contains("the nearest is token"));
        assert!(problems[3].1.ends_with("([[reply.mcp]] \"wiki\")"));
        assert_eq!(config.reply.mcp.len(), 2);
        assert!(warnings.concat().contains("reply.mcp has no effect"));
        let (_, problems, _) = read("[reply]\nmcp = \"notes\"\n");
        assert_eq!(problems[0].0, "reply.mcp");
    }
}
