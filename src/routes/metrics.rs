//! `GET /metrics`: every number of the service as Prometheus reads them. What can be asked for
//! is read when it is asked for; the rest was counted as it happened.

mod outside;
mod rows;

use super::Request;
use crate::app::App;
use crate::error::{Error, Result};
use crate::http::{self, Response, header};
use crate::metrics::{self, MetricsRegistry};
use crate::store::Backlog;

/// Off the async threads: files of /proc and the log's size are looked at. A database that
/// can't be read is left out, so that the rest still tells why.
pub(super) async fn metrics(rq: Request) -> Result<Response> {
    let app = rq.app;
    let backlog = app.store.read(|view| view.backlog()).await.ok();
    let written = tokio::task::spawn_blocking(move || write(&app, backlog));
    let page = written.await.map_err(Error::internal)?;
    Ok(http::with_header(
        http::text(page.map_err(Error::internal)?),
        header::CONTENT_TYPE,
        MetricsRegistry::CONTENT_TYPE,
    ))
}

fn write(app: &App, backlog: Option<Backlog>) -> metrics::MetricsResult<String> {
    let page = MetricsRegistry::default();
    app.gauge.show(&page)?;
    page.add(app.hub.ended())?;
    rows::write(&page, app, backlog)?;
    outside::write(&page, app)?;
    for job in app.job_numbers.all() {
        page.add_job(&job)?;
    }
    page.labelled(
        "chatkeep_build_info",
        "Always 1; the version stands in the label.",
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
