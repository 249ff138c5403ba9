//! For whom something was paid: "taxi for Bo and me", "pizza without Bo".

use super::{PaidAction, is_everybody, is_self};
use crate::assistant::powers::{parsers, statement};
use crate::assistant::text::phrases::phrases;
use crate::assistant::wording::texts::same;

impl PaidAction {
    /// With the people whom its purpose names, unless they were told otherwise. `payer`: the one
    /// who paid; `None` for who speaks. `known`: the people on the bill.
    pub(super) fn with_people_of_purpose(self, payer: Option<&str>, known: &[String]) -> Self {
        if !self.among.is_empty() || !self.except.is_empty() {
            return self;
        }
        if let Some((purpose, among)) = people_at_end(&self.purpose, payer, known) {
            return Self {
                purpose,
                among,
                ..self
            };
        }
        if let Some((purpose, among)) = people_alone(&self.purpose, known) {
            return Self {
                purpose,
                among,
                ..self
            };
        }
        if let Some((purpose, except)) = people_left_out(&self.purpose, known) {
            return Self {
                purpose,
                except,
                ..self
            };
        }
        match people_beside(&self.purpose, known) {
            Some((purpose, mut among)) => {
                among.insert(0, self.payer.clone());
                Self {
                    purpose,
                    among,
                    ..self
                }
            }
            None => self,
        }
    }
}

/// "Bo", "taxi for Bo and me": what was paid for, and for whom, where one of them is known. `payer`:
/// whom "her" means; `None` for who speaks.
fn people_at_end(
    purpose: &str,
    payer: Option<&str>,
    known: &[String],
) -> Option<(String, Vec<String>)> {
    let (what, people) = purpose.rsplit_once(" for ").unwrap_or(("", purpose));
    let mut people = people_listed(people);
    // unlike "cake for Bo and me"
    if is_given(what) && !people.iter().any(|name| is_self(name)) {
        return None;
    }
    let is_payer = |name: &str| {
        let own = ["her", "him", "them", "herself", "himself", "themselves"];
        own.iter().any(|own| same(own, name))
    };
    if let Some(payer) = payer {
        for name in people.iter_mut().filter(|name| is_payer(name)) {
            payer.clone_into(name);
        }
    }
    let is_known = |name: &String| {
        is_everybody(name)
            || is_payer(name)
            || is_self(name)
            || known.iter().any(|one| same(one, name))
    };
    let are_known = people.iter().any(is_known)
        && people
            .iter()
            .all(|name| is_known(name) || statement::is_person(name));
    are_known.then(|| (what.trim().to_owned(), people))
}

/// "pizza without Bo", "pizza except me": what was paid for, and who doesn't share it, where all of
/// them are known. "pizza without cheese" names nobody.
fn people_left_out(purpose: &str, known: &[String]) -> Option<(String, Vec<String>)> {
    let marks = [" except for ", " except ", " without "];
    people_after(purpose, &marks, known)
}

/// "cake, only Bo and me": what was paid for, and who alone shares it, where all of them are known.
fn people_alone(purpose: &str, known: &[String]) -> Option<(String, Vec<String>)> {
    people_after(purpose, &[", only ", ", just "], known)
}

/// "pizza with Bo": what was paid for, and with whom it is shared, where all of them are known.
fn people_beside(purpose: &str, known: &[String]) -> Option<(String, Vec<String>)> {
    people_after(purpose, &[" with ", " together with "], known)
}

fn people_after(purpose: &str, marks: &[&str], known: &[String]) -> Option<(String, Vec<String>)> {
    let padded = format!(" {purpose}"); // nothing may be before the mark
    let parts = marks.iter().filter_map(|mark| padded.rsplit_once(mark));
    let (what, people) = parts.min_by_key(|(what, _)| what.len())?;
    let people = people_listed(people);
    let is_known = |name: &String| is_self(name) || known.iter().any(|one| same(one, name));
    let are_known = !people.is_empty() && people.iter().all(is_known);
    are_known.then(|| (what.trim().to_owned(), people))
}

/// "lunch for Bo and me", "everyone": who shares it with the person who speaks.
pub(in crate::assistant::powers) fn shared_with(purpose: &str) -> Option<Vec<String>> {
    let (_, people) = people_at_end(purpose, None, &[])?;
    let is_shared = people.iter().any(|name| is_everybody(name))
        || people.len() > 1 && people.iter().any(|name| is_self(name));
    is_shared.then_some(people)
}

/// The people of a list, where "me" is one of them also without a comma: "me bo and cy".
pub(super) fn people_listed(text: &str) -> Vec<String> {
    let each = parsers::things(text).into_iter();
    let each = each.flat_map(|name| match name.split_once(' ') {
        Some((me, rest)) if same(me, "me") => vec!["me".to_owned(), rest.trim().to_owned()],
        _ => vec![name],
    });
    each.collect()
}

/// Whether it is given to somebody, who doesn't share it: "a gift for Eva".
fn is_given(what: &str) -> bool {
    let last = what.rsplit(' ').next().unwrap_or_default().to_lowercase();
    phrases![
        "gift", "gifts", "present", "presents", "card", "flowers", "cake", "party", "bouquet"
    ]
    .contains(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_from_what_was_paid_for() {
        let known = ["bo", "cy", "me"].map(str::to_owned);
        type PurposeAndPeople = (&'static str, &'static [&'static str]);
        let cases: [(&str, Option<PurposeAndPeople>); 10] = [
            ("bo", Some(("", &["bo"]))),
            ("taxi for bo and me", Some(("taxi", &["bo", "me"]))),
            ("lunch for her and bo", Some(("lunch", &["ana", "bo"]))),
            ("tickets for everyone", Some(("tickets", &["everyone"]))),
            ("lunch for bo and eva", Some(("lunch", &["bo", "eva"]))),
            ("taxi", None),
            ("dinner for 2", None),
            ("food for the party", None),
            ("a gift for bo", None),
            ("cake for bo and me", Some(("cake", &["bo", "me"]))),
        ];
        for (purpose, expected) in cases {
            let found = people_at_end(purpose, Some("ana"), &known);
            let expected = expected.map(|(what, people)| {
                let people = people.iter().map(ToString::to_string);
                (what.to_owned(), people.collect::<Vec<String>>())
            });
            assert_eq!(found, expected, "{purpose}");
        }
        let pair = |what: &str, name: &str| Some((what.to_owned(), vec![name.to_owned()]));
        assert_eq!(
            people_left_out("pizza without bo", &known),
            pair("pizza", "bo")
        );
        assert_eq!(people_left_out("except for me", &known), pair("", "me"));
        let alone = people_alone("pizza, only bo", &known);
        assert_eq!(alone, pair("pizza", "bo"));
        assert_eq!(people_alone("pizza, only cheese", &known), None);
        assert_eq!(people_left_out("pizza without cheese", &known), None);
        assert_eq!(people_beside("pizza with cy", &known), pair("pizza", "cy"));
        assert_eq!(people_beside("pizza with ham", &known), None);
    }
}
