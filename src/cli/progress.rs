//! How far a long command is, on one line of a terminal that is written over and over. Where
//! standard error is no terminal, nothing is shown.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::store::Stage;

const COPYING: &str = "{msg} {bar:30} {percent:>3} %";
const CHECKING: &str = "{spinner} {msg}";
const OF: &str = "{wide_bar} {pos} of {len} {prefix}{msg}";
const COUNTING: &str = "{spinner} {pos} {prefix}{msg}";
const SPIN_EVERY: Duration = Duration::from_millis(100);

/// The line goes when this is dropped.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Of nobody knows how much.
    pub(super) fn new() -> Self {
        Self(ProgressBar::no_length())
    }

    /// Of so many; `unit` is what is counted, in the plural.
    pub(super) fn of(total: u64, unit: &'static str) -> Self {
        let this = Self(ProgressBar::new(total));
        this.style(OF);
        this.0.set_prefix(unit);
        this
    }

    /// Of nobody knows how many.
    pub(super) fn counting(unit: &'static str) -> Self {
        let this = Self::new();
        this.style(COUNTING);
        this.0.set_prefix(unit);
        this
    }

    pub(super) fn count(&self, done: u64, more: String) {
        self.0.set_message(more);
        self.0.set_position(done);
    }

    pub(super) fn show(&self, stage: Stage) {
        match stage {
            Stage::Copying { pages, of } => {
                if self.0.length() != Some(of) {
                    self.style(COPYING);
                    self.0.set_message("copying ");
                    self.0.set_length(of);
                }
                self.0.set_position(pages);
            }
            Stage::TakingOver => self.spin("taking over the service's copy"),
            Stage::Checking => self.spin("checking what was copied"),
        }
    }

    /// For what can't say how far it is.
    pub(super) fn spin(&self, what: &'static str) {
        self.style(CHECKING);
        self.0.set_message(what);
        self.0.enable_steady_tick(SPIN_EVERY);
    }

    fn style(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0.set_style(style);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_templates_make_sense() {
        for template in [COPYING, CHECKING, OF, COUNTING] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
