//! `GET /openapi.json`: the OpenAPI 3.1 document. Method, path parameters, caller, limit, body cap
//! and the refusals that follow from them (`refusals`) are derived from the route table, and the
//! schemas of answers from the types that handlers send (`schemas`). The rest is written by subject
//! in the files of `openapi/`.
//!
//! The bodies of requests are described there by hand: handlers read them field by field
//! (`http::Fields`), so that every wrong field is reported at once, and such bodies have no type.
//! So are the answers that handlers write without a type of their own: `GET /health`, whose fields
//! depend on the built-in relays, and the answers to messages and polls, which are put together
//! from stored JSON. Tests compare each answer that they get with the document.

mod refusals;
mod schemas;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use super::{Caller, Request, Route, table};
use crate::error::Result;
use crate::http::{self, Bytes, Response, header};

const BASE: &str = include_str!("openapi/whole.json");
/// The files: operations by method and path, and the schemas that have no type.
const PARTS: [&str; 5] = [
    include_str!("openapi/account.json"),
    include_str!("openapi/billing.json"),
    include_str!("openapi/marketplace.json"),
    include_str!("openapi/operator.json"),
    include_str!("openapi/relays.json"),
];
/// The document changes only with the version.
const CACHE_CONTROL: &str = "public, max-age=300";

pub(super) async fn show(_: Request) -> Result<Response> {
    static DOCUMENT: OnceLock<Bytes> = OnceLock::new();
    let bytes = DOCUMENT.get_or_init(|| document().to_string().into());
    let response = http::json_bytes(bytes.clone());
    Ok(http::with_header(
        response,
        header::CACHE_CONTROL,
        CACHE_CONTROL,
    ))
}

/// The whole document.
pub fn document() -> Value {
    let OpenApiParts {
        mut operations,
        schemas,
    } = OpenApiParts::read();
    let (mut paths, mut refusals) = (Map::new(), Map::new());
    for row in table() {
        if let Some(Value::Object(operation)) = operations.remove(&name(&row)) {
            let path = paths.entry(row.path).or_insert_with(|| json!({}));
            let method = row.method.as_str().to_ascii_lowercase();
            path[method] = with_row_facts(&row, operation, &mut refusals).into();
        }
    }
    let mut document: Value = serde_json::from_str(BASE).expect("whole.json is valid JSON");
    document["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    document["paths"] = paths.into();
    document["components"]["responses"] = refusals.into();
    for (name, schema) in schemas.into_iter().chain(schemas::of_answers()) {
        document["components"]["schemas"][name] = schema;
    }
    document
}

/// Problems, each with what to do: routes without a description, descriptions without a route,
/// references without a schema, and schemas without a reference.
pub fn gaps() -> Vec<String> {
    let mut gaps = gaps_of_routes();
    let document = document();
    let schemas = document["components"]["schemas"].as_object();
    let schemas: BTreeSet<&str> = schemas
        .into_iter()
        .flatten()
        .map(|(name, _)| &**name)
        .collect();
    let mut references = Vec::new();
    find_refs(&document, &mut references);
    let names = references.iter().filter_map(|reference| {
        let path = reference.strip_prefix("#/components/schemas/")?;
        path.split('/').next()
    });
    let used: BTreeSet<&str> = names.collect();
    gaps.extend(used.difference(&schemas).map(|name| {
        format!(
            "{name} has no schema: list its type in src/routes/openapi/schemas.rs, or describe it \
             in a file of src/routes/openapi/"
        )
    }));
    let unused = schemas.difference(&used);
    gaps.extend(unused.map(|name| format!("{name} has a schema, but no operation refers to it")));
    gaps
}

fn gaps_of_routes() -> Vec<String> {
    let operations = OpenApiParts::read().operations;
    let described: BTreeSet<String> = operations.into_iter().map(|(name, _)| name).collect();
    let routes: BTreeSet<String> = table().iter().map(name).collect();
    let missing = routes.difference(&described).map(|route| {
        format!("{route} is not described: give it an operation in a file of src/routes/openapi/")
    });
    let stale = described.difference(&routes).map(|route| {
        format!("{route} is described in src/routes/openapi/, but the table has no such row")
    });
    missing.chain(stale).collect()
}

#[derive(Default)]
struct OpenApiParts {
    /// By method and path, such as "GET /health".
    operations: Map<String, Value>,
    schemas: Map<String, Value>,
}

impl OpenApiParts {
    fn read() -> Self {
        let mut all = Self::default();
        for part in PARTS {
            let mut part: Value = serde_json::from_str(part).expect("each part is valid JSON");
            for (name, target) in [
                ("operations", &mut all.operations),
                ("schemas", &mut all.schemas),
            ] {
                if let Value::Object(entries) = part[name].take() {
                    target.extend(entries);
                }
            }
        }
        all
    }
}

fn name(row: &Route) -> String {
    format!("{} {}", row.method, row.path)
}

/// Adds to an operation everything that its row determines.
fn with_row_facts(
    row: &Route,
    mut operation: Map<String, Value>,
    refusals: &mut Map<String, Value>,
) -> Map<String, Value> {
    let scheme = match row.caller {
        Caller::Anyone => None,
        Caller::Edge | Caller::EdgeSocket => Some(json!([{"edgeToken": []}])),
        // The legacy secret is optional in the configuration.
        Caller::Legacy => Some(json!([{"legacySecret": []}, {}])),
        Caller::User => Some(json!([{"userToken": []}])),
        Caller::Admin => Some(json!([{"adminToken": []}])),
    };
    if let Some(scheme) = scheme {
        operation.insert("security".to_owned(), scheme);
    }
    let mut parameters: Vec<Value> = parameters(row.path)
        .map(|name| json!({"$ref": format!("#/components/parameters/{name}")}))
        .collect();
    if let Some(Value::Array(explicit)) = operation.remove("parameters") {
        parameters.extend(explicit);
    }
    if !parameters.is_empty() {
        operation.insert("parameters".to_owned(), parameters.into());
    }
    refusals::add(row, &mut operation, refusals);
    operation
}

fn parameters(path: &str) -> impl Iterator<Item = &str> {
    let is_parameter = |part: &'_ str| part.starts_with('{');
    path.split('/')
        .filter(move |part| is_parameter(part))
        .map(|part| part.trim_matches(['{', '}']))
}

/// The values of all `$ref` in a part of the document.
fn find_refs<'a>(value: &'a Value, references: &mut Vec<&'a str>) {
    match value {
        Value::Object(entries) => {
            references.extend(entries.get("$ref").and_then(Value::as_str));
            entries
                .values()
                .for_each(|inner| find_refs(inner, references));
        }
        Value::Array(items) => items.iter().for_each(|inner| find_refs(inner, references)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_described_and_every_schema_used() {
        assert_eq!(gaps(), Vec::<String>::new());
    }

    #[test]
    fn every_reference_resolves() {
        let document = document();
        let mut references = Vec::new();
        find_refs(&document, &mut references);
        assert!(references.len() > 100);
        for reference in references {
            let pointer = reference.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }

    #[test]
    fn names_are_unique() {
        let mut ids = BTreeSet::new();
        let derived = schemas::of_answers().into_iter();
        let mut schemas: BTreeSet<String> = derived.map(|(name, _)| name).collect();
        // `schemars` numbers types of the same name.
        let is_numbered = |name: &&String| name.ends_with(|last: char| last.is_ascii_digit());
        assert_eq!(schemas.iter().find(is_numbered), None);
        for part in PARTS {
            let part: Value = serde_json::from_str(part).unwrap();
            for (route, operation) in part["operations"].as_object().unwrap() {
                let id = operation["operationId"].as_str().unwrap().to_owned();
                assert!(ids.insert(id), "{route}");
            }
            for (name, _) in part["schemas"].as_object().unwrap() {
                assert!(schemas.insert(name.clone()), "{name}");
            }
        }
    }

    /// Only an operation whose row is public may describe another kind of authentication.
    #[test]
    fn security_comes_from_the_table() {
        let described = OpenApiParts::read().operations;
        for row in table() {
            let explicit = described[&name(&row)].get("security");
            assert!(
                row.caller == Caller::Anyone || explicit.is_none(),
                "{}",
                row.path
            );
        }
        let document = document();
        let security_of =
            |path: &str, method: &str| document["paths"][path][method]["security"].clone();
        assert_eq!(security_of("/account", "get"), json!([{"userToken": []}]));
        assert_eq!(
            security_of("/admin/users", "get"),
            json!([{"adminToken": []}])
        );
        assert_eq!(
            security_of("/edge/sync", "post"),
            json!([{"edgeToken": []}])
        );
        assert_eq!(security_of("/health", "get"), Value::Null);
        assert_eq!(
            security_of("/payment/events", "post"),
            json!([{"paymentSignature": []}])
        );
    }
}
