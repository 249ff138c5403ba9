//! `chatkeep purge`: erases accounts that are due, or lists them. Uses the running service if there
//! is one, otherwise the database.

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::progress::Progress;
use super::running;
use crate::account::erasure::{self, Run};
use crate::app::{self, App};
use crate::clock::Clock;
use crate::config::{Config, Source};
use crate::outbound::Method;
use crate::store::Change;

const ROUTE: &str = "/admin/purge";
/// Interval of status requests.
const LOOK_EVERY: Duration = Duration::from_millis(200);

#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    what: PurgeMode,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct PurgeMode {
    /// Erases them; their data can't be restored.
    #[arg(long)]
    now: bool,
    /// Lists them and changes nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(source: &Source, options: &Options) -> Result<(), Vec<String>> {
    let path = super::loaded(source)?.config.storage.path;
    if !path.exists() {
        return Err(super::one(format!(
            "there is no database at {}, so no accounts; start the service, or name its configuration with --config",
            path.display()
        )));
    }
    let config = super::configuration(source)?.config;
    let done = match options.what.now {
        true => purge(&config, options.json),
        false => outlook(&config).and_then(|outlook| list(&outlook, options.json)),
    };
    done.map_err(super::one)
}

fn outlook(config: &Config) -> Result<Value, String> {
    if let Some(told) = running::ask(config, Method::Get, ROUTE, None)? {
        return Ok(told);
    }
    let looked = erasure::look(&config.storage.path, Clock::system().now())?;
    Ok(json!(looked))
}

fn list(outlook: &Value, as_json: bool) -> Result<(), String> {
    if as_json {
        return super::print_json(outlook);
    }
    let (due, under_way) = (accounts(outlook, "due"), accounts(outlook, "under_way"));
    if due.is_empty() && under_way.is_empty() {
        return super::print("No account is to be erased.");
    }
    let text = |account: &Value, name| account[name].as_str().unwrap_or_default().to_owned();
    for account in due {
        let date = text(account, "deletion_scheduled_for");
        super::print(&format!(
            "{}  was to go by {date}",
            text(account, "user_id")
        ))?;
    }
    for account in under_way {
        let at = text(account, "started_at");
        super::print(&format!(
            "{}  being erased since {at}",
            text(account, "user_id")
        ))?;
    }
    Ok(())
}

fn accounts<'v>(outlook: &'v Value, name: &str) -> &'v [Value] {
    outlook[name].as_array().map_or(&[], Vec::as_slice)
}

fn purge(config: &Config, as_json: bool) -> Result<(), String> {
    let erased = match running::ask(config, Method::Post, ROUTE, None)? {
        Some(told) => by_service(config, told["asked"].as_u64().unwrap_or_default())?,
        None => by_ourselves(config)?,
    };
    super::print(&match (as_json, erased) {
        (true, _) => json!({ "erased": erased }).to_string(),
        (false, 0) => "No account was to be erased.".to_owned(),
        (false, 1) => "1 account was erased.".to_owned(),
        (false, _) => format!("{erased} accounts were erased."),
    })
}

/// Waits until the service has finished the purge number `asked`.
fn by_service(config: &Config, asked: u64) -> Result<u64, String> {
    let mut line = PurgeProgress::default();
    let mut before = None;
    loop {
        let seen = running::ask(config, Method::Get, ROUTE, None)?.ok_or(SERVICE_ENDED)?;
        let progress = &seen["progress"];
        if progress["asked"].as_u64().unwrap_or_default() < asked {
            return Err(SERVICE_ENDED.to_owned()); // the service was restarted since
        }
        let erased = progress["erased"].as_u64().unwrap_or_default();
        let before = *before.get_or_insert(erased);
        let left = accounts(&seen, "due").len() + accounts(&seen, "under_way").len();
        if progress["over"].as_u64().unwrap_or_default() >= asked {
            return match left {
                0 => Ok(erased.saturating_sub(before)),
                left => Err(not_yet(left)),
            };
        }
        line.show(left, progress["batches"].as_u64().unwrap_or_default());
        std::thread::sleep(LOOK_EVERY);
    }
}

fn by_ourselves(config: &Config) -> Result<u64, String> {
    let _lock = app::lock(config)?;
    super::runtime()?.block_on(async {
        let app = App::build(config.clone(), Clock::system()).await?;
        app.clock.confirm();
        let (operator, now) = (super::audit::operator(), app.clock.now());
        let noted = app.store.write(move |tx| {
            tx.set_clock_has_jumped(false)?;
            tx.insert_audit(&operator, &Change::work("purge.start"), now)
        });
        noted.await.map_err(|e| e.to_string())?;
        let erasing = app.eraser.run(Run::alone());
        tokio::pin!(erasing);
        let mut line = PurgeProgress::default();
        let outcome = loop {
            tokio::select! {
                outcome = &mut erasing => break outcome,
                () = tokio::time::sleep(LOOK_EVERY) => {
                    let seen = app.eraser.outlook().await.map_err(|e| e.to_string())?;
                    line.show(seen.due.len() + seen.under_way.len(), seen.progress.batches);
                }
            }
        };
        drop(line);
        outcome.map_err(|e| e.to_string())?;
        let seen = app.eraser.outlook().await.map_err(|e| e.to_string())?;
        let mails = send_mails(&app).await.map_err(|e| e.to_string())?;
        if let (Some(said), 1..) = (mails, seen.progress.erased) {
            eprintln!("chatkeep: note: {said}");
        }
        match seen.due.len() + seen.under_way.len() {
            0 => Ok(seen.progress.erased),
            left => Err(not_yet(left)),
        }
    })
}

/// Sends the confirmations. Returns a text about their outcome, if any.
async fn send_mails(app: &App) -> crate::error::Result<Option<String>> {
    let Some(post) = &app.post else {
        let nobody = "no mail server is configured ([mail]), so nobody was told by mail";
        return Ok(Some(nobody.to_owned()));
    };
    let sent = post.send_due().await?;
    let waiting = app.store.read(|view| view.mails_waiting()).await?;
    Ok(match (sent, waiting) {
        (0, 0) => None,
        (_, 0) => Some(format!("confirmations sent by mail: {sent}")),
        _ => Some(format!(
            "confirmations sent by mail: {sent}; not sent yet: {waiting}. A running service tries these again, for 3 days"
        )),
    })
}

const SERVICE_ENDED: &str = "the service ended before it was done; nothing is lost: \
     run `chatkeep purge --now` again, or leave it to the service's next start";

fn not_yet(left: usize) -> String {
    format!(
        "{left} accounts are not erased yet; a running service goes on with them, and its log says \
         what they wait for (`chatkeep purge --dry-run` lists them)"
    )
}

/// The number of accounts at the start, and the progress bar.
#[derive(Default)]
struct PurgeProgress(Option<(usize, Progress)>);

impl PurgeProgress {
    fn show(&mut self, left: usize, batches: u64) {
        let at_first = || (left, Progress::of(left as u64, "accounts"));
        let (first, shown) = self.0.get_or_insert_with(at_first);
        let gone = first.saturating_sub(left) as u64;
        shown.count(gone, format!(", {batches} batches of rows removed"));
    }
}
