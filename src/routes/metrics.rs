//! `GET /metrics`: every number of the service as Prometheus reads them. What can be asked for
//! is read when it is asked for; the rest was counted as it happened.

mod outside;
mod requests;
mod rows;

use super::Request;
use crate::app::App;
use crate::error::{Error, Result};
use crate::http::{self, Response, header};
use crate::metrics::page::{CONTENT_TYPE, Page};
use crate::metrics::process;

/// Off the async threads: files of /proc and the log's size are looked at. A database that
/// can't be read is left out, so that the rest still tells why.
pub(super) async fn metrics(rq: Request) -> Result<Response> {
    let app = rq.app;
    let backlog = app.store.read(|view| view.backlog()).await.ok();
    let written = tokio::task::spawn_blocking(move || {
        let mut page = Page::default();
        requests::write(&mut page, &app.gauge, &app.ingest.limited);
        rows::write(&mut page, &app, backlog);
        outside::write(&mut page, &app);
        jobs(&mut page, &app);
        about(&mut page, &app);
        process::write(&mut page);
        page.finish()
    });
    let page = written.await.map_err(Error::internal)?;
    Ok(http::with_header(
        http::text(page),
        header::CONTENT_TYPE,
        CONTENT_TYPE,
    ))
}

fn jobs(page: &mut Page, app: &App) {
    let jobs = app.job_numbers.all();
    let named = || jobs.iter().map(|job| ([("job", job.name)], job));
    page.counters(
        "chatkeep_job_runs_total",
        "Runs of what the service does by itself.",
        named().map(|(labels, job)| (labels, job.runs.get())),
    );
    page.counters(
        "chatkeep_job_failures_total",
        "Runs that failed.",
        named().map(|(labels, job)| (labels, job.failures.get())),
    );
    page.gauges(
        "chatkeep_job_last_success_timestamp_seconds",
        "When a run last succeeded, in seconds since the epoch.",
        named().filter_map(|(labels, job)| Some((labels, job.succeeded_at_s()?))),
    );
}

fn about(page: &mut Page, app: &App) {
    page.gauges(
        "chatkeep_build_info",
        "Always 1; the version stands in the label.",
        [([("version", env!("CARGO_PKG_VERSION"))], 1.0)],
    );
    page.gauge(
        "chatkeep_uptime_seconds",
        "How long the service has run.",
        (app.clock.monotonic().since(app.started) / 1000) as f64,
    );
}
