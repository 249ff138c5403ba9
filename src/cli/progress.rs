//! Progress bars for long commands, on standard error. They are shown in a terminal only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::store::Stage;

const COPYING: &str = "{msg} {bar:30} {percent:>3} %";
const CHECKING: &str = "{spinner} {msg}";
const OF: &str = "{wide_bar} {pos} of {len} {prefix}{msg}";
const COUNTING: &str = "{spinner} {pos} {prefix}{msg}";
const SPIN_INTERVAL: Duration = Duration::from_millis(100);

/// A progress bar; dropping it clears the line.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// A bar without a known total.
    pub(super) fn new() -> Self {
        Self(ProgressBar::no_length())
    }

    /// A bar of `total`; `unit` names what is counted, in the plural.
    pub(super) fn of(total: u64, unit: &'static str) -> Self {
        let this = Self(ProgressBar::new(total));
        this.style(OF);
        this.0.set_prefix(unit);
        this
    }

    /// A counter of `unit` without a known total.
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

    /// For a stage without known progress.
    pub(super) fn spin(&self, message: &'static str) {
        self.style(CHECKING);
        self.0.set_message(message);
        self.0.enable_steady_tick(SPIN_INTERVAL);
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
    fn templates_are_valid() {
        for template in [COPYING, CHECKING, OF, COUNTING] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
