//! Common purchases: an amount beside one of these words was spent on it.

/// Sorted.
pub(super) const USUAL: [&str; 40] = [
    "beer", "beers", "breakfast", "brunch", "burger", "bus", "cinema", "coffee", "dinner",
    "drinks", "food", "fuel", "gas", "groceries", "haircut", "kebab", "lunch", "medicine", "metro",
    "movie", "parking", "petrol", "pharmacy", "pizza", "rent", "sandwich", "shopping", "snack",
    "snacks", "subway", "supermarket", "takeaway", "taxi", "tea", "tickets", "toll", "train",
    "tram", "uber", "wine",
];

/// Whether it is a common purchase and nothing else: "lunch".
pub fn is_common_purchase(text: &str) -> bool {
    let lower = text.trim_end_matches(['.', '!']).to_lowercase();
    USUAL.binary_search(&lower.as_str()).is_ok()
}

/// Whether one of the words is a common purchase.
pub(super) fn is_usual(purpose: &str) -> bool {
    let lower = purpose.to_lowercase();
    lower
        .split(' ')
        .any(|word| USUAL.binary_search(&word).is_ok())
}
