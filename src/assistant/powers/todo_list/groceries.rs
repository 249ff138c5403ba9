//! What is bought so often that its name alone is one thing: how "milk bread apples" is three things,
//! and "olive oil" is one.

use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::word_set::WordSet;
use crate::assistant::text::words::Words;

/// Things that are listed without commas.
const RUN_ON_MIN: usize = 3;

/// Sorted. Names that seldom begin another thing's: "egg" and "tomato" are none, as in "egg noodles".
static GROCERIES: WordSet<512> = WordSet::new(&[
    "apples", "avocados", "bacon", "bananas", "beans", "beef", "beer", "berries", "biscuits",
    "blueberries", "bread", "broccoli", "butter", "cabbage", "carrots", "cauliflower", "celery",
    "cereal", "cheese", "cherries", "chicken", "chickpeas", "chips", "coffee", "cookies",
    "couscous", "crackers", "cream", "croissants", "cucumber", "cucumbers", "detergent", "diapers",
    "eggs", "fish", "flour", "foil", "garlic", "grapes", "ham", "honey", "jam", "juice", "ketchup",
    "kiwis", "lamb", "leeks", "lemons", "lentils", "lettuce", "limes", "mangoes", "margarine",
    "mayo", "mayonnaise", "meat", "milk", "muesli", "mushrooms", "mustard", "nachos", "napkins",
    "noodles", "nuts", "oats", "oil", "olives", "onions", "oranges", "pasta", "peaches", "peanuts",
    "pears", "peas", "pepper", "peppers", "pickles", "plums", "pork", "potatoes", "prawns",
    "raisins", "rice", "rolls", "salami", "salmon", "salt", "sausages", "shampoo", "shrimp",
    "soap", "soda", "spaghetti", "spinach", "sponges", "steak", "strawberries", "sugar", "tea",
    "tissues", "tofu", "tomatoes", "toothpaste", "tortillas", "tuna", "turkey", "vinegar",
    "walnuts", "water", "wine", "yeast", "yoghurt", "yogurt", "zucchini",
]);

/// Two of them that are one thing together.
static PAIRS: Phrases = Phrases::new(&[
    "rice flour", "rice milk", "rice cereal", "rice pasta", "rice noodles", "rice crackers",
    "rice vinegar", "rice rolls", "rice wine", "coffee beans", "coffee cream", "butter beans",
    "butter chicken", "butter cookies", "butter biscuits", "butter lettuce", "fish oil",
    "fish sausages", "fish rolls", "chicken sausages", "chicken noodles", "chicken steak",
    "milk tea", "milk rolls", "sugar peas", "sugar cookies", "bread flour", "bread rolls",
    "cream cheese", "cream crackers", "cream tea", "cheese crackers", "cheese rolls",
    "cheese biscuits", "beef sausages", "beef steak", "pork sausages", "pork steak",
    "turkey bacon", "turkey ham", "turkey sausages", "lamb sausages", "lamb steak", "wine vinegar",
    "wine yeast", "honey mustard", "honey ham", "garlic bread", "garlic butter", "garlic salt",
    "garlic sausages", "salmon steak", "tuna steak", "soda bread", "soda water", "water crackers",
    "water biscuits", "oil olives", "salt crackers", "pepper steak", "pepper salami",
]);

pub(super) fn is_grocery(word: &str) -> bool {
    GROCERIES.contains(word)
}

/// The things of "milk bread apples". `None`: it may be one thing.
pub(super) fn run_on(thing: &str) -> Option<Vec<String>> {
    let words = Words::new(thing);
    let is_pair = |at: usize| words.after(at, &PAIRS).is_some();
    let is_list =
        words.len() >= RUN_ON_MIN && words.iter().all(is_grocery) && !(0..words.len()).any(is_pair);
    let one = |at: usize| words.original(at..at + 1).trim().to_owned();
    is_list.then(|| (0..words.len()).map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_groceries_are_told_from_one() {
        for (text, count) in [
            ("milk bread apples", 3),
            ("Eggs butter rice coffee", 4),
            ("milk bread", 0),
            ("chocolate milk", 0),
            ("extra virgin oil", 0),
            ("peanut butter cookies", 0),
            ("cream cheese rolls", 0),
            ("milk and bread and apples", 0),
            ("call the bank", 0),
            ("", 0),
        ] {
            assert_eq!(run_on(text).map_or(0, |all| all.len()), count, "{text}");
        }
    }
}
