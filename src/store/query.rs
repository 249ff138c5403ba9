//! Reading and writing rows: statements that the connection caches, and columns that are read in
//! their order as values of the domains' own types.

use std::ops::Deref;
use std::sync::Arc;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Params, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Tx, View};
use crate::clock::Timestamp;
use crate::error::Result;

/// A type that is read from the next columns of a row: a value, a tuple or a structure.
pub(super) trait FromRow: Sized {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self>;
}

/// The columns of a row that are not read yet.
pub(super) struct Columns<'a> {
    row: &'a Row<'a>,
    next: usize,
}

impl Columns<'_> {
    pub(super) fn next<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let value = self.row.get(self.next);
        self.next += 1;
        value
    }
}

/// Reads a structure. Its fields are named in the order of the columns; `as` names the wrapper
/// that parses a column.
macro_rules! from_row {
    ($name:ident: $($field:ident $(as $wrapper:ident)?),+) => {
        impl crate::store::query::FromRow for $name {
            fn read(columns: &mut crate::store::query::Columns) -> rusqlite::Result<Self> {
                $(
                    let $field = crate::store::query::FromRow::read(columns)?;
                    $(let $wrapper($field) = $field;)?
                )+
                Ok(Self { $($field),+ })
            }
        }
    };
}
pub(super) use from_row;

impl View<'_> {
    /// The first row, if any.
    pub(super) fn find<T: FromRow>(&self, sql: &str, params: impl Params) -> Result<Option<T>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        Ok(statement.query_row(params, read).optional()?)
    }

    /// The only row.
    pub(super) fn one<T: FromRow>(&self, sql: &str, params: impl Params) -> Result<T> {
        let mut statement = self.conn.prepare_cached(sql)?;
        Ok(statement.query_row(params, read)?)
    }

    pub(super) fn all<T: FromRow>(&self, sql: &str, params: impl Params) -> Result<Vec<T>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(params, read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Whether there is a row.
    pub(super) fn exists(&self, sql: &str, params: impl Params) -> Result<bool> {
        Ok(self.conn.prepare_cached(sql)?.exists(params)?)
    }
}

impl<'a> Deref for Tx<'a> {
    type Target = View<'a>;

    fn deref(&self) -> &View<'a> {
        &self.view
    }
}

impl Tx<'_> {
    /// Returns how many rows it changed.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        Ok(self.conn.prepare_cached(sql)?.execute(params)?)
    }

    /// Like `execute`, however many rows it changes.
    pub(super) fn run(&self, sql: &str, params: impl Params) -> Result<()> {
        self.execute(sql, params).map(drop)
    }
}

pub(super) fn read<T: FromRow>(row: &Row) -> rusqlite::Result<T> {
    T::read(&mut Columns { row, next: 0 })
}

/// Types that are read from one column.
macro_rules! values {
    ($($name:ty),+) => {$(
        impl crate::store::query::FromRow for $name {
            fn read(columns: &mut crate::store::query::Columns) -> rusqlite::Result<Self> {
                columns.next()
            }
        }
    )+};
}
pub(super) use values;
values! { bool, u16, u32, f64, i64, u64, usize, String, Arc<str>, Vec<u8> }

impl<T: FromSql> FromRow for Option<T> {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        columns.next()
    }
}

macro_rules! tuples {
    ($(($($column:ident),+))+) => {$(
        impl<$($column: FromRow),+> FromRow for ($($column),+) {
            fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
                Ok(($($column::read(columns)?),+))
            }
        }
    )+};
}
tuples!((A, B)(A, B, C)(A, B, C, D)(A, B, C, D, E)(A, B, C, D, E, F));

/// A type that is stored as its number.
macro_rules! number {
    ($name:ident) => {
        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.0.into())
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(
                value: rusqlite::types::ValueRef,
            ) -> rusqlite::types::FromSqlResult<Self> {
                i64::column_result(value).map(Self)
            }
        }
        crate::store::query::values! { $name }
    };
}
pub(super) use number;
number!(Timestamp);

/// Enums of `named!` that are stored as the value's name.
macro_rules! names {
    ($($name:ident),+) => {$(
        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.as_str().into())
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(
                value: rusqlite::types::ValueRef,
            ) -> rusqlite::types::FromSqlResult<Self> {
                let unknown = || rusqlite::types::FromSqlError::Other("an unknown name".into());
                Self::named(value.as_str()?).ok_or_else(unknown)
            }
        }
        crate::store::query::values! { $name }
    )+};
}
pub(super) use names;

/// A variant of an enum, stored as its name.
pub(super) struct Text<T>(pub(super) T);

impl<T: Serialize> ToSql for Text<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match serde_json::to_value(&self.0) {
            Ok(Value::String(name)) => Ok(name.into()),
            _ => Err(rusqlite::Error::ToSqlConversionFailure("not a name".into())),
        }
    }
}

impl<T: DeserializeOwned> FromSql for Text<T> {
    fn column_result(value: ValueRef) -> FromSqlResult<Self> {
        let name = Value::String(value.as_str()?.to_owned());
        let variant = serde_json::from_value(name);
        variant.map(Self).map_err(|e| FromSqlError::Other(e.into()))
    }
}

impl<T: DeserializeOwned> FromRow for Text<T> {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        columns.next()
    }
}

/// A structure, stored as JSON.
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match serde_json::to_string(&self.0) {
            Ok(text) => Ok(text.into()),
            Err(e) => Err(rusqlite::Error::ToSqlConversionFailure(e.into())),
        }
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef) -> FromSqlResult<Self> {
        let structure = serde_json::from_str(value.as_str()?);
        structure
            .map(Self)
            .map_err(|e| FromSqlError::Other(e.into()))
    }
}

impl<T: DeserializeOwned> FromRow for Json<T> {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        columns.next()
    }
}

/// JSON of a column that may be empty or invalid, which counts as null.
pub(super) struct JsonOrNull(pub(super) Value);

impl FromRow for JsonOrNull {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        let text: Option<String> = columns.next()?;
        let value = text.and_then(|text| serde_json::from_str(&text).ok());
        Ok(Self(value.unwrap_or_default()))
    }
}
