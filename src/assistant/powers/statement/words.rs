//! Words that tell statements from questions, doubts and hearsay, and names from other words.

use crate::assistant::text::phrases::Phrases;

/// Words that ask, before what is asked about.
pub(super) static ASKING: Phrases = Phrases::new(&[
    "is it true that", "is it true", "is it right that", "is it correct that", "do you know if",
    "do you know whether", "do you know that", "tell me if", "tell me whether", "i wonder if",
    "any idea if", "are you sure that", "are you sure", "is it", "isnt it", "was it", "is", "isnt",
    "are", "arent", "was", "wasnt", "were", "has", "hasnt", "does", "doesnt", "didnt", "do",
    "so is",
]);

/// Relations between people, and titles before names.
pub(super) static RELATIONS: Phrases = Phrases::new(&[
    "my", "our", "the", "his", "her", "their", "your", "uncle", "aunt", "auntie", "grandma",
    "grandpa", "mom", "mum", "dad", "mother", "father", "mr", "mrs", "ms", "dr", "brother",
    "sister", "cousin", "friend", "best", "big", "little", "old", "young", "neighbour", "neighbor",
    "boss", "baby", "twins", "kids", "husband", "wife",
]);

/// Words that begin other questions.
pub(super) static QUESTIONS: Phrases = Phrases::new(&[
    "who", "whos", "whose", "what", "whats", "where", "wheres", "which", "why", "how", "hows",
    "when is", "when was", "when does", "when do", "when will", "when did", "whens", "could",
    "would", "should", "shall",
]);

/// Words that begin a condition, or what is only supposed.
pub(super) static CONDITIONS: Phrases = Phrases::new(&[
    "if", "when", "whenever", "unless", "once", "until", "till", "while", "whether", "because",
    "in case", "as soon as", "suppose", "supposing", "imagine", "assuming", "maybe", "perhaps",
    "possibly", "im not sure", "i am not sure", "i doubt", "i hope", "i wish", "not sure",
    "unsure", "no idea",
]);

/// Words in which somebody tells what they believe or have heard, before it.
pub(super) static HEDGES: Phrases = Phrases::new(&[
    "i think that", "i think", "i believe that", "i believe", "i guess", "i suppose",
    "i heard that", "i heard", "i was told that", "i was told", "im pretty sure that",
    "im pretty sure", "im fairly sure", "im sure that", "im sure", "apparently", "probably",
    "supposedly", "pretty sure", "fairly sure",
]);

/// Words between a speaker and what they say.
pub(super) static SAYING: Phrases = Phrases::new(&[
    "said that", "said", "says that", "says", "told me that", "told me", "tells me that",
    "tells me", "thinks that", "thinks", "mentioned that", "mentioned", "claims that", "claims",
]);

/// Words of a clause, a doubt or a negation.
pub(super) static CLAUSE_WORDS: Phrases = Phrases::new(&[
    "i", "im", "ive", "he", "hes", "she", "shes", "they", "theyre", "we", "is", "are", "was",
    "were", "has", "have", "had", "does", "did", "should", "would", "could", "might", "must",
    "not", "never", "nobody", "noone", "none", "neither", "isnt", "arent", "wasnt", "werent",
    "hasnt", "havent", "hadnt", "doesnt", "dont", "didnt", "wont", "cant", "couldnt", "wouldnt",
    "shouldnt", "longer", "maybe", "perhaps", "probably", "possibly", "supposedly", "apparently",
    "hopefully", "almost", "nearly", "if", "when", "whenever", "unless", "whether", "because",
    "but", "although", "think", "thinks", "thought", "believe", "believes", "guess", "heard",
    "said", "says", "told", "claims", "claimed", "knows", "wonder", "remind", "owe", "owes",
]);

/// How another request or report begins, after "and" or a comma.
pub(super) static SECOND_REQUESTS: Phrases = Phrases::new(&[
    "felt", "feel", "feeling", "ran", "add", "put", "delete", "remove", "undo", "cancel", "clear",
    "show me", "show my", "bought", "paid", "spent", "got the", "done with", "track", "split",
    "remember", "forget", "mood", "my mood", "set a", "set my", "budget", "whats", "what is",
    "how much", "who owes", "tell me", "list my", "my list", "my budget", "log", "note", "call me",
    "skip", "remind",
]);

/// How a request begins, of those that no note of a mood begins with: "felt", "ran" and "got the" may be
/// its reason.
pub(super) static REQUESTS: Phrases = Phrases::new(&[
    "remind me", "add", "put", "cancel", "delete", "remove", "set a", "set an", "call",
]);

/// How something begins that is to be done for somebody. It may also be a plan of a day.
pub(super) static ERRANDS: Phrases =
    Phrases::new(&["tell", "text", "call", "order", "email", "message", "send"]);

/// Other words that no person is called: pronouns, prepositions, times.
pub(super) static OTHER_WORDS: Phrases = Phrases::new(&[
    "it", "its", "him", "her", "them", "you", "me", "us", "my", "your", "his", "their", "this",
    "that", "these", "those", "a", "an", "the", "to", "for", "from", "at", "on", "in", "with",
    "by", "about", "than", "what", "who", "whose", "which", "where", "why", "how", "somebody",
    "someone", "anybody", "anyone", "no", "can", "will", "may", "do", "be", "been", "just",
    "already", "still", "always", "also", "only", "yet", "ever", "so", "too", "then", "now",
    "today", "yesterday", "tomorrow", "tonight", "monday", "tuesday", "wednesday", "thursday",
    "friday", "saturday", "sunday", "last", "next", "paid", "pays", "pay", "spent", "add", "sure",
    "actually", "btw", "fyi", "anyway", "oh", "ok", "okay", "yes", "yeah", "hey", "hi", "sorry",
    "please", "thanks", "every", "each", "all", "any", "both", "another", "more", "most", "well",
    "equal", "equally", "evenly", "fairly", "fair", "lol", "lmao", "haha", "dang", "damn", "omg",
    "ugh", "n",
]);

/// Words before a statement that change nothing about it.
pub(super) static FILLERS: Phrases = Phrases::new(&["actually", "no actually", "well actually"]);
