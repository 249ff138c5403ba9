//! Forms and queries in the provider's format: brackets in keys stay, values are percent-encoded.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All characters except the unreserved ones of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Fields in the order they are sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Form(Vec<(&'static str, String)>);

impl Form {
    pub(crate) fn with(mut self, key: &'static str, value: impl ToString) -> Self {
        self.0.push((key, value.to_string()));
        self
    }

    /// Adds the field unless the value is missing or empty.
    pub(crate) fn with_some(self, key: &'static str, value: Option<&str>) -> Self {
        match value.filter(|value| !value.is_empty()) {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub(crate) fn encoded(&self) -> String {
        let pairs = self.0.iter();
        let pairs =
            pairs.map(|(key, value)| format!("{key}={}", utf8_percent_encode(value, ENCODED)));
        pairs.collect::<Vec<_>>().join("&")
    }
}

/// A path with a query.
pub(crate) fn query(path: &str, form: &Form) -> String {
    format!("{path}?{}", form.encoded())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_of_keys_stay_and_values_are_encoded() {
        let form = Form::default()
            .with("line_items[0][quantity]", 1)
            .with("success_url", "https://a.example/?s={ID}&x=1#y")
            .with("name", "Zoë & co+1")
            .with_some("email", None)
            .with_some("phone", Some(""));
        assert_eq!(
            form.encoded(),
            "line_items[0][quantity]=1\
             &success_url=https%3A%2F%2Fa.example%2F%3Fs%3D%7BID%7D%26x%3D1%23y\
             &name=Zo%C3%AB%20%26%20co%2B1"
        );
        assert_eq!(query("/v1/x", &Form::default().with("a", 1)), "/v1/x?a=1");
    }
}
