//! Forms and queries as the provider reads them: the brackets of keys stay, values are
//! percent-encoded.

use std::fmt::Write as _;

/// Fields in the order in which they are sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Form(Vec<(&'static str, String)>);

impl Form {
    pub(crate) fn with(mut self, key: &'static str, value: impl ToString) -> Self {
        self.0.push((key, value.to_string()));
        self
    }

    /// Leaves the field out where there is no value.
    pub(crate) fn with_some(self, key: &'static str, value: Option<&str>) -> Self {
        match value.filter(|value| !value.is_empty()) {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub(crate) fn encoded(&self) -> String {
        let pairs = self.0.iter();
        let pairs = pairs.map(|(key, value)| format!("{key}={}", percent_encoded(value)));
        pairs.collect::<Vec<_>>().join("&")
    }
}

/// A path with a query.
pub(crate) fn query(path: &str, form: &Form) -> String {
    format!("{path}?{}", form.encoded())
}

pub(super) fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string can't fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
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
