//! Digits of other scripts.

use std::borrow::Cow;

/// The zeros of digits that people write: Arabic, Persian, Devanagari and full-width ones.
const ZEROS: [char; 4] = ['\u{660}', '\u{6f0}', '\u{966}', '\u{ff10}'];

/// A text with the digits 0 to 9 for those of other scripts, and a point for the Arabic one.
pub(in crate::assistant) fn with_ascii_digits(text: &str) -> Cow<'_, str> {
    let is_other = |c: char| c == '\u{66b}' || digit(c).is_some();
    if text.is_ascii() || !text.contains(is_other) {
        return text.into();
    }
    let ascii = |c: char| match c {
        '\u{66b}' => '.',
        _ => digit(c).unwrap_or(c),
    };
    text.chars().map(ascii).collect()
}

/// The digit 0 to 9 for one of another script.
fn digit(c: char) -> Option<char> {
    ZEROS.iter().find_map(|zero| {
        let value = u32::from(c).checked_sub(u32::from(*zero))?;
        char::from_digit(value, 10)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_other_scripts_are_read() {
        for (text, expected) in [
            ("الساعة ٦ مساء", "الساعة 6 مساء"),
            ("سجلت ٣١٫٤٠", "سجلت 31.40"),
            ("۱۸:۳۰", "18:30"),
            ("１９時", "19時"),
            ("४० रुपये", "40 रुपये"),
            ("at 6, né", "at 6, né"),
        ] {
            assert_eq!(with_ascii_digits(text), expected);
        }
    }
}
