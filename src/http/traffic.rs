//! What is counted of requests: how many of which row of the table ended with which status,
//! and how long they took. Labels are patterns and methods of the table, never what a client
//! sent, so that there are as many series as there are rows. It must not know the rows.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::Method;
use crate::metrics::{Counter, Histogram};

/// Statuses that are counted apart; others count as 0.
const STATUSES: [u16; 27] = [
    0, 101, 200, 206, 302, 304, 400, 401, 403, 404, 405, 408, 410, 412, 413, 414, 415, 416, 417,
    422, 426, 429, 431, 499, 500, 501, 503,
];
/// Of a request whose client was gone before it was answered, as proxies call it.
pub(super) const GONE: u16 = 499;

/// The requests of one row.
#[derive(Debug)]
pub struct Traffic {
    pub method: &'static str,
    pub route: &'static str,
    by_status: [Counter; STATUSES.len()],
    pub took: Histogram,
}

impl Traffic {
    fn new(method: &'static str, route: &'static str) -> Self {
        Self {
            method,
            route,
            by_status: Default::default(),
            took: Histogram::of_durations(),
        }
    }

    pub(super) fn ended(&self, status: u16, took: Duration) {
        let at = STATUSES.binary_search(&status).unwrap_or_default();
        self.by_status[at].inc();
        self.took.observe_duration(took);
    }

    /// Each status that was answered, and how often.
    pub fn by_status(&self) -> impl Iterator<Item = (u16, u64)> {
        let counts = self.by_status.iter().map(Counter::get);
        let counted = STATUSES.into_iter().zip(counts);
        counted.filter(|(_, count)| *count > 0)
    }
}

/// All rows, and what led to none of them.
#[derive(Debug)]
pub(super) struct AllTraffic {
    /// Locked at the start and by who reads the numbers, never by a request.
    rows: Mutex<Vec<Arc<Traffic>>>,
    pub(super) unmatched: Arc<Traffic>,
}

impl Default for AllTraffic {
    fn default() -> Self {
        Self {
            rows: Mutex::default(),
            unmatched: Arc::new(Traffic::new("any", "unmatched")),
        }
    }
}

impl AllTraffic {
    pub(super) fn add(&self, method: &Method, route: &'static str) -> Arc<Traffic> {
        let row = Arc::new(Traffic::new(name_of(method), route));
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.push(row.clone());
        row
    }

    pub(super) fn all(&self) -> Vec<Arc<Traffic>> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let unmatched = [self.unmatched.clone()];
        rows.iter().cloned().chain(unmatched).collect()
    }
}

/// The table's own methods.
fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_counted_apart_and_strangers_together() {
        let traffic = Traffic::new("GET", "/x");
        for status in [200, 404, 200, 418, 599] {
            traffic.ended(status, Duration::from_millis(1));
        }
        let counted: Vec<_> = traffic.by_status().collect();
        assert_eq!(counted, [(0, 2), (200, 2), (404, 1)]);
        assert!(STATUSES.is_sorted());
    }
}
