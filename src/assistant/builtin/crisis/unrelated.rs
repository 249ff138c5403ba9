//! What plainly asks for something else, soon after a crisis: "translate hello", "whats the
//! weather". Whatever may belong to the crisis is not among it.

use crate::assistant::text::function_words::is_question_word;
use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::word_set::WordSet;
use crate::assistant::text::words::Words;

/// A longer message tells more than that.
const WORDS_MAX: usize = 16;

/// Words that begin a request, before its subject.
static COURTESIES: Phrases = Phrases::new(&[
    "can you please", "can u please", "could you please", "can you", "can u", "could you",
    "would you", "will you", "please", "pls", "plz", "and", "ok", "okay", "so", "hey", "also",
    "now",
]);

/// Verbs of everyday tasks. None of them is a cry for help.
static TASKS: Phrases = Phrases::new(&[
    "play", "order", "book", "google", "search", "calculate", "convert", "define", "spell", "fix",
    "repair", "turn on", "turn off", "recommend", "install", "download", "post", "draw", "paint",
    "print", "rent", "cook", "bake", "clean", "navigate", "invest",
]);

static QUESTIONS: Phrases = Phrases::new(&[
    "is", "are", "does", "do", "did", "will", "has", "any", "show", "tell",
]);

/// Subjects of such requests and questions. Sorted.
static TOPICS: WordSet = WordSet::new(&[
    "album", "bakery", "bank", "basketball", "bike", "bitcoin", "burger", "cake", "capital",
    "chess", "cinema", "coffee", "concert", "country", "currency", "dinner", "dishwasher",
    "dollar", "dollars", "euro", "euros", "exchange", "film", "flight", "flights", "football",
    "forecast", "game", "games", "grocery", "hotel", "hotels", "laundry", "lunch", "match", "mile",
    "miles", "movie", "movies", "museum", "music", "nba", "netflix", "news", "nfl", "pasta",
    "pizza", "playlist", "population", "pound", "pounds", "president", "price", "printer", "radio",
    "recipe", "recipes", "restaurant", "restaurants", "rice", "score", "shop", "shops", "soccer",
    "song", "songs", "spotify", "stock", "stocks", "store", "stores", "sunset", "supermarket",
    "sushi", "taxi", "temperature", "theatre", "ticket", "tickets", "traffic", "tv", "uber",
    "video", "weather", "website", "wifi",
]);

/// Words that may belong to the crisis, whatever else is said. Sorted.
static NEAR: WordSet = WordSet::new(&[
    "afraid", "alcohol", "alone", "anybody", "anymore", "anyone", "blade", "bleeding", "blood",
    "breathe", "bridge", "bus", "cannot", "cant", "car", "care", "cares", "cliff", "cry", "crying",
    "cut", "dead", "death", "die", "died", "dont", "drug", "drugs", "drunk", "dying", "end",
    "enough", "fear", "feel", "feeling", "funeral", "god", "goodbye", "gun", "hang", "hate",
    "help", "hope", "hopeless", "hospital", "hotline", "hurt", "hurts", "im", "jump", "kill",
    "knife", "leave", "letter", "life", "live", "living", "longer", "lost", "me", "myself", "need",
    "nobody", "note", "number", "overdose", "pain", "pill", "pills", "point", "poison", "police",
    "railway", "razor", "reason", "roof", "rope", "safe", "scare", "scared", "sick", "sleep",
    "someone", "stop", "suffer", "suffering", "tired", "tracks", "train", "vodka", "want",
    "whiskey", "why", "will", "wine", "worth", "wrong",
]);

pub(in crate::assistant) fn is_unrelated(words: &Words) -> bool {
    if !(2..=WORDS_MAX).contains(&words.len()) || words.iter().any(|word| NEAR.contains(word)) {
        return false;
    }
    let mut at = 0;
    while let Some(next) = words.after(at, &COURTESIES) {
        at = next;
    }
    let has_topic = words.iter().any(|word| TOPICS.contains(word));
    if words.get(at) == "translate" {
        return at + 1 < words.len() && !matches!(words.get(at + 1), "it" | "that" | "this");
    }
    let is_asked = words.after(at, &TASKS).is_some()
        || words.after(at, &QUESTIONS).is_some()
        || is_question_word(words.get(at));
    is_asked && has_topic
}
