//! Metric types for Prometheus, and the families that several parts count into. Each part owns its
//! metrics; the metrics route collects them in a `MetricsRegistry`. This file must not know who
//! reads them.

use std::sync::Arc;

use parking_lot::Mutex;
use prometheus::core::Collector;
use prometheus::{Gauge, HistogramOpts, Opts, Registry, TextEncoder};
pub use prometheus::{Histogram, HistogramVec, IntCounter, IntCounterVec, IntGauge};

/// Histogram bounds for answer times, in seconds.
const ANSWER_BOUNDS_S: &[f64] = &[
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];
const VALID_NAME: &str = "names and labels are literals";

/// Registering fails when two families have the same name, which is a bug.
pub type MetricsResult<T = ()> = prometheus::Result<T>;

/// A number that only goes up.
pub fn counter(name: &str, help: &str) -> IntCounter {
    IntCounter::new(name, help).expect(VALID_NAME)
}

/// A number that goes up and down.
pub fn gauge(name: &str, help: &str) -> IntGauge {
    IntGauge::new(name, help).expect(VALID_NAME)
}

/// Counters with labels. A label must have few values.
pub fn counters(name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
    IntCounterVec::new(Opts::new(name, help), labels).expect(VALID_NAME)
}

/// A histogram of durations, in seconds.
pub fn durations(name: &str, help: &str) -> Histogram {
    histogram(name, help, ANSWER_BOUNDS_S)
}

pub fn durations_by(name: &str, help: &str, labels: &[&str]) -> HistogramVec {
    let opts = HistogramOpts::new(name, help).buckets(ANSWER_BOUNDS_S.to_vec());
    HistogramVec::new(opts, labels).expect(VALID_NAME)
}

/// A histogram: how many values are at most each of the bounds.
pub fn histogram(name: &str, help: &str, bounds: &[f64]) -> Histogram {
    let opts = HistogramOpts::new(name, help).buckets(bounds.to_vec());
    Histogram::with_opts(opts).expect(VALID_NAME)
}

/// One counter of a family that several parts share, each with its own label.
fn family_member(name: &str, help: &str, label: (&str, &str)) -> IntCounter {
    let opts = Opts::new(name, help).const_label(label.0, label.1);
    IntCounter::with_opts(opts).expect(VALID_NAME)
}

/// Requests refused by a limit, by the limit's name. Several parts count into this family.
pub fn refusals() -> IntCounterVec {
    counters(
        "chatkeep_rate_limited_total",
        "Requests, commands and messages refused by a limit.",
        &["limit"],
    )
}

/// Metrics of the calls to one external service.
#[derive(Debug)]
pub struct CallMetrics {
    pub made: IntCounter,
    pub failed: IntCounter,
}

impl CallMetrics {
    pub fn of(provider: &'static str) -> Self {
        let of = |name, help| family_member(name, help, ("provider", provider));
        Self {
            made: of(
                "chatkeep_provider_calls_total",
                "Calls to external services, including retries.",
            ),
            failed: of("chatkeep_provider_failures_total", "Calls that failed."),
        }
    }

    pub fn record<T, E>(&self, outcome: &Result<T, E>) {
        self.made.inc();
        if outcome.is_err() {
            self.failed.inc();
        }
    }
}

/// Metrics of one cache's lookups.
#[derive(Debug)]
pub struct CacheMetrics {
    cache: &'static str,
    hits: IntCounter,
    misses: IntCounter,
}

impl CacheMetrics {
    pub fn of(cache: &'static str) -> Self {
        let counter = |name, help| family_member(name, help, ("cache", cache));
        Self {
            cache,
            hits: counter("chatkeep_cache_hits_total", "Lookups that found an entry."),
            misses: counter(
                "chatkeep_cache_misses_total",
                "Lookups that found no entry, or a stale one.",
            ),
        }
    }

    pub fn found(&self, any: bool) {
        if any {
            self.hits.inc();
        } else {
            self.misses.inc();
        }
    }
}

/// Metrics of one periodic job.
#[derive(Debug)]
pub struct JobMetrics {
    runs: IntCounter,
    failures: IntCounter,
    /// In seconds since the epoch; 0 means never.
    succeeded_at: Gauge,
}

impl JobMetrics {
    fn new(name: &'static str) -> Self {
        let of = |family, help| family_member(family, help, ("job", name));
        let succeeded_at = Opts::new(
            "chatkeep_job_last_success_timestamp_seconds",
            "When a run last succeeded, in seconds since the epoch.",
        );
        Self {
            runs: of("chatkeep_job_runs_total", "Runs of periodic jobs."),
            failures: of("chatkeep_job_failures_total", "Runs that failed."),
            succeeded_at: Gauge::with_opts(succeeded_at.const_label("job", name))
                .expect(VALID_NAME),
        }
    }

    /// Counts a run that ended at `now_ms` (since the epoch).
    pub fn ran<T, E>(&self, outcome: &Result<T, E>, now_ms: i64) {
        self.runs.inc();
        match outcome {
            Ok(_) => self.succeeded_at.set(now_ms as f64 / 1000.0),
            Err(_) => self.failures.inc(),
        }
    }
}

/// The metrics of all periodic jobs.
#[derive(Debug, Default)]
pub struct JobMetricsSet(Mutex<Vec<Arc<JobMetrics>>>);

impl JobMetricsSet {
    /// Adds a job's metrics. Call this once per job, at its start.
    pub fn add(&self, name: &'static str) -> Arc<JobMetrics> {
        let job = Arc::new(JobMetrics::new(name));
        let mut jobs = self.0.lock();
        jobs.push(job.clone());
        job
    }

    pub fn all(&self) -> Vec<Arc<JobMetrics>> {
        let jobs = self.0.lock();
        jobs.clone()
    }
}

/// All metrics at one moment, to be rendered. A family without values is left out.
#[derive(Debug, Default)]
pub struct MetricsRegistry(Registry);

impl MetricsRegistry {
    /// The media type of Prometheus's text format.
    pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

    /// Adds metrics that count as things happen.
    pub fn add(&self, family: &(impl Collector + Clone + 'static)) -> MetricsResult {
        self.0.register(Box::new(family.clone()))
    }

    pub fn add_calls(&self, calls: &CallMetrics) -> MetricsResult {
        self.add(&calls.made)?;
        self.add(&calls.failed)
    }

    /// Adds a cache's lookups and its number of entries.
    pub fn add_cache(&self, (metrics, entries): (&CacheMetrics, usize)) -> MetricsResult {
        self.add(&metrics.hits)?;
        self.add(&metrics.misses)?;
        self.labelled(
            "chatkeep_cache_entries",
            "Entries in the cache.",
            ("cache", metrics.cache),
            entries as f64,
        )
    }

    pub fn add_job(&self, job: &JobMetrics) -> MetricsResult {
        self.add(&job.runs)?;
        self.add(&job.failures)?;
        match job.succeeded_at.get() {
            0.0 => Ok(()),
            _ => self.add(&job.succeeded_at),
        }
    }

    /// Adds a value that is read only when the metrics are rendered.
    pub fn gauge(&self, name: &str, help: &str, value: f64) -> MetricsResult {
        let gauge = Gauge::new(name, help)?;
        gauge.set(value);
        self.add(&gauge)
    }

    /// Adds values that are read only when the metrics are rendered, with one label.
    pub fn labelled(
        &self,
        name: &str,
        help: &str,
        (label, label_value): (&str, &str),
        value: f64,
    ) -> MetricsResult {
        let gauge = Gauge::with_opts(Opts::new(name, help).const_label(label, label_value))?;
        gauge.set(value);
        self.add(&gauge)
    }

    /// Adds the kernel's numbers of this process. It reads /proc, so call it off async threads. On
    /// systems other than Linux it adds nothing.
    pub fn add_process(&self) -> MetricsResult {
        #[cfg(target_os = "linux")]
        self.0.register(Box::new(
            prometheus::process_collector::ProcessCollector::for_self(),
        ))?;
        Ok(())
    }

    pub fn finish(&self) -> MetricsResult<String> {
        TextEncoder::new().encode_to_string(&self.0.gather())
    }
}
