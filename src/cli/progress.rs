//! A bar on a terminal for copies that take a while; nothing where nobody looks.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::store::Stage;

const COPYING: &str = "{msg} {bar:30} {percent:>3} %";
const CHECKING: &str = "{spinner} {msg}";
const SPIN_EVERY: Duration = Duration::from_millis(100);

pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new() -> Self {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        Self(ProgressBar::with_draw_target(None, target))
    }

    pub(super) fn show(&self, stage: Stage) {
        match stage {
            Stage::Copying { pages, of } => {
                if self.0.length() != Some(of) {
                    self.begin(COPYING, "copying ");
                    self.0.set_length(of);
                }
                self.0.set_position(pages);
            }
            Stage::Checking => self.spin("checking what was copied"),
        }
    }

    /// For what can't say how far it is.
    pub(super) fn spin(&self, what: &'static str) {
        self.begin(CHECKING, what);
        self.0.enable_steady_tick(SPIN_EVERY);
    }

    fn begin(&self, template: &str, message: &'static str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0.set_style(style);
        }
        self.0.set_message(message);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
