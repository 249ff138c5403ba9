//! `chatkeep purge`: erases accounts that are due, or lists them. Uses the running service if there
//! is one, otherwise the database.

use std::time::Duration;

use clap::Args;
use serde::Deserialize;
use serde_json::json;

use super::Failure;
use super::progress::Progress;
use super::running::{self, IdleService};
use crate::account::erasure::{self, PurgeOutlook, PurgeRun};
use crate::app::App;
use crate::clock::Clock;
use crate::config::{Config, Source};
use crate::outbound::Method;
use crate::store::Change;

const ROUTE: &str = "/admin/purge";
/// Interval of status requests.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    mode: PurgeMode,
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

pub(super) fn run(source: &Source, options: &Options) -> Result<(), Failure> {
    let path = super::load(source)?.config.storage.path;
    running::check_database(&path, "no accounts")?;
    let config = super::load_with_secrets(source)?.config;
    let result = match options.mode.now {
        true => purge(&config, options.json),
        false => outlook(&config).and_then(|outlook| list(&outlook, options.json)),
    };
    Ok(result?)
}

/// The answer to `POST /admin/purge`.
#[derive(Deserialize)]
struct PurgeAnswer {
    /// The number of the requested purge.
    asked: u64,
}

fn outlook(config: &Config) -> Result<PurgeOutlook, String> {
    match running::ask_to_read(config, ROUTE)? {
        Some(outlook) => Ok(outlook),
        None => erasure::outlook_of_file(&config.storage.path, Clock::system().now()),
    }
}

fn list(outlook: &PurgeOutlook, as_json: bool) -> Result<(), String> {
    if as_json {
        return super::print_json(&json!(outlook));
    }
    if remaining(outlook) == 0 {
        return super::print("No account is to be erased.");
    }
    for account in &outlook.due {
        super::print(&format!(
            "{}  due for erasure since {}",
            account.user_id, account.deletion_scheduled_for
        ))?;
    }
    for account in &outlook.under_way {
        super::print(&format!(
            "{}  being erased since {}",
            account.user_id, account.started_at
        ))?;
    }
    Ok(())
}

fn remaining(outlook: &PurgeOutlook) -> usize {
    outlook.due.len() + outlook.under_way.len()
}

fn purge(config: &Config, as_json: bool) -> Result<(), String> {
    let erased = match running::ask(config, Method::Post, ROUTE, None)? {
        Some(PurgeAnswer { asked }) => purge_by_service(config, asked)?,
        None => purge_without_service(config)?,
    };
    super::print(&match (as_json, erased) {
        (true, _) => json!({ "erased": erased }).to_string(),
        (false, 0) => "No account was to be erased.".to_owned(),
        (false, 1) => "1 account was erased.".to_owned(),
        (false, _) => format!("{erased} accounts were erased."),
    })
}

/// Waits until the service has finished the purge with this number.
fn purge_by_service(config: &Config, number: u64) -> Result<u64, String> {
    let mut bar = PurgeProgress::default();
    let mut erased_before = None;
    loop {
        let outlook: PurgeOutlook =
            running::ask(config, Method::Get, ROUTE, None)?.ok_or(SERVICE_ENDED)?;
        let progress = outlook.progress;
        if progress.asked < number {
            return Err(SERVICE_ENDED.to_owned()); // the service was restarted since
        }
        let erased_before = *erased_before.get_or_insert(progress.erased);
        let remaining = remaining(&outlook);
        if progress.over >= number {
            return match remaining {
                0 => Ok(progress.erased.saturating_sub(erased_before)),
                remaining => Err(unfinished(remaining)),
            };
        }
        bar.show(remaining, progress.batches);
        std::thread::sleep(POLL_INTERVAL);
    }
}

fn purge_without_service(config: &Config) -> Result<u64, String> {
    let idle = IdleService::start(config)?;
    let app = &idle.app;
    idle.run(async {
        app.clock.confirm();
        let (operator, now) = (running::operator(), app.clock.now());
        let recording = app.store.write(move |tx| {
            tx.set_clock_has_jumped(false)?;
            tx.insert_audit(&operator, &Change::work("purge.start"), now)
        });
        recording.await.map_err(|e| e.to_string())?;
        let erasing = app.eraser.run(PurgeRun::without_service());
        tokio::pin!(erasing);
        let mut bar = PurgeProgress::default();
        let outcome = loop {
            tokio::select! {
                outcome = &mut erasing => break outcome,
                () = tokio::time::sleep(POLL_INTERVAL) => {
                    let outlook = app.eraser.outlook().await.map_err(|e| e.to_string())?;
                    bar.show(remaining(&outlook), outlook.progress.batches);
                }
            }
        };
        drop(bar);
        outcome.map_err(|e| e.to_string())?;
        let outlook = app.eraser.outlook().await.map_err(|e| e.to_string())?;
        let mails = send_mails(app).await.map_err(|e| e.to_string())?;
        if let (Some(note), 1..) = (mails, outlook.progress.erased) {
            eprintln!("chatkeep: note: {note}");
        }
        match remaining(&outlook) {
            0 => Ok(outlook.progress.erased),
            remaining => Err(unfinished(remaining)),
        }
    })
}

/// Sends the confirmations. Returns a text about their outcome, if any.
async fn send_mails(app: &App) -> crate::error::Result<Option<String>> {
    let Some(mailer) = &app.deletion_mailer else {
        let note = "no mail server is configured ([mail]), so no confirmations were sent";
        return Ok(Some(note.to_owned()));
    };
    let sent = mailer.send_due().await?;
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

fn unfinished(remaining: usize) -> String {
    let accounts = match remaining {
        1 => "1 account is".to_owned(),
        _ => format!("{remaining} accounts are"),
    };
    format!(
        "{accounts} not erased yet; a running service continues, and its log says what \
         they wait for (`chatkeep purge --dry-run` lists them)"
    )
}

/// The number of accounts at the start, and the progress bar.
#[derive(Default)]
struct PurgeProgress(Option<(usize, Progress)>);

impl PurgeProgress {
    fn show(&mut self, remaining: usize, batches: u64) {
        let start = || (remaining, Progress::of(remaining as u64, "accounts"));
        let (total, bar) = self.0.get_or_insert_with(start);
        let erased = total.saturating_sub(remaining) as u64;
        bar.count(erased, format!(", {batches} batches of rows removed"));
    }
}
