//! Tools of other servers: how a model is offered them, beside the tools of this service. Pure;
//! what the servers say is untrusted.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Tool;
use crate::assistant::tokens::estimated_tokens;

/// Between a server's name and its tool's. No tool of ours has it in its name.
pub const LINK: &str = "__";
/// Bytes of a tool's name that servers of language models take.
const NAME_BYTES_MAX: usize = 64;
/// Characters of a description.
const DESCRIPTION_CHARS_MAX: usize = 1_000;
/// Bytes of the schema of a tool's arguments.
const SCHEMA_BYTES_MAX: usize = 8 * 1024;
/// Marks an argument that a server wants as a header too, which is never sent.
const HEADER_MARK: &str = "x-mcp-header";

/// A tool of another server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteTool {
    /// The tool's name for models: `{server}__{tool}`.
    pub name: String,
    /// The name of the server in the configuration.
    pub server: String,
    /// The tool's name at its server.
    pub own_name: String,
    /// Its server says that it only looks something up.
    pub is_read_only: bool,
    /// The tool as it is offered to models.
    offer: Value,
}

impl RemoteTool {
    /// `listed`: as its server lists it. The error says why it can't be offered.
    pub fn read(server: &str, listed: &Value) -> Result<Self, String> {
        let own_name = listed.get("name").and_then(Value::as_str);
        let own_name = own_name.filter(|name| !name.is_empty());
        let own_name = own_name.ok_or("a tool has no name")?;
        let plain = |c: char| match c.is_ascii_alphanumeric() || c == '-' || c == '_' {
            true => c,
            false => '_',
        };
        let name: String = own_name.chars().map(plain).collect();
        let name = format!("{server}{LINK}{name}");
        if name.len() > NAME_BYTES_MAX {
            return Err(format!(
                "the name of a tool is longer than {} bytes",
                NAME_BYTES_MAX - server.len() - LINK.len()
            ));
        }
        let schema = listed.get("inputSchema").cloned();
        let schema = schema.unwrap_or_else(|| json!({ "type": "object" }));
        let text = schema.to_string();
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(format!("the arguments of {name} are no object"));
        }
        if text.len() > SCHEMA_BYTES_MAX {
            return Err(format!(
                "the arguments of {name} are described in more than {SCHEMA_BYTES_MAX} bytes"
            ));
        }
        if text.contains(HEADER_MARK) {
            return Err(format!("{name} wants arguments as headers"));
        }
        let description = listed.get("description").and_then(Value::as_str);
        let description = description.or_else(|| listed.get("title").and_then(Value::as_str));
        let description: String = description
            .unwrap_or_default()
            .chars()
            .filter(|c| !c.is_control() || *c == '\n')
            .take(DESCRIPTION_CHARS_MAX)
            .collect();
        Ok(Self {
            offer: json!({
                "type": "function",
                "function": { "name": name, "description": description, "parameters": schema },
            }),
            name,
            server: server.to_owned(),
            own_name: own_name.to_owned(),
            is_read_only: listed.pointer("/annotations/readOnlyHint") == Some(&Value::Bool(true)),
        })
    }

    /// The tool as it is offered to a model: `{"type": "function", "function": {name, description,
    /// parameters}}`.
    pub fn offer(&self) -> &Value {
        &self.offer
    }

    pub fn tokens(&self) -> usize {
        estimated_tokens(&self.offer.to_string())
    }

    /// A call's arguments (a model's JSON). The error is a sentence for the model.
    pub fn read_arguments(arguments: &str) -> Result<Map<String, Value>, String> {
        if arguments.len() > super::ARGUMENTS_BYTES_MAX {
            return Err(format!(
                "The arguments are too long; at most {} bytes.",
                super::ARGUMENTS_BYTES_MAX
            ));
        }
        super::argument_fields(arguments)
    }
}

/// A tool that a model is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferedTool {
    Own(Tool),
    Remote(Arc<RemoteTool>),
}

impl OfferedTool {
    pub fn name(&self) -> &str {
        match self {
            Self::Own(tool) => tool.name(),
            Self::Remote(tool) => &tool.name,
        }
    }

    pub fn offer(&self) -> &Value {
        match self {
            Self::Own(tool) => tool.offer(),
            Self::Remote(tool) => tool.offer(),
        }
    }

    pub fn tokens(&self) -> usize {
        match self {
            Self::Own(tool) => tool.tokens(),
            Self::Remote(tool) => tool.tokens(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_offered_under_a_name_of_its_server() {
        let listed = json!({"name": "files.read", "description": "Reads a file.",
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}});
        let tool = RemoteTool::read("notes", &listed).unwrap();
        assert_eq!(tool.name, "notes__files_read");
        assert_eq!(tool.own_name, "files.read");
        assert!(!tool.is_read_only);
        let function = &tool.offer()["function"];
        assert_eq!(function["name"], "notes__files_read");
        assert_eq!(function["parameters"], listed["inputSchema"]);
        assert!(super::super::Tool::all().all(|own| !own.name().contains(LINK)));
    }

    #[test]
    fn what_can_not_be_offered_is_named() {
        let object = json!({"type": "object"});
        for (listed, why) in [
            (json!({"inputSchema": object}), "no name"),
            (json!({"name": "", "inputSchema": object}), "no name"),
            (
                json!({"name": "x".repeat(60), "inputSchema": object}),
                "longer",
            ),
            (
                json!({"name": "x", "inputSchema": {"type": "string"}}),
                "no object",
            ),
            (json!({"name": "x", "inputSchema": []}), "no object"),
            (
                json!({"name": "x", "inputSchema": {"type": "object", "title": "x".repeat(9_000)}}),
                "more than",
            ),
            (
                json!({"name": "x", "inputSchema": {"type": "object", "properties": {"a": {"x-mcp-header": "A"}}}}),
                "headers",
            ),
        ] {
            let error = RemoteTool::read("notes", &listed).unwrap_err();
            assert!(error.contains(why), "{listed}: {error}");
        }
    }
}
