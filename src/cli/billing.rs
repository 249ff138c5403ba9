//! `chatkeep billing …`: compares our subscriptions with the payment provider's.

use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::progress::Progress;
use crate::app::{self, App};
use crate::billing::reconcile::{Page, SubscriptionDrift};
use crate::clock::Clock;
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

pub(super) fn run(source: &Source, command: &Command) -> Result<(), Vec<String>> {
    let Command::Reconcile(options) = command;
    if super::loaded(source)?.config.billing.provider == BillingProvider::None {
        let refused = "there is no payment provider (billing.provider = \"none\"), so nothing to \
                       compare with; `chatkeep user grant` gives subscriptions";
        return Err(super::one(refused.to_owned()));
    }
    let config = super::configuration(source)?.config;
    reconcile(&config, options)
        .and_then(|found| shown(&found, options))
        .map_err(super::one)
}

/// Compares page by page, through the running service or without one.
fn reconcile(config: &Config, options: &Options) -> Result<Page, String> {
    let mut found = Page::default();
    let mut after = String::new();
    let mut alone: Option<IdleService> = None;
    let shown = Progress::counting("customers compared");
    loop {
        let body = json!({ "dry_run": options.dry_run, "after": after });
        let asked = match &alone {
            Some(_) => None,
            None => super::running::ask(
                config,
                Method::Post,
                "/admin/billing/reconcile",
                Some(&body),
            )?,
        };
        let page = match asked {
            Some(told) => read(told)?,
            None => {
                if alone.is_none() {
                    let started = IdleService::start(config)?;
                    if !options.dry_run {
                        started.note()?;
                    }
                    alone = Some(started);
                }
                let alone = alone.as_ref().ok_or("can't start")?;
                alone.page(&after, options.dry_run)?
            }
        };
        found.checked += page.checked;
        found.missed_events += page.missed_events;
        found.drift.extend(page.drift);
        shown.count(found.checked as u64, String::new());
        match page.next {
            Some(next) if next != after => after = next,
            _ => return Ok(found),
        }
    }
}

/// The parts of a service, without a running one.
struct IdleService {
    runtime: tokio::runtime::Runtime,
    app: Arc<App>,
    _lock: crate::store::Lock,
}

impl IdleService {
    fn start(config: &Config) -> Result<Self, String> {
        let lock = app::lock(config)?;
        let runtime = super::runtime()?;
        let app = runtime.block_on(App::build(config.clone(), Clock::system()))?;
        Ok(Self {
            runtime,
            app,
            _lock: lock,
        })
    }

    /// Records the change in the audit log.
    fn note(&self) -> Result<(), String> {
        let (operator, now) = (super::audit::operator(), self.app.clock.now());
        let change = Change::work("billing.reconcile");
        let noted = self
            .app
            .store
            .write(move |tx| tx.insert_audit(&operator, &change, now));
        self.runtime.block_on(noted).map_err(|e| e.to_string())
    }

    fn page(&self, after: &str, dry_run: bool) -> Result<Page, String> {
        let page = self.app.billing.reconcile_page(after, dry_run);
        self.runtime.block_on(page).map_err(|e| e.to_string())
    }
}

fn read(told: Value) -> Result<Page, String> {
    serde_json::from_value(told)
        .map_err(|e| format!("the running service answered something else than it should: {e}"))
}

fn shown(found: &Page, options: &Options) -> Result<(), String> {
    if options.json {
        return super::print_json(&json!({
                "dry_run": options.dry_run,
                "checked": found.checked,
                "missed_events": found.missed_events,
                "drift": found.drift,
                "next": found.next,
        }));
    }
    for drift in &found.drift {
        super::print(&line(drift))?;
    }
    let made_good = if options.dry_run {
        "nothing was changed"
    } else {
        "made good"
    };
    let (events, differences) = (found.missed_events, found.drift.len());
    super::print(&match (events, differences) {
        (0, 0) => format!("{} customers compared: nothing differs.", found.checked),
        _ => format!(
            "{} customers compared; {events} missed events, {differences} differences: {made_good}.",
            found.checked
        ),
    })
}

fn line(drift: &SubscriptionDrift) -> String {
    let held = drift.held.as_deref().unwrap_or("nothing");
    format!(
        "{}  {}  we hold: {held}; the provider: {}",
        drift.user_id, drift.subscription_id, drift.provider
    )
}
