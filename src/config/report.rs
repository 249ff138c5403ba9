//! Collects the problems and warnings of a configuration, so that an operator sees all at once.

use std::fmt;

use super::settings::Settings;

/// One thing that keeps the service from starting. Never holds the value of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// `section.key`, or the path of a file that can't be used.
    pub key: String,
    /// What is wrong and what to do about it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

impl std::error::Error for Problem {}

#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) problems: Vec<Problem>,
    pub(super) warnings: Vec<String>,
    /// Unknown variables with our prefix. They are the likely cause of a missing key, so they
    /// are reported with the problems when there are any, and as warnings otherwise.
    pub(super) unknown_variables: Vec<Problem>,
    pub(super) settings: Settings,
}

impl Report {
    /// Keeps the first problem of a key. A second one follows from it: a secret whose file
    /// can't be read is also missing.
    pub(super) fn problem(&mut self, key: &str, message: impl Into<String>) {
        if self.problems.iter().all(|known| known.key != key) {
            self.problems.push(Problem {
                key: key.to_owned(),
                message: message.into(),
            });
        }
    }

    /// The warnings of a valid configuration, or every problem.
    pub(super) fn conclude(self) -> Result<Vec<String>, Vec<Problem>> {
        let Self {
            mut problems,
            mut warnings,
            unknown_variables,
            ..
        } = self;
        if problems.is_empty() {
            warnings.extend(unknown_variables.iter().map(Problem::to_string));
            return Ok(warnings);
        }
        problems.extend(unknown_variables);
        Err(problems)
    }

    pub(super) fn warning(&mut self, message: impl Into<String>) {
        self.warnings.push(message.into());
    }
}
