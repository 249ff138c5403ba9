//! Splits a bubble's text at a network's size limit.

/// Splits a text into pieces of at most `size_max`, at line ends or spaces if there are any. `size`
/// is a character's size in the network.
pub(super) fn pieces(text: &str, size_max: usize, size: fn(char) -> usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let fits = fitting(rest, size_max, size);
        let cut = match rest.len() > fits {
            true => rest[..fits]
                .rfind(['\n', ' '])
                .filter(|at| *at > 0)
                .map_or(fits, |at| at + 1),
            false => fits,
        };
        let (piece, after) = rest.split_at(cut);
        if !piece.trim().is_empty() {
            pieces.push(piece.trim_end());
        }
        rest = after;
    }
    pieces
}

/// Bytes of the text that fit into one piece.
fn fitting(text: &str, size_max: usize, size: fn(char) -> usize) -> usize {
    let mut taken = 0;
    for (at, c) in text.char_indices() {
        taken += size(c);
        if taken > size_max {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        let pieces = |text| pieces(text, 4096, char::len_utf16);
        assert_eq!(pieces("hi"), ["hi"]);
        assert!(pieces(" \n").is_empty());
        let words = "word ".repeat(1_000);
        let cut = pieces(&words);
        assert_eq!(cut.len(), 2);
        assert!(cut.iter().all(|piece| piece.len() <= 4096));
        assert_eq!(cut.concat().replace(' ', ""), words.replace(' ', ""));
        // An emoji is two units of UTF-16.
        let emoji = "😀".repeat(2_049);
        let lengths: Vec<usize> = pieces(&emoji).iter().map(|p| p.chars().count()).collect();
        assert_eq!(lengths, [2_048, 1]);
    }
}
