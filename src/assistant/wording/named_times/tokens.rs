//! A text as tokens: words, numbers, and what stands between them.

/// Letters or digits that stand together.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextToken<'t> {
    pub(super) text: &'t str,
    /// The text between this token and the next one.
    pub(super) gap: &'t str,
}

impl TextToken<'_> {
    pub(super) fn number(&self, digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
        let is_number =
            digits.contains(&self.text.len()) && self.text.chars().all(|c| c.is_ascii_digit());
        is_number.then(|| self.text.parse().ok())?
    }
}

pub(super) fn tokens(text: &str) -> Vec<TextToken<'_>> {
    let kind = |c: char| (c.is_ascii_digit(), c.is_alphabetic());
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut last = None;
    for (at, c) in text.char_indices() {
        let this = Some(kind(c)).filter(|kind| *kind != (false, false));
        match places.last_mut() {
            Some(place) if this.is_some() && this == last => place.1 = at + c.len_utf8(),
            _ if this.is_some() => places.push((at, at + c.len_utf8())),
            _ => {}
        }
        last = this;
    }
    let ends = places
        .iter()
        .skip(1)
        .map(|place| place.0)
        .chain([text.len()]);
    let gaps: Vec<usize> = ends.collect();
    places
        .iter()
        .zip(gaps)
        .map(|((start, end), next)| TextToken {
            text: &text[*start..*end],
            gap: &text[*end..next],
        })
        .collect()
}
