//! Holds every answer that the tests receive against the API's own description: its status,
//! its headers, its content type and its body must be what is described there, and what was
//! taken with a 200 must be described as acceptable.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use chatkeep::http::{Match, Method, Router};
use chatkeep::routes;
use jsonschema::Validator;
use serde_json::{Value, json};

use super::Answer;

/// What hyper refuses by itself comes without a body.
const BARE: [u16; 3] = [400, 414, 431];

struct Description {
    document: Value,
    router: Router<&'static str>,
    /// By pointer.
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

static DESCRIPTION: LazyLock<Description> = LazyLock::new(|| {
    let rows = routes::table().into_iter();
    Description {
        document: routes::openapi::document(),
        router: Router::new(rows.map(|row| (row.method, row.path, row.path))),
        validators: Mutex::default(),
    }
});

/// `head` is the request's first line and headers.
pub fn check(head: &str, body: &[u8], answer: &Answer) {
    let mut words = head.split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let path = target.split('?').next().unwrap();
    let what = format!("{method} {path} → {} {}", answer.status, answer.text);
    let is_bare = answer.header("content-type").is_none() && answer.text.is_empty();
    if is_bare && BARE.contains(&answer.status) {
        return;
    }
    let no_method = || Method::from_bytes(b"NONE").unwrap();
    let method = method.parse().unwrap_or_else(|_| no_method());
    let found = DESCRIPTION.router.find(&method, path);
    let Match::Found { target: path, .. } = found else {
        let problem = "/components/schemas/Problem";
        DESCRIPTION.assert_fits(problem, &answer.json(), &what);
        return;
    };
    let read = match method.as_str() {
        "HEAD" => "get".to_owned(),
        other => other.to_ascii_lowercase(),
    };
    let operation = format!("/paths/{}/{read}", escaped(path));
    let mut response = format!("{operation}/responses/{}", answer.status);
    let Some(mut described) = DESCRIPTION.document.pointer(&response) else {
        panic!("{what}: the status is not described in src/routes/openapi/");
    };
    if let Some(reference) = described["$ref"].as_str() {
        response = reference[1..].to_owned();
        described = DESCRIPTION.document.pointer(&response).unwrap();
    }
    check_headers(&response, answer, &what);
    let Some(contents) = described["content"].as_object() else {
        return;
    };
    let sent = answer.header("content-type").unwrap_or_default();
    let sent = sent.split(';').next().unwrap();
    assert!(
        contents.contains_key(sent),
        "{what}: {sent} is not described"
    );
    if sent.ends_with("json") && method != Method::HEAD {
        let schema = format!("{response}/content/{}/schema", escaped(sent));
        DESCRIPTION.assert_fits(&schema, &answer.json(), &what);
    }
    let expected = format!("{operation}/requestBody/content/application~1json/schema");
    let value: Option<Value> = serde_json::from_slice(body).ok();
    if let (200, Some(value), Some(_)) = (
        answer.status,
        value,
        DESCRIPTION.document.pointer(&expected),
    ) {
        DESCRIPTION.assert_fits(&expected, &value, &format!("the body of {what}"));
    }
}

/// Headers that mean something of ours: sent only where they are described.
const TELLING: [&str; 4] = [
    "RateLimit", "RateLimit-Policy", "Retry-After", "WWW-Authenticate",
];

/// `response` is where it is described.
fn check_headers(response: &str, answer: &Answer, what: &str) {
    let described = &DESCRIPTION.document.pointer(response).unwrap()["headers"];
    for name in TELLING {
        let is_sent = answer.header(name).is_some();
        let is_described = described[name].is_object();
        assert!(is_described || !is_sent, "{what}: {name} is not described");
    }
    for (name, header) in described.as_object().unwrap() {
        let pointer = match header["$ref"].as_str() {
            Some(reference) => reference[1..].to_owned(),
            None => format!("{response}/headers/{}", escaped(name)),
        };
        match answer.header(name) {
            Some(value) => {
                DESCRIPTION.assert_fits(&format!("{pointer}/schema"), &json!(value), what)
            }
            None => {
                let header = DESCRIPTION.document.pointer(&pointer).unwrap();
                assert_ne!(header["required"], true, "{what}: without {name}");
            }
        }
    }
}

impl Description {
    fn assert_fits(&self, pointer: &str, value: &Value, what: &str) {
        let validator = self.validator(pointer);
        if let Err(error) = validator.validate(value) {
            let at = error.instance_path().to_string();
            panic!("{what}\ndoes not fit the description {pointer}: at {at:?}: {error}");
        }
    }

    fn validator(&self, pointer: &str) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let entry = validators.entry(pointer.to_owned()).or_insert_with(|| {
            let mut schema = self.document.pointer(pointer).unwrap().clone();
            // What it names is found in itself.
            let schemas = &self.document["components"]["schemas"];
            schema["components"] = json!({ "schemas": schemas });
            if !pointer.contains("/requestBody/") {
                close(&mut schema);
            }
            let options = jsonschema::draft202012::options().should_validate_formats(true);
            Arc::new(options.build(&schema).unwrap())
        });
        entry.clone()
    }
}

/// An answer has no field that is not described.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(entries) => {
            let open = entries.contains_key("properties");
            if open && !entries.contains_key("additionalProperties") {
                entries.insert("additionalProperties".to_owned(), false.into());
            }
            for (name, inner) in entries {
                // Those only add to what stands beside them.
                if name != "allOf" && name != "anyOf" {
                    close(inner);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn escaped(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}
