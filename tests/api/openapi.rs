//! The API's description: what is served, and that it is there for every route. That answers
//! fit it is checked wherever a test sends a request (tests/support/description.rs).

use crate::support::{Service, get};
use chatkeep::routes;
use serde_json::Value;

#[test]
fn every_route_is_described_and_nothing_else() {
    let gaps = routes::openapi::gaps();
    assert!(gaps.is_empty(), "{}", gaps.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_is_public_json() {
    let service = Service::start().await;
    let answer = service.send(&get("/openapi.json")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=300"));
    let document = answer.json();
    assert_eq!(document, routes::openapi::document());
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    for row in routes::table() {
        let method = row.method.as_str().to_ascii_lowercase();
        let operation = &document["paths"][row.path][method];
        assert!(operation["summary"].is_string(), "{}", row.path);
        let takes_body = operation["requestBody"].is_object();
        assert_eq!(takes_body, row.body_bytes_max > 0, "{}", row.path);
    }
}

/// Every example is one.
#[test]
fn examples_fit_their_schemas() {
    let document = routes::openapi::document();
    let mut schemas = Vec::new();
    collect(&document, &mut schemas);
    assert!(schemas.len() > 50);
    for schema in schemas {
        let mut whole = schema.clone();
        whole["components"] = document["components"].clone();
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        let validator = options.build(&whole).unwrap();
        for example in schema["examples"].as_array().unwrap() {
            assert!(validator.is_valid(example), "{example} in {schema}");
        }
    }
}

/// Schemas with examples, wherever they stand.
fn collect<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(entries) => {
            if value["examples"].is_array() {
                found.push(value);
            }
            entries.values().for_each(|inner| collect(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect(inner, found)),
        _ => {}
    }
}
