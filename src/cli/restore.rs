//! `chatkeep restore FILE`: replaces the database by a backup, while no service uses it. Accounts
//! erased since the backup are erased again first, and access revoked since stays revoked.

use std::collections::BTreeMap;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::Failure;
use super::progress::Progress;
use crate::account::erasure::PurgeRun;
use crate::account::exports;
use crate::app::{self, App};
use crate::clock::{Clock, Timestamp};
use crate::config::{Config, Source};
use crate::files;
use crate::store::{
    Change, ENDED_ACCESS_KEPT_MS, Lock, PendingRestore, RestoreReport, Store, sealed_secret_in,
};

/// Accounts are erased this long after the request, so a younger backup contains the request.
const ERASURE_REQUEST_KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1000;

#[derive(Args)]
pub(super) struct Options {
    /// A backup, or any other complete copy of a database.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Doesn't ask for confirmation.
    #[arg(long)]
    yes: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &Source, options: &Options) -> Result<(), Failure> {
    let config = super::load(source)?.config;
    if !options.file.exists() {
        return Err(format!("there is no file {}", options.file.display()).into());
    }
    if !options.yes && !std::io::stdin().is_terminal() {
        let file = options.file.display();
        return Err(Failure::from(format!(
            "standard input is no terminal, so nobody can confirm; to restore {file} without confirmation, add --yes"
        )));
    }
    Ok(restore(source, &config, options)?)
}

fn restore(source: &Source, config: &Config, options: &Options) -> Result<(), String> {
    let target = &config.storage.path;
    if files::is_same(&options.file, target) {
        return Err(format!("{} is the database itself", target.display()));
    }
    // `app::lock` isn't used, because it may write to the existing file.
    let mut lock = Lock::take(target)?;
    let (progress, now) = (Progress::new(), Clock::system().now());
    let restoring =
        PendingRestore::prepare(&options.file, target, &mut |stage| progress.show(stage))?;
    drop(progress);
    let restored = restoring.restored.clone();
    let sealed = sealed_secret_in(restoring.path());
    let key_problem = app::sealing_key_problem(config, sealed.as_ref());
    let key_problem = key_problem.map(|why| format!("marketplace.sealing_key: {why}"));
    for warning in warnings(&restored, now).into_iter().chain(key_problem) {
        eprintln!("chatkeep: {warning}");
    }
    if !options.yes && !confirm(&options.file, target, &restored)? {
        return Err("nothing was changed".to_owned());
    }
    let progress = Progress::new();
    progress.spin("erasing accounts that were erased since the backup");
    let erased = erase_again(source, config, restoring.path(), restored.as_of, now)?;
    drop(progress);
    let previous = restoring.put_in_place(now)?;
    lock.announce(None)?; // identifies the new file
    super::print(&match options.json {
        true => as_json(target, options, &restored, erased, previous.as_deref(), now),
        false => as_text(
            target,
            &options.file,
            &restored,
            erased,
            previous.as_deref(),
        ),
    })
}

/// Records the restore in the draft, erases accounts that were erased since or are due, and marks
/// exports without files as expired. Returns how many accounts were erased.
fn erase_again(
    source: &Source,
    config: &Config,
    draft: &Path,
    as_of: Option<Timestamp>,
    now: Timestamp,
) -> Result<u64, String> {
    let mut config = config.clone();
    config.storage.path = draft.to_owned();
    let runtime = super::runtime()?;
    let due = runtime.block_on(async {
        let store = Store::open(&app::store_options(&config))?;
        let operator = super::running::operator();
        let change = Change {
            after: json!({ "as_of": as_of }),
            ..Change::work("restore")
        };
        let recording = store.write(move |tx| tx.insert_audit(&operator, &change, now));
        recording.await.map_err(|e| e.to_string())?;
        let expiring = exports::expire_lost(&store, &config.exports.dir, now).await;
        expiring.map_err(|e| e.to_string())?;
        let due = store.read(move |view| view.due_accounts(now, 1)).await;
        Ok::<_, String>(due.map_err(|e| e.to_string())?.len())
    })?;
    if due == 0 {
        return Ok(0);
    }
    // Loaded only now, because it needs secrets and generates missing ones.
    let mut config = super::load_with_secrets(source)
        .map_err(|why| why.reasons.join("; "))?
        .config;
    config.storage.path = draft.to_owned();
    runtime.block_on(async {
        let app = App::build(config, Clock::system()).await?;
        let run = app.eraser.run(PurgeRun::without_service()).await;
        run.map_err(|e| e.to_string())?;
        let outlook = app.eraser.outlook().await.map_err(|e| e.to_string())?;
        // Erasures waiting for other services are done here; the running service continues them.
        let waits = outlook
            .under_way
            .iter()
            .filter(|erasure| erasure.waits_for_others);
        let waiting = waits.count();
        match outlook.due.len() + outlook.under_way.len() - waiting {
            0 => Ok(outlook.progress.erased + waiting as u64),
            remaining => Err(format!(
                "{remaining} accounts could not be erased again; nothing was changed"
            )),
        }
    })
}

/// Warnings for the operator, as sentences.
fn warnings(restored: &RestoreReport, now: Timestamp) -> Vec<String> {
    let mut warnings = Vec::new();
    let is_old = restored
        .as_of
        .is_some_and(|as_of| now.0 - as_of.0 >= ERASURE_REQUEST_KEPT_MS);
    if let Some(why) = &restored.present_unread {
        warnings.push(format!(
            "the present database can't be read, so accounts, \
             relays' tokens, webhooks, apps, grants and feature flags that ended since the backup \
             may be valid again: {why}"
        ));
    }
    let is_very_old = restored
        .as_of
        .is_some_and(|as_of| now.0 - as_of.0 >= ENDED_ACCESS_KEPT_MS);
    if is_very_old && restored.present_unread.is_none() && restored.had_present {
        warnings.push(
            "the backup is older than 90 days: webhooks, apps and grants that ended more than 90 \
             days ago may be in it again; look through them"
                .to_owned(),
        );
    }
    if is_old && (restored.present_unread.is_some() || !restored.had_present) {
        warnings.push(
            "the backup is older than 30 days: accounts that were erased since may be in it \
             again; erase them"
                .to_owned(),
        );
    }
    warnings
}

fn confirm(file: &Path, target: &Path, restored: &RestoreReport) -> Result<bool, String> {
    let failed = |e: std::io::Error| format!("can't ask: {e}");
    let action = match restored.had_present {
        true => format!("Replace {} by", target.display()),
        false => format!("Make {} from", target.display()),
    };
    let as_of = as_of(restored);
    eprint!("{action} {}{as_of}? Type yes: ", file.display());
    std::io::stderr().flush().map_err(failed)?;
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(failed)?;
    Ok(answer.trim().eq_ignore_ascii_case("yes"))
}

fn as_of(restored: &RestoreReport) -> String {
    match restored.as_of {
        Some(as_of) => format!(", as of {as_of} or later"),
        None => ", which holds no message".to_owned(),
    }
}

fn as_json(
    target: &Path,
    options: &Options,
    restored: &RestoreReport,
    erased: u64,
    previous: Option<&Path>,
    now: Timestamp,
) -> String {
    json!({
        "path": target,
        "from": options.file,
        "bytes": restored.bytes,
        "backup_schema_version": restored.schema_version,
        "as_of": restored.as_of,
        "erased_again": erased,
        "carried_over": carried_over(restored),
        "kept_aside": previous,
        "warnings": warnings(restored, now),
    })
    .to_string()
}

/// Number of carried-over rows by key.
fn carried_over(restored: &RestoreReport) -> BTreeMap<&'static str, usize> {
    let carried = restored.carried_over.iter();
    carried.map(|rows| (rows.key, rows.count)).collect()
}

fn as_text(
    target: &Path,
    file: &Path,
    restored: &RestoreReport,
    erased: u64,
    previous: Option<&Path>,
) -> String {
    let mut lines = vec![format!(
        "{} holds what {} held{}. Start the service; relays begin a new epoch.",
        target.display(),
        file.display(),
        as_of(restored),
    )];
    match erased {
        0 => {}
        1 => lines.push("1 account was erased again.".to_owned()),
        erased => lines.push(format!("{erased} accounts were erased again.")),
    }
    let carried = restored.carried_over.iter().filter(|rows| rows.count > 0);
    let carried: Vec<String> = carried
        .map(|rows| format!("{} ({})", rows.what, rows.count))
        .collect();
    if !carried.is_empty() {
        lines.push(format!(
            "Carried over from the database that was there: {}.",
            carried.join(", ")
        ));
    }
    if let Some(previous) = previous {
        lines.push(format!(
            "What was there before is in {}: it is deleted after 30 days, or earlier when an \
             account is erased; move it away to keep it, or remove it.",
            previous.display()
        ));
    }
    lines.join("\n")
}
