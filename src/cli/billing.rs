//! `chatkeep billing …`: compares our subscriptions with the payment provider's.

use clap::{Args, Subcommand};
use serde_json::json;

use super::Failure;
use super::progress::Progress;
use super::running::{self, IdleService};
use crate::billing::reconcile::{Page, SubscriptionDrift};
use crate::config::{BillingProvider, Config, Source};
use crate::outbound::Method;
use crate::store::Change;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Compares subscriptions with the payment provider and fixes differences.
    ///
    /// Applies missed events, and updates subscriptions that differ to the provider's state. A
    /// running service does this every hour.
    #[command(after_help = "Example: chatkeep billing reconcile --dry-run")]
    Reconcile(Options),
}

#[derive(Args)]
pub(super) struct Options {
    /// Shows differences and changes nothing.
    #[arg(long)]
    dry_run: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &Source, command: &Command) -> Result<(), Failure> {
    let Command::Reconcile(options) = command;
    if super::load(source)?.config.billing.provider == BillingProvider::None {
        let reason = "there is no payment provider (billing.provider = \"none\"), so nothing to \
                       compare with; `chatkeep user grant` gives subscriptions";
        return Err(reason.into());
    }
    let config = super::load_with_secrets(source)?.config;
    Ok(print_result(&reconcile(&config, options)?, options)?)
}

/// Compares page by page, through the running service or without one.
fn reconcile(config: &Config, options: &Options) -> Result<Page, String> {
    let mut total = Page::default();
    let mut after = String::new();
    let mut idle_service: Option<IdleService> = None;
    let progress = Progress::counting("customers compared");
    loop {
        let body = json!({ "dry_run": options.dry_run, "after": after });
        let answer = match &idle_service {
            Some(_) => None,
            None => running::ask(
                config,
                Method::Post,
                "/admin/billing/reconcile",
                Some(&body),
            )?,
        };
        let page: Page = match answer {
            Some(page) => page,
            None => {
                if idle_service.is_none() {
                    let idle = IdleService::start(config)?;
                    if !options.dry_run {
                        record_audit(&idle)?;
                    }
                    idle_service = Some(idle);
                }
                let idle = idle_service.as_ref().ok_or("can't start")?;
                idle.run(idle.app.billing.reconcile_page(&after, options.dry_run))?
            }
        };
        total.checked += page.checked;
        total.missed_events += page.missed_events;
        total.drift.extend(page.drift);
        progress.count(total.checked as u64, String::new());
        match page.next {
            Some(next) if next != after => after = next,
            _ => return Ok(total),
        }
    }
}

/// Records the change in the audit log.
fn record_audit(idle: &IdleService) -> Result<(), String> {
    let (operator, now) = (running::operator(), idle.app.clock.now());
    let change = Change::work("billing.reconcile");
    let recording = (idle.app.store).write(move |tx| tx.insert_audit(&operator, &change, now));
    idle.run(recording)
}

fn print_result(total: &Page, options: &Options) -> Result<(), String> {
    if options.json {
        return super::print_json(&json!({
                "dry_run": options.dry_run,
                "checked": total.checked,
                "missed_events": total.missed_events,
                "drift": total.drift,
                "next": total.next,
        }));
    }
    for drift in &total.drift {
        super::print(&line(drift))?;
    }
    let outcome = if options.dry_run {
        "nothing was changed"
    } else {
        "fixed"
    };
    let (events, differences) = (total.missed_events, total.drift.len());
    super::print(&match (events, differences) {
        (0, 0) => format!("{} customers compared: nothing differs.", total.checked),
        _ => format!(
            "{} customers compared; {events} missed events, {differences} differences: {outcome}.",
            total.checked
        ),
    })
}

fn line(drift: &SubscriptionDrift) -> String {
    let stored = drift.held.as_deref().unwrap_or("nothing");
    format!(
        "{}  {}  we hold: {stored}; the provider: {}",
        drift.user_id, drift.subscription_id, drift.provider
    )
}
