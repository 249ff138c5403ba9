//! The conformance test for relay programs: simulates the service and reports which rules of the
//! protocol a program follows. The guide's table lists the rules; `scenarios` has the checks. This
//! module must not use the real service.

mod program;
mod scenarios;
mod simulator;
mod wire;

use std::collections::BTreeMap;
use std::fmt;

/// The guide's page with the rules.
const RULES: &str = include_str!("guide/relay_rules.md");

/// A row of the guide's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    pub name: &'static str,
    /// Whether the rule is a must; otherwise it is a should.
    pub is_must: bool,
    pub text: &'static str,
}

/// The result for a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleResult {
    Kept,
    Broken(String),
    /// The program did nothing that the rule is about.
    NotSeen(String),
}

/// Every rule, in the order of the table.
pub fn rules() -> Vec<Rule> {
    let rows = RULES.lines().filter_map(|line| {
        let mut cells = line.trim_matches('|').split(" | ").map(str::trim);
        let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        let is_must = cells.next()? == "must";
        let text = cells.next()?;
        Some(Rule {
            name,
            is_must,
            text,
        })
    });
    rows.collect()
}

/// The results for all rules.
pub struct Report {
    verdicts: BTreeMap<&'static str, RuleResult>,
    /// The last lines of the program's standard error.
    pub errors: String,
}

impl Report {
    /// Every must was followed, or could not be observed.
    pub fn passes(&self) -> bool {
        let rules = rules();
        let musts = rules.iter().filter(|rule| rule.is_must);
        !musts
            .into_iter()
            .any(|rule| matches!(self.verdicts.get(rule.name), Some(RuleResult::Broken(_))))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for Rule {
            name,
            is_must,
            text,
        } in rules()
        {
            let (word, why) = match self.verdicts.get(name) {
                Some(RuleResult::Kept) => ("kept", None),
                Some(RuleResult::Broken(why)) if is_must => ("BROKEN", Some(why)),
                Some(RuleResult::Broken(why)) => ("broken", Some(why)),
                Some(RuleResult::NotSeen(why)) => ("not seen", Some(why)),
                None => ("not seen", None),
            };
            writeln!(f, "{word:<9} {name}: {text}")?;
            if let Some(why) = why {
                writeln!(f, "{:<9} {why}", "")?;
            }
        }
        Ok(())
    }
}

/// Runs every check. The error says why the program could not be started.
pub async fn run(command: &[String]) -> Result<Report, String> {
    scenarios::run(command, scenarios::LATER).await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_table_is_read() {
        let rules = rules();
        assert_eq!(rules.len(), 24);
        assert_eq!(rules[0].name, "connects");
        let shoulds: Vec<&str> = rules
            .iter()
            .filter(|rule| !rule.is_must)
            .map(|rule| rule.name)
            .collect();
        assert_eq!(shoulds, ["unknown-command", "slow-answer", "polls-instead"]);
    }

    #[tokio::test]
    async fn a_program_that_never_connects_is_told_so() {
        let command = ["sleep", "600"].map(str::to_owned);
        let report = scenarios::run(&command, Duration::from_millis(100)).await;
        let report = report.unwrap();
        assert!(!report.passes());
        let printed = report.to_string();
        assert!(printed.contains("BROKEN    connects"), "{printed}");
        assert!(printed.contains("it neither opened"), "{printed}");
        assert!(printed.contains("not seen  completes"), "{printed}");
    }

    #[test]
    fn a_broken_must_fails() {
        let report = |name, verdict| Report {
            verdicts: [(name, verdict)].into(),
            errors: String::new(),
        };
        let why = || "why".to_owned();
        assert!(report("connects", RuleResult::Kept).passes());
        assert!(report("connects", RuleResult::NotSeen(why())).passes());
        assert!(report("slow-answer", RuleResult::Broken(why())).passes());
        assert!(!report("connects", RuleResult::Broken(why())).passes());
    }
}
