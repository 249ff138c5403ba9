//! A request as a handler gets it: with the authenticated caller, the path's parameters and the
//! JSON body, by type.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::app::App;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::http::{self, Exchange, Fields, Params};

/// `C` is the caller: `()` for anyone, else the type that [`super::caller`] authenticates. `P` has
/// the values of the path's parameters in their order: `()`, a `String`, or a pair. `B` is the body:
/// `()` where there is none or the handler reads it, else a [`JsonBody`].
pub(super) struct Request<C = (), P = (), B = ()> {
    pub app: Arc<App>,
    /// Boxed, because it is moved several times.
    pub exchange: Box<Exchange>,
    pub caller: C,
    pub path: P,
    pub body: B,
    pub body_bytes_max: usize,
}

impl<C, P, B> Request<C, P, B> {
    /// The body's bytes within the row's cap; refused unless the Content-Type allows JSON.
    pub(super) async fn json_bytes(&mut self) -> Result<http::Bytes> {
        self.exchange.check_json()?;
        self.exchange.read_body(self.body_bytes_max).await
    }

    /// The body as a JSON object within the row's cap.
    pub(super) async fn json(&mut self) -> Result<http::Json> {
        self.exchange.read_json(self.body_bytes_max).await
    }

    /// An integer of the query, as digits; `default` when the query has none of this name.
    pub(super) fn query_integer<N>(
        &self,
        name: &str,
        default: N,
        range: RangeInclusive<N>,
    ) -> Result<N>
    where
        N: std::str::FromStr + PartialOrd + std::fmt::Display,
    {
        let Some(text) = self.exchange.query_param(name)? else {
            return Ok(default);
        };
        let is_digits = text.bytes().all(|b| b.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_digits);
        number.filter(|n| range.contains(n)).ok_or_else(|| {
            let (first, last) = (range.start(), range.end());
            let expected = format!("must be an integer from {first} to {last}.");
            Error::invalid_field(format!("/{name}"), expected)
        })
    }
}

/// A body that is read before the handler runs.
pub(super) trait Body: Sized + Send + 'static {
    fn read(
        exchange: &mut Exchange,
        bytes_max: usize,
        now: Timestamp,
    ) -> impl Future<Output = Result<Self>> + Send;
}

impl Body for () {
    async fn read(_: &mut Exchange, _: usize, _: Timestamp) -> Result<Self> {
        Ok(())
    }
}

/// The fields of a JSON object.
pub(super) trait JsonBody: Send + 'static {
    /// Invalid fields are refused by `fields`, all in one answer. `now`: for times that must lie
    /// in the future.
    fn from_fields(fields: &mut Fields, now: Timestamp) -> Self;
}

impl<B: JsonBody> Body for B {
    async fn read(exchange: &mut Exchange, bytes_max: usize, now: Timestamp) -> Result<Self> {
        let json = exchange.read_json(bytes_max).await?;
        let mut fields = Fields::of(&json);
        let body = B::from_fields(&mut fields, now);
        fields.finish()?;
        Ok(body)
    }
}

/// The values of a path's parameters.
pub(super) trait PathParams: Sized + Send + 'static {
    /// How many parameters the path must have.
    const COUNT: usize;

    /// `None` when their number is another.
    fn from_params(params: Params) -> Option<Self>;
}

impl PathParams for () {
    const COUNT: usize = 0;

    fn from_params(_: Params) -> Option<Self> {
        Some(())
    }
}

impl PathParams for String {
    const COUNT: usize = 1;

    fn from_params(params: Params) -> Option<Self> {
        params.into_iter().next()
    }
}

impl PathParams for (String, String) {
    const COUNT: usize = 2;

    fn from_params(params: Params) -> Option<Self> {
        let mut values = params.into_iter();
        Some((values.next()?, values.next()?))
    }
}
