//! Masks phone numbers in names before they are logged. Agents' names are arbitrary and are often
//! phone numbers.

use std::borrow::Cow;

/// This many digits, with single separators between them, may be a phone number.
const DIGITS_MIN: usize = 7;
/// Digits that stay visible, to distinguish names.
const DIGITS_SHOWN: usize = 2;

/// The name with possible phone numbers masked, except for their last digits.
pub fn masked(name: &str) -> Cow<'_, str> {
    if name.bytes().filter(u8::is_ascii_digit).count() < DIGITS_MIN {
        return Cow::Borrowed(name);
    }
    let mut chars: Vec<char> = name.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let run = run_of_digits(&chars[at..]);
        let digits = chars[at..at + run].iter().filter(|c| c.is_ascii_digit());
        let digits = digits.count();
        if digits >= DIGITS_MIN {
            let run = chars[at..at + run].iter_mut();
            let digits_to_hide = digits - DIGITS_SHOWN;
            let hidden = run.filter(|c| c.is_ascii_digit()).take(digits_to_hide);
            hidden.for_each(|c| *c = '*');
        }
        at += run.max(1);
    }
    Cow::Owned(chars.into_iter().collect())
}

/// The length of the run of digits at the start, including single separators.
fn run_of_digits(chars: &[char]) -> usize {
    let mut end = 0;
    for (at, c) in chars.iter().enumerate() {
        if c.is_ascii_digit() {
            end = at + 1;
        } else if c.is_alphanumeric() || at > end {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_phone_is_starred_out() {
        for (name, expected) in [
            ("demo", "demo"),
            ("mac-2024", "mac-2024"),
            ("15550100", "******00"),
            ("+1-555-010-0123", "+*-***-***-**23"),
            ("relay_15550100.b", "relay_******00.b"),
            ("v1.2.3", "v1.2.3"),
            ("123456", "123456"),
            ("1234--567", "1234--567"),
            ("1555010015550101", "**************01"),
            ("a1555b0100c", "a1555b0100c"),
            ("", ""),
        ] {
            assert_eq!(masked(name), expected, "{name}");
        }
    }
}
