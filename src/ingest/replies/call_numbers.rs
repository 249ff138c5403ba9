//! The numbers of a call: all of them, those that it keeps, and what each is for. Pure.

use serde_json::Value;

use crate::assistant::wording::{KnownNumbers, NamedNumber, numbers_of};

/// Fields of arguments whose numbers are none that are kept: what they name, and times.
const NOT_KEPT: [&str; 13] = [
    "id", "ids", "number", "numbers", "day", "month", "year", "at", "from", "to", "in_minutes",
    "repeat", "operation",
];
/// What is kept after a change, as far as it was not the change: it tells of others, too.
const OF_OTHERS: [&str; 2] = ["data", "quoted_data"];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CallNumbers {
    /// In the arguments and in what the result says of the change or the look-up.
    pub(super) own: KnownNumbers,
    /// Also in all else that the result tells.
    pub(super) all: KnownNumbers,
    /// Amounts, scores and the like, and those in texts.
    pub(super) kept: Vec<NamedNumber>,
    /// The things that such a number is for, in lower case.
    pub(super) of_things: Vec<(String, NamedNumber)>,
}

impl CallNumbers {
    /// `arguments`: JSON.
    pub(super) fn of(arguments: &str, result: &Value) -> Self {
        let mut numbers = Self::default();
        numbers.own.add(arguments);
        numbers.all.add(&result.to_string());
        numbers.all.add_lengths(result);
        let mut own_result = result.clone();
        if let Some(fields) = own_result.as_object_mut()
            && fields.contains_key("done")
        {
            OF_OTHERS.iter().for_each(|name| drop(fields.remove(*name)));
        }
        numbers.own.add(&own_result.to_string());
        if let Ok(arguments) = serde_json::from_str::<Value>(arguments) {
            numbers.own.add_lengths(&arguments);
            numbers.add_kept(&arguments);
        }
        numbers.all.add_all(&numbers.own);
        numbers
    }

    fn add_kept(&mut self, arguments: &Value) {
        match arguments {
            Value::Array(all) => all.iter().for_each(|one| self.add_kept(one)),
            Value::Object(fields) => {
                let is_kept = |(name, _): &(&String, &Value)| !NOT_KEPT.contains(&name.as_str());
                let kept: Vec<&Value> =
                    fields.iter().filter(is_kept).map(|field| field.1).collect();
                let mut texts = kept.iter().filter_map(|value| value.as_str());
                let mut figures = kept.iter().filter(|value| value.is_number());
                if let (Some(thing), Some(figure)) = (texts.next(), figures.next())
                    && (texts.next(), figures.next()) == (None, None)
                    && let Some(number) = numbers_of(&figure.to_string()).pop()
                {
                    self.of_things.push((thing.to_lowercase(), number));
                }
                kept.into_iter().for_each(|one| self.add_kept(one));
            }
            Value::Number(number) => self.kept.extend(numbers_of(&number.to_string())),
            Value::String(text) if !is_date(text) => self.kept.extend(numbers_of(text)),
            _ => {}
        }
    }
}

/// "2027-03-10", "2027-03-10T09:00"
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    parts.clone().count() == 3
        && parts
            .next()
            .is_some_and(|year| year.len() == 4 && year.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_kept_is_told_from_what_is_named() {
        let arguments = json!({
            "operation": "spent",
            "expenses": [{"amount": 5, "purpose": "Bus"}, {"amount": 12.5, "purpose": "2 teas"}],
            "numbers": [3], "day": 4, "until": "2027-03-10",
        });
        let result =
            json!({"ok": true, "done": "Noted 5.", "data": {"expenses": [{"amount": 40}]}});
        let numbers = CallNumbers::of(&arguments.to_string(), &result);
        let of = |text: &str| numbers_of(text).remove(0);
        assert_eq!(numbers.kept, [of("5"), of("12.5"), of("2")]);
        let of_things = [
            ("bus".to_owned(), of("5")),
            ("2 teas".to_owned(), of("12.5")),
        ];
        assert_eq!(numbers.of_things, of_things);
        assert!(!numbers.own.has(&of("40")) && numbers.all.has(&of("40")));
        // What a look-up tells is its own.
        let found = json!({"ok": true, "answer": "40", "data": {"amount": 60}});
        assert!(CallNumbers::of("{}", &found).own.has(&of("60")));
    }
}
