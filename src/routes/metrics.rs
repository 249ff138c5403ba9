//! `GET /metrics`: all metrics in Prometheus's format. Gauges are read when the page is rendered;
//! counters are incremented when events happen.

mod external_services;
mod rows;

use super::Request;
use super::caller::Admin;
use crate::app::App;
use crate::error::{Error, Result};
use crate::http::{self, Response, header};
use crate::metrics::{self, MetricsRegistry};
use crate::store::Backlog;

/// Runs off the async threads, because it reads /proc and file sizes. When the database can't be
/// read, its metrics are left out and the others remain.
pub(super) async fn metrics(rq: Request<Admin>) -> Result<Response> {
    let app = rq.app;
    let reading = app.store.read(|view| view.backlog()).await;
    let backlog = reading
        .inspect_err(|error| log::warn!("metrics: the database can't be read: {error}"))
        .ok();
    let rendered = tokio::task::spawn_blocking(move || write(&app, backlog));
    let page = rendered.await.map_err(Error::internal)?;
    Ok(http::with_header(
        http::text(page.map_err(Error::internal)?),
        header::CONTENT_TYPE,
        MetricsRegistry::CONTENT_TYPE,
    ))
}

fn write(app: &App, backlog: Option<Backlog>) -> metrics::MetricsResult<String> {
    let page = MetricsRegistry::default();
    app.server_metrics.register(&page)?;
    page.add(app.hub.ended_commands())?;
    rows::write(&page, app, backlog)?;
    external_services::write(&page, app)?;
    for job in app.job_metrics.all() {
        page.add_job(&job)?;
    }
    page.labelled(
        "chatkeep_build_info",
        "Always 1; the label contains the version.",
        ("version", env!("CARGO_PKG_VERSION")),
        1.0,
    )?;
    page.gauge(
        "chatkeep_uptime_seconds",
        "How long the service has run.",
        (app.clock.monotonic().since(app.started) / 1000) as f64,
    )?;
    page.add_process()?;
    page.finish()
}
