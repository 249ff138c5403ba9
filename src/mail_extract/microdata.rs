//! Microdata (`itemscope`, `itemtype`, `itemprop`) converted to JSON-LD.

use html5ever::tokenizer::Tag;
use serde_json::{Map, Value};

use super::one_line;

const ITEMS_MAX: usize = 200;
const NESTING_MAX: usize = 16;
const PROPERTIES_MAX: usize = 100;
const VALUE_CHARS_MAX: usize = 2_000;
/// Properties whose text is being read.
const OPEN_TEXTS_MAX: usize = 8;

#[derive(Default)]
pub(super) struct Microdata {
    /// Whole items, in their order.
    pub(super) items: Vec<Value>,
    scopes: Vec<Scope>,
    texts: Vec<TextProperty>,
    scopes_seen: usize,
}

struct Scope {
    /// How many elements are open round it.
    depth: usize,
    /// Properties of the item round it which this item is the value of.
    names: Vec<String>,
    properties: Map<String, Value>,
}

struct TextProperty {
    depth: usize,
    names: Vec<String>,
    text: String,
}

impl Microdata {
    /// `depth`: how many elements are open round this one; `None` when it has no content.
    pub(super) fn start(&mut self, tag: &Tag, depth: Option<usize>) {
        let names = attribute(tag, "itemprop").unwrap_or_default();
        let names: Vec<String> = names
            .split_whitespace()
            .take(4)
            .map(str::to_owned)
            .collect();
        if attribute(tag, "itemscope").is_some() {
            if let Some(depth) = depth {
                self.open_scope(tag, depth, names);
            }
            return;
        }
        if names.is_empty() || self.scopes.is_empty() {
            return;
        }
        let written = ["content", "href", "datetime", "src", "value"];
        if let Some(value) = written.iter().find_map(|name| attribute(tag, name)) {
            self.add(&names, &Value::String(one_line(value, VALUE_CHARS_MAX)));
        } else if let Some(depth) = depth
            && self.texts.len() < OPEN_TEXTS_MAX
        {
            self.texts.push(TextProperty {
                depth,
                names,
                text: String::new(),
            });
        }
    }

    fn open_scope(&mut self, tag: &Tag, depth: usize, names: Vec<String>) {
        if self.scopes.len() >= NESTING_MAX || self.scopes_seen >= ITEMS_MAX {
            return;
        }
        self.scopes_seen += 1;
        let mut properties = Map::new();
        if let Some(kind) = attribute(tag, "itemtype") {
            let kind = kind.split_whitespace().next().unwrap_or_default();
            properties.insert("@type".to_owned(), Value::String(kind.to_owned()));
        }
        self.scopes.push(Scope {
            depth,
            names,
            properties,
        });
    }

    pub(super) fn add_text(&mut self, text: &str) {
        for open in &mut self.texts {
            if open.text.len() < VALUE_CHARS_MAX {
                open.text
                    .push_str(super::first_chars(text, VALUE_CHARS_MAX));
            }
        }
    }

    /// All elements but the first `open` have ended.
    pub(super) fn close(&mut self, open: usize) {
        loop {
            let text_depth = self.texts.last().map(|text| text.depth);
            let scope_depth = self.scopes.last().map(|scope| scope.depth);
            // An element is a text property or a scope, never both.
            if text_depth.is_some_and(|depth| depth >= open) && text_depth > scope_depth {
                let Some(found) = self.texts.pop() else {
                    return;
                };
                let value = Value::String(one_line(&found.text, VALUE_CHARS_MAX));
                self.add(&found.names, &value);
            } else if scope_depth.is_some_and(|depth| depth >= open) {
                let Some(scope) = self.scopes.pop() else {
                    return;
                };
                let item = Value::Object(scope.properties);
                match scope.names.is_empty() || self.scopes.is_empty() {
                    true => self.items.push(item),
                    false => self.add(&scope.names, &item),
                }
            } else {
                return;
            }
        }
    }

    /// A property that is there already gets a list of values.
    fn add(&mut self, names: &[String], value: &Value) {
        let Some(scope) = self.scopes.last_mut() else {
            return;
        };
        for name in names {
            if scope.properties.len() >= PROPERTIES_MAX {
                return;
            }
            match scope.properties.get_mut(name) {
                None => {
                    scope.properties.insert(name.clone(), value.clone());
                }
                Some(Value::Array(values)) if values.len() < PROPERTIES_MAX => {
                    values.push(value.clone());
                }
                Some(Value::Array(_)) => {}
                Some(first) => *first = Value::Array(vec![first.take(), value.clone()]),
            }
        }
    }
}

/// The value of a tag's attribute.
pub(super) fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    let found = tag
        .attrs
        .iter()
        .find(|attribute| &*attribute.name.local == name);
    found.map(|attribute| &*attribute.value)
}
