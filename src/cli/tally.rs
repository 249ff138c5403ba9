//! How far a long command is, counted on one line of a terminal that is written over and over.
//! Where standard error is no terminal, nothing is shown.

use indicatif::{ProgressBar, ProgressStyle};

const OF: &str = "{wide_bar} {pos} of {len} {prefix}{msg}";
const COUNTING: &str = "{spinner} {pos} {prefix}{msg}";

/// The line goes when this is dropped.
pub(super) struct Tally(ProgressBar);

impl Tally {
    /// Of so many; `unit` is what is counted, in the plural.
    pub(super) fn of(total: u64, unit: &'static str) -> Self {
        Self::new(ProgressBar::new(total), OF, unit)
    }

    /// Of nobody knows how many.
    pub(super) fn counting(unit: &'static str) -> Self {
        Self::new(ProgressBar::new_spinner(), COUNTING, unit)
    }

    fn new(bar: ProgressBar, template: &str, unit: &'static str) -> Self {
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(unit);
        Self(bar)
    }

    pub(super) fn show(&self, done: u64, more: String) {
        self.0.set_message(more);
        self.0.set_position(done);
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_templates_make_sense() {
        for template in [OF, COUNTING] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
