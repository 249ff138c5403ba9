//! `/marketplace/apps…`: apps, and the chats in which they are installed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::account::identity::SignedInUser;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::http::{self, Fields, Response};
use crate::marketplace::actions::{
    ACTION_ID_CHARS_MAX, ACTIONS_MAX, ActionKind, AppAction, PARAMETERS_MAX, TEMPLATE_BYTES_MAX,
    is_action_id,
};
use crate::marketplace::apps::{AppDraft, AppView, ROOM_APPS_MAX};
use crate::marketplace::template::FIELD_CHARS_MAX;
use crate::routes::Request;
use crate::routes::answers::StatusAndMessage;
use crate::routes::request::JsonBody;
use crate::store::RoomApp;

const NAME_BYTES_MAX: usize = 200;
const DESCRIPTION_BYTES_MAX: usize = 2_000;

pub(in crate::routes) async fn create(rq: Request<SignedInUser, (), AppDraft>) -> Result<Response> {
    let app = rq.app.marketplace.create_app(rq.caller.id, rq.body);
    Ok(http::json(&app.await?))
}

#[derive(Serialize, JsonSchema)]
pub(in crate::routes) struct AppList {
    apps: Vec<AppView>,
    total: usize,
}

pub(in crate::routes) async fn list(rq: Request<SignedInUser>) -> Result<Response> {
    let apps = rq.app.marketplace.apps(rq.caller.id).await?;
    let total = apps.len();
    Ok(http::json(&AppList { apps, total }))
}

pub(in crate::routes) async fn show(rq: Request<SignedInUser, String>) -> Result<Response> {
    let (caller, app) = (rq.caller.id, rq.path);
    let app = rq.app.marketplace.app(caller, app).await?;
    Ok(http::json(&app))
}

pub(in crate::routes) async fn replace(
    rq: Request<SignedInUser, String, AppDraft>,
) -> Result<Response> {
    let (caller, app) = (rq.caller.id, rq.path);
    let app = rq.app.marketplace.replace_app(caller, app, rq.body);
    Ok(http::json(&app.await?))
}

pub(in crate::routes) async fn delete(rq: Request<SignedInUser, String>) -> Result<Response> {
    let (caller, app) = (rq.caller.id, rq.path);
    rq.app.marketplace.delete_app(caller, app).await?;
    Ok(message_body("The app and its webhooks are deleted."))
}

pub(in crate::routes) async fn install(
    rq: Request<SignedInUser, (String, String)>,
) -> Result<Response> {
    let (caller, (app, chat)) = (rq.caller.id, rq.path);
    rq.app.marketplace.install_app(caller, app, chat).await?;
    Ok(message_body("The app may write to this chat."))
}

pub(in crate::routes) async fn uninstall(
    rq: Request<SignedInUser, (String, String)>,
) -> Result<Response> {
    let (caller, (app, chat)) = (rq.caller.id, rq.path);
    rq.app.marketplace.uninstall_app(caller, app, chat).await?;
    Ok(message_body("The app no longer writes to this chat."))
}

#[derive(Serialize, JsonSchema)]
pub(in crate::routes) struct RoomApps {
    #[schemars(length(max = ROOM_APPS_MAX))]
    apps: Vec<RoomApp>,
    total: usize,
}

pub(in crate::routes) async fn list_of_room(rq: Request<SignedInUser, String>) -> Result<Response> {
    let (caller, chat) = (rq.caller.id, rq.path);
    let apps = rq.app.marketplace.room_apps(caller, chat).await?;
    let total = apps.len();
    Ok(http::json(&RoomApps { apps, total }))
}

pub(super) fn message_body(message: &'static str) -> Response {
    http::json(&StatusAndMessage::new(message))
}

impl JsonBody for AppDraft {
    fn from_fields(fields: &mut Fields, _: Timestamp) -> Self {
        let draft = Self {
            name: fields.required_string("name", 1..=NAME_BYTES_MAX),
            description: fields
                .optional_string("description", 0..=DESCRIPTION_BYTES_MAX)
                .unwrap_or_default(),
            actions: fields.required_objects("actions", ACTIONS_MAX, read_action),
        };
        let mut ids: Vec<&str> = draft.actions.iter().map(|a| a.action_id.as_str()).collect();
        ids.sort_unstable();
        let mut pairs = ids.windows(2);
        if pairs.any(|pair| pair[0] == pair[1] && is_action_id(pair[0])) {
            let expected = "must not contain two actions with the same action_id.";
            fields.refuse("actions", expected);
        }
        draft
    }
}

fn read_action(fields: &mut Fields) -> AppAction {
    let action_id = fields.required_string("action_id", 1..=ACTION_ID_CHARS_MAX);
    if !action_id.is_empty() && !is_action_id(&action_id) {
        fields.refuse(
            "action_id",
            "must consist of letters, digits, \".\", \"_\" and \"-\".",
        );
    }
    let kind = ActionKind::parse(fields.one_of("kind", &ActionKind::NAMES));
    let template = fields.optional_string("template", 0..=TEMPLATE_BYTES_MAX);
    if kind.has_text()
        && template
            .as_deref()
            .is_none_or(|text| text.trim().is_empty())
    {
        fields.refuse("template", "must not be blank for an action of this kind.");
    }
    AppAction {
        action_id,
        description: fields
            .optional_string("description", 0..=DESCRIPTION_BYTES_MAX)
            .unwrap_or_default(),
        kind,
        template,
        parameters: fields
            .optional_string_list("parameters", PARAMETERS_MAX, 1..=FIELD_CHARS_MAX)
            .unwrap_or_default(),
    }
}
