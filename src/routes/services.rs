//! `/account/services…`: the calendars and mailboxes that a person connected, and
//! `/admin/users/{user_id}/services…`: the same for the operator.

use super::answers::MessageAnswer;
use super::caller::Admin;
use super::request::JsonBody;
use super::{Request, audit};
use crate::account::identity::SignedInUser;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::http::{self, Fields, Response};
use crate::services::{Credentials, NAME_CHARS_MAX, ServiceChange, ServiceList};

const URL_BYTES_MAX: usize = 2_000;
const HOST_BYTES_MAX: usize = 253;
const USERNAME_BYTES_MAX: usize = 320;
const PASSWORD_BYTES_MAX: usize = 1_000;
/// Calendars switched on or off at once.
const CALENDARS_MAX: usize = 200;

/// The settings that a person enters for a service.
pub(super) struct ServiceDraft {
    pub credentials: Credentials,
    pub name: Option<String>,
}

impl JsonBody for ServiceDraft {
    fn from_fields(fields: &mut Fields, _: Timestamp) -> Self {
        Self {
            credentials: read_credentials(fields),
            name: read_name(fields),
        }
    }
}

pub(super) async fn connect(rq: Request<SignedInUser, (), ServiceDraft>) -> Result<Response> {
    let ServiceDraft { credentials, name } = rq.body;
    let service = rq.app.services.connect(rq.caller.id, credentials, name);
    Ok(http::json(&service.await?))
}

pub(super) async fn list(rq: Request<SignedInUser>) -> Result<Response> {
    let services = rq.app.services.list(rq.caller.id).await?;
    Ok(http::json(&ServiceList { services }))
}

pub(super) async fn sync(rq: Request<SignedInUser, String>) -> Result<Response> {
    let service = rq.app.services.sync_now(rq.caller.id, &rq.path);
    Ok(http::json(&service.await?))
}

impl JsonBody for ServiceChange {
    fn from_fields(fields: &mut Fields, _: Timestamp) -> Self {
        let name = read_name(fields);
        let calendars = fields.optional_objects("calendars", CALENDARS_MAX, |fields| {
            let calendar_id = fields.required_string("calendar_id", 1..=36);
            (calendar_id, fields.required_bool("enabled"))
        });
        Self {
            name,
            calendars: calendars.unwrap_or_default(),
        }
    }
}

pub(super) async fn update(rq: Request<SignedInUser, String, ServiceChange>) -> Result<Response> {
    let (user, services) = (rq.caller.id, &rq.app.services);
    let service = services.update(user, &rq.path, rq.body);
    Ok(http::json(&service.await?))
}

pub(super) async fn disconnect(rq: Request<SignedInUser, String>) -> Result<Response> {
    let user = rq.caller.id;
    rq.app.services.disconnect(user, &rq.path).await?;
    Ok(disconnected())
}

pub(super) async fn list_of(rq: Request<Admin, String>) -> Result<Response> {
    let services = rq.app.services.list_of(&rq.path).await?;
    Ok(http::json(&ServiceList { services }))
}

pub(super) async fn connect_for(rq: Request<Admin, String, ServiceDraft>) -> Result<Response> {
    let (services, operator) = (&rq.app.services, audit::operator(&rq)?);
    let ServiceDraft { credentials, name } = rq.body;
    let service = services.connect_for(&rq.path, credentials, name, operator);
    Ok(http::json(&service.await?))
}

pub(super) async fn test_of(rq: Request<Admin, (String, String)>) -> Result<Response> {
    let (user_id, service_id) = &rq.path;
    let service = rq.app.services.test_of(user_id, service_id);
    Ok(http::json(&service.await?))
}

pub(super) async fn disconnect_for(rq: Request<Admin, (String, String)>) -> Result<Response> {
    let (services, operator) = (&rq.app.services, audit::operator(&rq)?);
    let (user_id, service_id) = &rq.path;
    let done = services.disconnect_for(user_id, service_id, operator);
    done.await?;
    Ok(disconnected())
}

fn disconnected() -> Response {
    http::json(&MessageAnswer {
        message: "The service is disconnected; its credentials and fetched data are deleted.",
    })
}

fn read_credentials(fields: &mut Fields) -> Credentials {
    let kind = fields.one_of("kind", &["ics", "caldav", "imap"]);
    if kind == "imap" {
        let tls = fields.optional_bool("tls").unwrap_or(true);
        let port = fields.optional_integer("port", 1..=i64::from(u16::MAX));
        return Credentials::imap(
            fields.required_string("host", 1..=HOST_BYTES_MAX),
            port.and_then(|port| port.try_into().ok()),
            fields.required_string("username", 1..=USERNAME_BYTES_MAX),
            fields.required_string("password", 1..=PASSWORD_BYTES_MAX),
            tls,
        );
    }
    let url = fields.required_string("url", 1..=URL_BYTES_MAX);
    match kind {
        "caldav" => Credentials::Caldav {
            url,
            username: fields.required_string("username", 1..=USERNAME_BYTES_MAX),
            password: fields.required_string("password", 1..=PASSWORD_BYTES_MAX),
        },
        _ => Credentials::Ics { url },
    }
}

fn read_name(fields: &mut Fields) -> Option<String> {
    let name = fields.optional_string("name", 1..=NAME_CHARS_MAX * 4)?;
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX {
        let expected = format!("must have 1 to {NAME_CHARS_MAX} characters.");
        fields.refuse("name", expected);
    }
    Some(name.to_owned())
}
