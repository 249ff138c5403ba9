//! A flag's typed value.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    Boolean(bool),
    Integer(i64),
    Number(f64),
}

impl Scalar {
    pub fn to_json(self) -> Value {
        match self {
            Self::Boolean(on) => on.into(),
            Self::Integer(n) => n.into(),
            Self::Number(n) => n.into(),
        }
    }
}
