//! For whom something was paid: "taxi for Bo and me". It must not know payments.

use super::{is_everybody, is_self};
use crate::assistant::powers::texts::same;
use crate::assistant::powers::{parsers, statement};

/// "Bo", "taxi for Bo and me": what was paid for, and for whom, where one of them is known. `payer`:
/// whom "her" means; `None` for who speaks.
pub(super) fn people_at_end(
    purpose: &str,
    payer: Option<&str>,
    known: &[String],
) -> Option<(String, Vec<String>)> {
    let (what, people) = match purpose.rsplit_once(" for ") {
        Some((what, people)) if !is_given(what) => (what, people),
        Some(_) => return None,
        None => ("", purpose),
    };
    let mut people = parsers::things(people);
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

/// "lunch for Bo and me", "everyone": who shares it with the person who speaks.
pub(in crate::assistant::powers) fn shared_with(purpose: &str) -> Option<Vec<String>> {
    let (_, people) = people_at_end(purpose, None, &[])?;
    let is_shared = people.iter().any(|name| is_everybody(name))
        || people.len() > 1 && people.iter().any(|name| is_self(name));
    is_shared.then_some(people)
}

/// Whether it is given to somebody, who doesn't share it: "a gift for Eva".
fn is_given(what: &str) -> bool {
    let last = what.rsplit(' ').next().unwrap_or_default().to_lowercase();
    matches!(
        last.as_str(),
        "gift"
            | "gifts"
            | "present"
            | "presents"
            | "card"
            | "flowers"
            | "cake"
            | "party"
            | "bouquet"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_from_what_was_paid_for() {
        let known = ["bo", "cy", "me"].map(str::to_owned);
        type PurposeAndPeople = (&'static str, &'static [&'static str]);
        let cases: [(&str, Option<PurposeAndPeople>); 9] = [
            ("bo", Some(("", &["bo"]))),
            ("taxi for bo and me", Some(("taxi", &["bo", "me"]))),
            ("lunch for her and bo", Some(("lunch", &["ana", "bo"]))),
            ("tickets for everyone", Some(("tickets", &["everyone"]))),
            ("lunch for bo and eva", Some(("lunch", &["bo", "eva"]))),
            ("taxi", None),
            ("dinner for 2", None),
            ("food for the party", None),
            ("a gift for bo", None),
        ];
        for (purpose, expected) in cases {
            let found = people_at_end(purpose, Some("ana"), &known);
            let expected = expected.map(|(what, people)| {
                let people = people.iter().map(ToString::to_string);
                (what.to_owned(), people.collect::<Vec<String>>())
            });
            assert_eq!(found, expected, "{purpose}");
        }
    }
}
