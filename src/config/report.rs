//! Collects the problems and warnings of a configuration, so that an operator sees all at once.

use std::fmt;

use super::settings::SettingValues;

/// A problem that prevents the start. Never contains the value of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// `section.key`, or the path of an unusable file.
    pub key: String,
    /// The mistake, and how to correct it.
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

impl std::error::Error for ConfigProblem {}

#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) problems: Vec<ConfigProblem>,
    pub(super) warnings: Vec<String>,
    /// What an operator may want to know, though nothing is wrong.
    pub(super) notes: Vec<String>,
    /// Unknown variables with the prefix `CHATKEEP_`. Such a variable is often the cause of a
    /// missing key, so they are reported as problems if there are other problems, and otherwise as
    /// warnings.
    pub(super) unknown_variables: Vec<ConfigProblem>,
    pub(super) settings: SettingValues,
}

impl Report {
    /// Keeps only the first problem of a key: a second one follows from it, such as a missing
    /// secret whose file can't be read.
    pub(super) fn problem(&mut self, key: &str, message: impl Into<String>) {
        if self.problems.iter().all(|earlier| earlier.key != key) {
            self.problems.push(ConfigProblem {
                key: key.to_owned(),
                message: message.into(),
            });
        }
    }

    /// What there is to say about a valid configuration, or every problem.
    pub(super) fn conclude(self) -> Result<ConfigMessages, Vec<ConfigProblem>> {
        let Self {
            mut problems,
            mut warnings,
            notes,
            unknown_variables,
            ..
        } = self;
        if problems.is_empty() {
            let unknown_variables = unknown_variables.iter().map(ConfigProblem::to_string);
            let unknown_variables: Vec<String> = unknown_variables.collect();
            warnings.extend_from_slice(&unknown_variables);
            return Ok(ConfigMessages {
                warnings,
                notes,
                unknown_variables,
            });
        }
        problems.extend(unknown_variables);
        Err(problems)
    }

    pub(super) fn warning(&mut self, message: impl Into<String>) {
        self.warnings.push(message.into());
    }

    pub(super) fn note(&mut self, message: impl Into<String>) {
        self.notes.push(message.into());
    }
}

/// Sentences about a valid configuration.
#[derive(Debug)]
pub(super) struct ConfigMessages {
    /// All warnings, with those about unknown variables.
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) unknown_variables: Vec<String>,
}
