//! A flag's typed value, and the rules for accepting JSON as a value. Pure.

use serde_json::Value;

use super::registry::{Flag, Kind};

/// Larger doubles can't represent every integer.
const EXACT_INTEGER_MAX: f64 = 9_007_199_254_740_991.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    Boolean(bool),
    Integer(i64),
    Number(f64),
}

impl Scalar {
    /// Parses an operator's value, within the flag's range. Stricter than `read`, so that mistakes
    /// are noticed: 7.0 is no integer, and a number without a range must not be negative. The error
    /// continues "must be".
    pub fn set(flag: &Flag, json: &Value) -> Result<Self, &'static str> {
        let written_so = flag.kind() != Kind::Integer || json.is_i64();
        let value = Self::read(flag, json).filter(|_| written_so);
        let negative = json.as_f64().is_some_and(|number| number < 0.0);
        match value {
            Some(_) if negative && flag.range.is_none() => Err("0 or more"),
            Some(value) => Ok(value),
            None => Err(match flag.kind() {
                Kind::Boolean => "true or false",
                Kind::Integer => "a whole number, without a decimal point",
                Kind::Number => "a number",
            }),
        }
    }

    /// Parses a provider's value. `None` for another type. A whole number is an integer in any
    /// notation; a string is never a number. Clamped to the flag's range.
    pub fn read(flag: &Flag, json: &Value) -> Option<Self> {
        let scalar = match flag.kind() {
            Kind::Boolean => Self::Boolean(json.as_bool()?),
            Kind::Integer => Self::Integer(json.as_i64().or_else(|| whole(json.as_f64()?))?),
            Kind::Number => Self::Number(json.as_f64()?),
        };
        Some(flag.clamped(scalar))
    }

    pub fn to_json(self) -> Value {
        match self {
            Self::Boolean(on) => on.into(),
            Self::Integer(n) => n.into(),
            Self::Number(n) => n.into(),
        }
    }
}

fn whole(number: f64) -> Option<i64> {
    let exact = number.fract() == 0.0 && number.abs() <= EXACT_INTEGER_MAX;
    exact.then_some(number as i64)
}
