//! Numbers as Prometheus reads them (text format 0.0.4): a family of samples after its HELP
//! and TYPE. It must not know what any of them means.

use std::fmt::Write as _;

use super::Histogram;

pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A page being written.
#[derive(Debug, Default)]
pub struct Page(String);

/// A name and what it has.
pub type Label<'a> = (&'a str, &'a str);

impl Page {
    /// One number that only goes up.
    pub fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.counters(name, help, [([], value)]);
    }

    /// The same, told apart by labels. A family without samples is left out.
    pub fn counters<'a, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = ([Label<'a>; N], u64)>,
    ) {
        let samples = samples.into_iter();
        self.family(
            name,
            "counter",
            help,
            samples.map(|(labels, n)| (labels, n as f64)),
        );
    }

    /// As `counter`, with parts of a second.
    pub fn counter_of_seconds(&mut self, name: &str, help: &str, seconds: f64) {
        self.family(name, "counter", help, [([], seconds)]);
    }

    /// One number that goes up and down.
    pub fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.gauges(name, help, [([], value)]);
    }

    pub fn gauges<'a, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = ([Label<'a>; N], f64)>,
    ) {
        self.family(name, "gauge", help, samples);
    }

    pub fn histograms<'a, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = ([Label<'a>; N], &'a Histogram)>,
    ) {
        let mut headed = false;
        for (labels, histogram) in samples {
            if !std::mem::replace(&mut headed, true) {
                self.head(name, "histogram", help);
            }
            let mut count = 0;
            for (bound, within) in histogram.cumulated() {
                count = within;
                let bound = number(bound);
                let bound = [("le", bound.as_str())];
                self.sample(name, "_bucket", labels.iter().chain(&bound), within as f64);
            }
            self.sample(name, "_sum", &labels, histogram.sum());
            self.sample(name, "_count", &labels, count as f64);
        }
    }

    pub fn finish(self) -> String {
        self.0
    }

    fn family<'a, const N: usize>(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        samples: impl IntoIterator<Item = ([Label<'a>; N], f64)>,
    ) {
        let mut headed = false;
        for (labels, value) in samples {
            if !std::mem::replace(&mut headed, true) {
                self.head(name, kind, help);
            }
            self.sample(name, "", &labels, value);
        }
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string can't fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample<'a>(
        &mut self,
        name: &str,
        suffix: &str,
        labels: impl IntoIterator<Item = &'a Label<'a>>,
        value: f64,
    ) {
        let _ = write!(self.0, "{name}{suffix}");
        let mut separator = '{';
        for (label, is) in labels {
            let _ = write!(self.0, "{separator}{label}=\"{}\"", escaped(is));
            separator = ',';
        }
        if separator == ',' {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {}", number(value));
    }
}

fn escaped(value: &str) -> String {
    let value = value.replace('\\', r"\\").replace('"', "\\\"");
    value.replace('\n', r"\n")
}

fn number(value: f64) -> String {
    if value == f64::INFINITY {
        "+Inf".to_owned()
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_written_as_prometheus_reads_them() {
        let mut page = Page::default();
        page.counter("a_total", "How many.", 3);
        page.gauges("b", "Of each.", [([("x", "1\"2\\3\n4")], 0.5)]);
        page.counters(
            "none_total",
            "Nothing yet.",
            [] as [([Label<'_>; 1], u64); 0],
        );
        let histogram = Histogram::of_numbers(&[1, 2]);
        histogram.observe(2);
        histogram.observe(7);
        page.histograms("c", "Spread.", [([("y", "z")], &histogram)]);
        let expected = r#"# HELP a_total How many.
# TYPE a_total counter
a_total 3
# HELP b Of each.
# TYPE b gauge
b{x="1\"2\\3\n4"} 0.5
# HELP c Spread.
# TYPE c histogram
c_bucket{y="z",le="1"} 0
c_bucket{y="z",le="2"} 1
c_bucket{y="z",le="+Inf"} 2
c_sum{y="z"} 9
c_count{y="z"} 2
"#;
        assert_eq!(page.finish(), expected);
    }
}
