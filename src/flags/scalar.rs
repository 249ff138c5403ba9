//! The value of a flag, typed, and the one rule for what of foreign JSON counts as a value of
//! a flag's type. Pure.

use serde_json::Value;

use super::registry::{Flag, Kind};

/// Beyond, a double no longer tells neighbouring integers apart.
const EXACT_INTEGER_MAX: f64 = 9_007_199_254_740_991.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    Boolean(bool),
    Integer(i64),
    Number(f64),
}

impl Scalar {
    /// `None`: of another type. A whole number is an integer however it is written; a text is
    /// never a number. Within the flag's range.
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
