//! `/connect/{token}`: the page on which a person connects a service, one form without scripts.
//! The same address takes the form's fields as JSON. It must not show what was typed.

use super::{Request, services};
use crate::error::{Error, Kind, Result};
use crate::http::{self, Fields, Response, StatusCode, header};
use crate::services::Credentials;

const PAGE: &str = include_str!("connect.html");
/// Nothing runs; the style is the page's own, which the hash names (a test says what it must
/// be), and the form goes to this service only.
const POLICY: &str = "default-src 'none'; style-src 'sha256-jKvdf0uurpAZkKUqHPX1Dh8TxFRiFq7wVxN2EDvwjEU='; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";
const FORM: &str = "application/x-www-form-urlencoded";

pub(super) async fn show(rq: Request) -> Result<Response> {
    let body = match rq.app.services.link(token(&rq)).await {
        Ok(_) => form(None),
        Err(error) => return told(error),
    };
    Ok(page(StatusCode::OK, "Connect a calendar", &body))
}

pub(super) async fn connect(mut rq: Request) -> Result<Response> {
    let sent_as = rq.exchange.header("content-type")?.unwrap_or_default();
    let media_type = sent_as.split(';').next().unwrap_or_default().trim();
    let is_form = media_type.eq_ignore_ascii_case(FORM);
    if !is_form {
        let body = rq.json().await?;
        let mut fields = Fields::of(&body.value);
        let credentials = services::read_credentials(&mut fields);
        let name = services::read_name(&mut fields);
        fields.finish()?;
        let services = &rq.app.services;
        let service = services.connect_by_link(token(&rq), credentials, name);
        return Ok(http::json(&service.await?));
    }
    let body = rq.exchange.read_body(rq.body_bytes_max).await?;
    match connect_by_form(&rq, &body).await {
        Ok(name) => {
            let text = format!(
                "<p class=good>{} is connected. You can close this page and go back to your chat.</p>",
                escaped(&name)
            );
            Ok(page(StatusCode::OK, "Connected", &text))
        }
        Err(error) => told(error),
    }
}

/// The connected service's name.
async fn connect_by_form(rq: &Request, body: &[u8]) -> Result<String> {
    let body =
        std::str::from_utf8(body).map_err(|_| Error::bad_request("The form is not UTF-8."))?;
    let value = |name: &str| {
        let mut pairs = body.split('&').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(key, _)| *key == name)?;
        let value = http::decode_form(value)?;
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let fields: serde_json::Map<String, serde_json::Value> =
        ["kind", "url", "username", "password", "name"]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), value(name)?.into())))
            .collect();
    let mut fields = Fields::of(&fields);
    let credentials: Credentials = services::read_credentials(&mut fields);
    let name = services::read_name(&mut fields);
    fields.finish()?;
    let connected = rq
        .app
        .services
        .connect_by_link(token(rq), credentials, name);
    Ok(connected.await?.name)
}

/// The error on the page, with the form where trying again makes sense.
fn told(error: Error) -> Result<Response> {
    let status = match error.kind {
        Kind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        Kind::BadRequest => StatusCode::BAD_REQUEST,
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::Gone => StatusCode::GONE,
        _ => return Err(error),
    };
    let may_try_again = matches!(error.kind, Kind::Invalid | Kind::BadRequest);
    let why = match error.fields.first() {
        Some(field) => format!("The address {}", field.message),
        None => error.detail,
    };
    let body = match may_try_again {
        true => form(Some(&why)),
        false => format!("<p class=bad>{}</p>", escaped(&why)),
    };
    Ok(page(status, "Connect a calendar", &body))
}

fn form(why: Option<&str>) -> String {
    let why = why.map_or(String::new(), |why| {
        format!("<p class=bad role=alert>{}</p>", escaped(why))
    });
    let (_, form) = PAGE.split_once("<!-- form -->").unwrap_or_default();
    format!("{why}{form}")
}

fn page(status: StatusCode, title: &str, body: &str) -> Response {
    let (frame, _) = PAGE.split_once("<!-- form -->").unwrap_or((PAGE, ""));
    let text = frame.replace("{title}", title).replace("{body}", body);
    let mut response = http::html(text);
    *response.status_mut() = status;
    let response = http::with_header(response, header::CONTENT_SECURITY_POLICY, POLICY);
    let response = http::with_header(response, header::REFERRER_POLICY, "same-origin");
    http::with_header(response, header::CACHE_CONTROL, "no-store")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn token(rq: &Request) -> &str {
    rq.params.get("token").unwrap_or_default()
}
