//! Latencies of one round and figures over rounds. Exact: every sample is kept, 4 bytes each, so
//! 10 s at 100,000 requests/s are 4 MB. No histogram, no error bound to explain.

use std::time::Duration;

/// Samples of a round in microseconds; the longest that fits is 71 minutes.
#[derive(Default)]
pub(crate) struct Latencies {
    micros: Vec<u32>,
    sorted: bool,
}

impl Latencies {
    pub(crate) fn record(&mut self, latency: Duration) {
        self.micros
            .push(u32::try_from(latency.as_micros()).unwrap_or(u32::MAX));
        self.sorted = false;
    }

    pub(crate) fn absorb(&mut self, other: Self) {
        self.micros.extend(other.micros);
        self.sorted = false;
    }

    pub(crate) fn count(&self) -> usize {
        self.micros.len()
    }

    /// The smallest sample that at least `per_mille` of 1000 samples don't exceed, in ms.
    pub(crate) fn quantile_ms(&mut self, per_mille: usize) -> f64 {
        if !self.sorted {
            self.micros.sort_unstable();
            self.sorted = true;
        }
        let rank = (self.micros.len() * per_mille).div_ceil(1000);
        let sample = self.micros.get(rank.saturating_sub(1));
        sample.map_or(0.0, |&micros| f64::from(micros) / 1000.0)
    }
}

/// Median, smallest and largest of some rounds; zeros for none.
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

pub(crate) fn spread(values: impl IntoIterator<Item = f64>) -> Spread {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
    let middle = values.len() / 2;
    Spread {
        median: if values.len() % 2 == 1 {
            at(middle)
        } else {
            f64::midpoint(at(middle.saturating_sub(1)), at(middle))
        },
        min: at(0),
        max: at(values.len().saturating_sub(1)),
    }
}
