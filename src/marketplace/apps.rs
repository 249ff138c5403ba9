//! Apps: created, shown, replaced and deleted by their creators, and installed in rooms by members.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::actions::{self, AppAction};
use super::webhook_cache::WebhookCache;
use super::{Marketplace, app_not_found, not_app_creator};
use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Result};
use crate::model::public_id::PublicId;
use crate::random;
use crate::store::{AppRow, NewApp, RoomApp, Tx, UserId, View};

/// Apps per creator.
const APPS_MAX: usize = 100;
/// Rooms per app: a webhook call may write to each.
pub const ROOMS_MAX: usize = 100;

/// Apps per room.
pub const ROOM_APPS_MAX: usize = 100;

/// A creator's input for an app, already checked.
#[derive(Debug)]
pub struct AppDraft {
    pub name: String,
    pub description: String,
    pub actions: Vec<AppAction>,
}

/// An app as its creator sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "App")]
pub struct AppView {
    #[schemars(with = "PublicId")]
    pub app_id: String,
    #[schemars(example = &"Packages")]
    pub name: String,
    pub description: String,
    pub actions: Vec<AppAction>,
    pub created_at: Timestamp,
}

impl Marketplace {
    pub async fn create_app(&self, creator: UserId, draft: AppDraft) -> Result<AppView> {
        let (app_id, now) = (random::uuid().to_string(), self.clock.now());
        self.store
            .write(move |tx| {
                if tx.count_apps(creator)? >= APPS_MAX {
                    return Err(too_many("You have", APPS_MAX, "apps"));
                }
                tx.insert_app(&NewApp {
                    app_id: &app_id,
                    creator,
                    name: &draft.name,
                    description: &draft.description,
                    actions: &actions::to_json(&draft.actions)?,
                    now,
                })?;
                app_view(tx.app(&app_id)?.ok_or_else(app_not_found)?)
            })
            .await
    }

    pub async fn apps(&self, creator: UserId) -> Result<Vec<AppView>> {
        let rows = self.store.read(move |view| view.apps(creator)).await?;
        rows.into_iter().map(app_view).collect()
    }

    pub async fn app(&self, caller: UserId, app_id: String) -> Result<AppView> {
        let row = self
            .store
            .read(move |view| app_of_creator(view, caller, &app_id));
        app_view(row.await?)
    }

    /// Replaces all fields. A webhook whose action is missing stays and fails.
    pub async fn replace_app(
        &self,
        caller: UserId,
        app_id: String,
        draft: AppDraft,
    ) -> Result<AppView> {
        let hooks = self.hooks.clone();
        self.store
            .write(move |tx| {
                let mut row = app_of_creator(tx.view(), caller, &app_id)?;
                row.name = draft.name;
                row.description = draft.description;
                row.actions = actions::to_json(&draft.actions)?;
                tx.update_app(&row)?;
                tx.renew_webhooks(row.id)?;
                forget_webhooks(tx, &hooks, &row)?;
                app_view(row)
            })
            .await
    }

    /// Deletes the app with its webhooks, their events, and its installations.
    pub async fn delete_app(&self, caller: UserId, app_id: String) -> Result<()> {
        let hooks = self.hooks.clone();
        self.store
            .write(move |tx| {
                let row = app_of_creator(tx.view(), caller, &app_id)?;
                remove(tx, &hooks, &row)
            })
            .await
    }

    /// Deletes one app of an account being erased; false when there is none. One at a time, because
    /// each may have ten thousand events.
    pub fn erase_next_app(&self, tx: &mut Tx, creator: UserId) -> Result<bool> {
        match tx.apps(creator)?.first() {
            Some(row) => remove(tx, &self.hooks, row).map(|()| true),
            None => Ok(false),
        }
    }

    /// Installs any app in a room of which the caller is a member.
    pub async fn install_app(&self, caller: UserId, app_id: String, chat: String) -> Result<()> {
        let now = self.clock.now();
        self.store
            .write(move |tx| {
                let row = find_app(tx.view(), &app_id)?;
                let room = tx.room_of_member(&chat, caller)?.ok_or_else(no_chat)?;
                tx.install_app(row.id, room, caller, now)?;
                if tx.count_app_rooms(row.id)? > ROOMS_MAX {
                    return Err(too_many("The app is in", ROOMS_MAX, "rooms"));
                }
                if tx.count_room_apps(room)? > ROOM_APPS_MAX {
                    return Err(too_many("The chat has", ROOM_APPS_MAX, "apps"));
                }
                Ok(())
            })
            .await
    }

    /// The apps of a room of which the caller is a member or the owner.
    pub async fn room_apps(&self, caller: UserId, chat: String) -> Result<Vec<RoomApp>> {
        let rows = self.store.read(move |view| {
            let room = view.room_to_manage(&chat, caller)?.ok_or_else(no_chat)?;
            view.room_apps(room)
        });
        rows.await
    }

    /// Allowed for any member of the room and for its owner. May be repeated.
    pub async fn uninstall_app(&self, caller: UserId, app_id: String, chat: String) -> Result<()> {
        self.store
            .write(move |tx| {
                let row = find_app(tx.view(), &app_id)?;
                let room = tx.room_to_manage(&chat, caller)?;
                tx.uninstall_app(row.id, room.ok_or_else(no_chat)?)
            })
            .await
    }
}

/// The app, if the caller created it.
pub(super) fn app_of_creator(view: &View, caller: UserId, app_id: &str) -> Result<AppRow> {
    app_of_creator_or(view, caller, app_id, ErrorKind::Forbidden)
}

/// Like `app_of_creator`, with the error's kind for other callers.
pub(super) fn app_of_creator_or(
    view: &View,
    caller: UserId,
    app_id: &str,
    refusal: ErrorKind,
) -> Result<AppRow> {
    let row = find_app(view, app_id)?;
    match row.creator == caller {
        true => Ok(row),
        false => Err(not_app_creator(refusal)),
    }
}

fn find_app(view: &View, app_id: &str) -> Result<AppRow> {
    let row = view.app(&app_id.to_ascii_lowercase())?;
    row.ok_or_else(app_not_found)
}

/// One error for an unknown room and for a room of other people.
fn no_chat() -> Error {
    Error {
        detail: "You are in no chat with this name.".to_owned(),
        ..Error::not_found()
    }
}

/// Deletes the app and everything that belongs to it.
fn remove(tx: &mut Tx, hooks: &Arc<WebhookCache>, row: &AppRow) -> Result<()> {
    forget_webhooks(tx, hooks, row)?;
    for webhook in tx.webhooks(row.id)? {
        tx.delete_webhook(webhook.id)?;
    }
    tx.delete_app(row.id)
}

/// The app's webhooks are loaded again after the commit.
fn forget_webhooks(tx: &mut Tx, hooks: &Arc<WebhookCache>, row: &AppRow) -> Result<()> {
    let webhooks = tx.webhooks(row.id)?;
    let hooks = hooks.clone();
    tx.after_commit(move || {
        for webhook in webhooks {
            hooks.forget(&webhook.webhook_id);
        }
    });
    Ok(())
}

fn app_view(row: AppRow) -> Result<AppView> {
    Ok(AppView {
        actions: actions::from_json(&row.actions)?,
        app_id: row.app_id,
        name: row.name,
        description: row.description,
        created_at: row.created_at,
    })
}

fn too_many(subject: &str, most: usize, things: &str) -> Error {
    Error::invalid_field(
        "",
        format!("{subject} {most} {things} already; {most} is the maximum."),
    )
}
