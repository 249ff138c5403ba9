//! `/connect/{token}`: the page on which a person connects a service, one form without scripts.
//! The same address accepts the form's fields as JSON. The page must not show what was typed.

use super::Request;
use super::request::JsonBody;
use super::services::ServiceDraft;
use crate::account::call_limits::Limit;
use crate::error::{Error, ErrorKind, Result};
use crate::http::{self, Fields, Json, Response, StatusCode, header};
use crate::services::ServiceView;

const PAGE: &str = include_str!("connect/page.html");
const CALENDAR_FORMS: &str = include_str!("connect/calendar_forms.html");
const MAILBOX_FORM: &str = include_str!("connect/mailbox_form.html");
/// Content-Security-Policy: no scripts, only the page's own style by its hash (a test checks the
/// hash), and the form is sent to this service only.
const POLICY: &str = "default-src 'none'; style-src 'sha256-jKvdf0uurpAZkKUqHPX1Dh8TxFRiFq7wVxN2EDvwjEU='; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";
const TITLE: &str = "Connect a calendar or mailbox";
const FORM: &str = "application/x-www-form-urlencoded";

pub(super) async fn show(rq: Request<(), String>) -> Result<Response> {
    let body = match rq.app.services.link(&rq.path).await {
        Ok(link) => form(link.is_for_mail, None),
        Err(error) => return error_page(&rq, error).await,
    };
    Ok(page(StatusCode::OK, TITLE, &body))
}

pub(super) async fn connect(mut rq: Request<(), String>) -> Result<Response> {
    let content_type = rq.exchange.header("content-type")?.unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    let is_form = media_type.eq_ignore_ascii_case(FORM);
    if !is_form {
        let body = rq.json().await?;
        return Ok(http::json(&try_once(&rq, &body).await?));
    }
    let body = rq.exchange.read_body(rq.body_bytes_max).await?;
    match connect_by_form(&rq, &body).await {
        Ok(name) => {
            let text = format!(
                "<p class=good>{} is connected. You can close this page and go back to your chat.</p>",
                escape(&name)
            );
            Ok(page(StatusCode::OK, "Connected", &text))
        }
        Err(error) => error_page(&rq, error).await,
    }
}

/// The connected service's name.
async fn connect_by_form(rq: &Request<(), String>, body: &[u8]) -> Result<String> {
    let body =
        std::str::from_utf8(body).map_err(|_| Error::bad_request("The form is not UTF-8."))?;
    let value = |name: &str| {
        let mut pairs = body.split('&').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(key, _)| *key == name)?;
        let value = http::decode_form(value)?;
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let mut fields: Json = ["kind", "url", "host", "username", "password", "name"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), value(name)?.into())))
        .collect();
    // A form's values are texts.
    if let Some(port) = value("port") {
        let number = port.parse::<i64>();
        fields.insert(
            "port".to_owned(),
            number.map_or(port.into(), serde_json::Value::from),
        );
    }
    Ok(try_once(rq, &fields).await?.name)
}

/// Attempts count with the person's other calls for which servers are asked.
async fn try_once(rq: &Request<(), String>, body: &Json) -> Result<ServiceView> {
    let services = &rq.app.services;
    let mut fields = Fields::of(body);
    let ServiceDraft { credentials, name } =
        ServiceDraft::from_fields(&mut fields, rq.app.clock.now());
    fields.finish()?;
    let user = services.link(&rq.path).await?.user;
    rq.app.call_limits.take_of_minute(Limit::Services, user)?;
    services.connect_by_link(&rq.path, credentials, name).await
}

/// Shows the error on the page, with the form if another attempt can succeed.
async fn error_page(rq: &Request<(), String>, error: Error) -> Result<Response> {
    let status = match error.kind {
        ErrorKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::BadRequest => StatusCode::BAD_REQUEST,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Gone => StatusCode::GONE,
        ErrorKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        _ => return Err(error),
    };
    let can_retry = !matches!(error.kind, ErrorKind::NotFound | ErrorKind::Gone);
    let retry_after_s = error.retry_after_s;
    let message = match error.fields.first() {
        Some(field) => format!(
            "The field {} {}",
            field.field.trim_start_matches('/'),
            field.message
        ),
        None => error.detail,
    };
    let body = match can_retry {
        true => {
            let link = rq.app.services.link(&rq.path).await;
            form(link.is_ok_and(|link| link.is_for_mail), Some(&message))
        }
        false => format!("<p class=bad>{}</p>", escape(&message)),
    };
    let page = page(status, TITLE, &body);
    Ok(match retry_after_s {
        Some(seconds) => http::with_header(page, header::RETRY_AFTER, &seconds.to_string()),
        None => page,
    })
}

/// The forms for calendars and mailboxes, the requested kind first.
fn form(is_for_mail: bool, message: Option<&str>) -> String {
    let message = message.map_or(String::new(), |message| {
        format!("<p class=bad role=alert>{}</p>", escape(message))
    });
    match is_for_mail {
        true => format!("{message}{MAILBOX_FORM}{CALENDAR_FORMS}"),
        false => format!("{message}{CALENDAR_FORMS}{MAILBOX_FORM}"),
    }
}

fn page(status: StatusCode, title: &str, body: &str) -> Response {
    let text = PAGE.replace("{title}", title).replace("{body}", body);
    let mut response = http::html(text);
    *response.status_mut() = status;
    let response = http::with_header(response, header::CONTENT_SECURITY_POLICY, POLICY);
    let response = http::with_header(response, header::REFERRER_POLICY, "same-origin");
    http::with_header(response, header::CACHE_CONTROL, "no-store")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
