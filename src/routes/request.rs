//! A request as a handler gets it: with the authenticated caller and the path's parameters, by
//! type. This file must not know which routes there are.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::app::App;
use crate::error::{Error, Result};
use crate::http::{self, Exchange, Params};

/// `C` is the caller: `()` for anyone, else the type that [`super::caller`] authenticates. `P` has
/// the values of the path's parameters in their order: `()`, a `String`, or a pair.
pub(super) struct Request<C = (), P = ()> {
    pub app: Arc<App>,
    /// Boxed, because it is moved several times.
    pub exchange: Box<Exchange>,
    pub caller: C,
    pub path: P,
    pub body_bytes_max: usize,
}

impl<C, P> Request<C, P> {
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
        let Some(text) = self.exchange.query_param(name) else {
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

/// The values of a path's parameters.
pub(super) trait PathParams: Sized + Send + 'static {
    /// How many parameters the path must have.
    const COUNT: usize;

    /// `None` when their number is another.
    fn of(params: Params) -> Option<Self>;
}

impl PathParams for () {
    const COUNT: usize = 0;

    fn of(_: Params) -> Option<Self> {
        Some(())
    }
}

impl PathParams for String {
    const COUNT: usize = 1;

    fn of(params: Params) -> Option<Self> {
        params.into_iter().next()
    }
}

impl PathParams for (String, String) {
    const COUNT: usize = 2;

    fn of(params: Params) -> Option<Self> {
        let mut values = params.into_iter();
        Some((values.next()?, values.next()?))
    }
}
