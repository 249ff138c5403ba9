//! Apps: made, shown, replaced and removed by their creators, and put into rooms by people who
//! take part in those.

use std::sync::Arc;

use serde::Serialize;

use super::actions::Action;
use super::hooks::Hooks;
use super::{Marketplace, app_not_found, not_app_creator};
use crate::clock::Timestamp;
use crate::error::{Error, Kind, Result};
use crate::random;
use crate::store::{AppRow, NewApp, Tx, UserId, View};

/// Apps of one creator.
pub const APPS_MAX: usize = 100;
/// Rooms that have an app: a call of a webhook may write to each.
pub const ROOMS_MAX: usize = 100;

/// Apps of one room.
pub const ROOM_APPS_MAX: usize = 100;

/// What a creator says of an app, checked field by field.
#[derive(Debug)]
pub struct Draft {
    pub name: String,
    pub description: String,
    pub actions: Vec<Action>,
}

/// An app as its creator sees it.
#[derive(Debug, Serialize)]
pub struct AppView {
    pub app_id: String,
    pub name: String,
    pub description: String,
    pub actions: Vec<Action>,
    pub created_at: Timestamp,
}

/// An app as the members of a room see it.
#[derive(Debug, Serialize)]
pub struct InstalledAppView {
    pub app_id: String,
    pub name: String,
    pub description: String,
    pub installed_at: Timestamp,
    /// As the chat network knows them; `None`: they take part no more, and the app is silent.
    pub installed_by: Option<String>,
}

impl Marketplace {
    pub async fn create_app(&self, creator: UserId, draft: Draft) -> Result<AppView> {
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
                    actions: &written(&draft.actions)?,
                    now,
                })?;
                shown(tx.view().app(&app_id)?.ok_or_else(app_not_found)?)
            })
            .await
    }

    pub async fn apps(&self, creator: UserId) -> Result<Vec<AppView>> {
        let rows = self.store.read(move |view| view.apps(creator)).await?;
        rows.into_iter().map(shown).collect()
    }

    pub async fn app(&self, caller: UserId, app_id: String) -> Result<AppView> {
        let row = self.store.read(move |view| owned(view, caller, &app_id));
        shown(row.await?)
    }

    /// In the place of all that was said of it. A webhook whose action is gone stays, and fails.
    pub async fn replace_app(
        &self,
        caller: UserId,
        app_id: String,
        draft: Draft,
    ) -> Result<AppView> {
        let hooks = self.hooks.clone();
        self.store
            .write(move |tx| {
                let mut row = owned(&tx.view(), caller, &app_id)?;
                row.name = draft.name;
                row.description = draft.description;
                row.actions = written(&draft.actions)?;
                tx.update_app(&row)?;
                tx.renew_webhooks(row.id)?;
                forget_webhooks(tx, &hooks, &row)?;
                shown(row)
            })
            .await
    }

    /// With its webhooks, their events, and its places in rooms.
    pub async fn delete_app(&self, caller: UserId, app_id: String) -> Result<()> {
        let hooks = self.hooks.clone();
        self.store
            .write(move |tx| {
                let row = owned(&tx.view(), caller, &app_id)?;
                remove(tx, &hooks, &row)
            })
            .await
    }

    /// Removes one of the apps of somebody whose account is erased; false when there was none.
    /// One at a time, because each may have ten thousand events.
    pub fn erase_next_app(&self, tx: &mut Tx<'_>, creator: UserId) -> Result<bool> {
        match tx.view().apps(creator)?.first() {
            Some(row) => remove(tx, &self.hooks, row).map(|()| true),
            None => Ok(false),
        }
    }

    /// Any app, into a room that the caller takes part in.
    pub async fn install_app(&self, caller: UserId, app_id: String, chat: String) -> Result<()> {
        let now = self.clock.now();
        self.store
            .write(move |tx| {
                let row = found(&tx.view(), &app_id)?;
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

    /// The apps of a room that the caller takes part in, or owns.
    pub async fn room_apps(&self, caller: UserId, chat: String) -> Result<Vec<InstalledAppView>> {
        let rows = self.store.read(move |view| {
            let room = view.room_to_manage(&chat, caller)?.ok_or_else(no_chat)?;
            view.room_apps(room)
        });
        let shown = rows.await?.into_iter().map(|row| InstalledAppView {
            app_id: row.app_id,
            name: row.name,
            description: row.description,
            installed_at: row.installed_at,
            installed_by: row.installed_by,
        });
        Ok(shown.collect())
    }

    /// By anybody who takes part in the room, and by its owner. Twice is once.
    pub async fn uninstall_app(&self, caller: UserId, app_id: String, chat: String) -> Result<()> {
        self.store
            .write(move |tx| {
                let row = found(&tx.view(), &app_id)?;
                let room = tx.view().room_to_manage(&chat, caller)?;
                tx.uninstall_app(row.id, room.ok_or_else(no_chat)?)
            })
            .await
    }
}

/// The app, if the caller made it.
pub(super) fn owned(view: &View<'_>, caller: UserId, app_id: &str) -> Result<AppRow> {
    owned_or(view, caller, app_id, Kind::Forbidden)
}

/// The same, with the kind of refusal for others.
pub(super) fn owned_or(
    view: &View<'_>,
    caller: UserId,
    app_id: &str,
    refusal: Kind,
) -> Result<AppRow> {
    let row = found(view, app_id)?;
    match row.creator == caller {
        true => Ok(row),
        false => Err(not_app_creator(refusal)),
    }
}

/// An app's actions as the database keeps them.
pub(super) fn actions(text: &str) -> Result<Vec<Action>> {
    serde_json::from_str(text).map_err(Error::internal)
}

fn found(view: &View<'_>, app_id: &str) -> Result<AppRow> {
    let row = view.app(&app_id.to_ascii_lowercase())?;
    row.ok_or_else(app_not_found)
}

/// Another room is as if there were none.
fn no_chat() -> Error {
    Error {
        detail: "You take part in no chat of that name.".to_owned(),
        ..Error::not_found()
    }
}

/// With all that hangs on it.
fn remove(tx: &mut Tx<'_>, hooks: &Arc<Hooks>, row: &AppRow) -> Result<()> {
    forget_webhooks(tx, hooks, row)?;
    for webhook in tx.view().webhooks(row.id)? {
        tx.delete_webhook(webhook.id)?;
    }
    tx.delete_app(row.id)
}

/// What memory holds of the app's webhooks is read anew after the commit.
fn forget_webhooks(tx: &mut Tx<'_>, hooks: &Arc<Hooks>, row: &AppRow) -> Result<()> {
    let webhooks = tx.view().webhooks(row.id)?;
    let hooks = hooks.clone();
    tx.after_commit(move || {
        for webhook in webhooks {
            hooks.forget(&webhook.webhook_id);
        }
    });
    Ok(())
}

fn written(actions: &[Action]) -> Result<String> {
    serde_json::to_string(actions).map_err(Error::internal)
}

fn shown(row: AppRow) -> Result<AppView> {
    Ok(AppView {
        actions: actions(&row.actions)?,
        app_id: row.app_id,
        name: row.name,
        description: row.description,
        created_at: row.created_at,
    })
}

fn too_many(whose: &str, most: usize, what: &str) -> Error {
    Error::invalid_field(
        "",
        format!("{whose} {most} {what} already, the most there may be."),
    )
}
