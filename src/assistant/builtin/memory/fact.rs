//! Plain facts about oneself, which nobody asked to remember: "my passport number is X1", "I parked
//! on level 3", "my wife is called Mia", "I'm allergic to nuts". Only where a statement can hardly
//! be anything else.

mod change;

pub use change::FactChange;
pub(in crate::assistant::builtin) use change::changed_fact;

use super::super::{ParsedMessage, tidied};
use crate::assistant::builtin::settings::is_first_name;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::{Words, has_digit};

/// A longer text is no plain fact.
const WORDS_MAX: usize = 20;
/// Words between "my" and "is".
const NOUN_WORDS_MAX: usize = 4;
/// Words of what something is.
const VALUE_WORDS_MAX: usize = 8;
/// Words of a name.
const NAME_WORDS_MAX: usize = 3;

/// Persons and animals that have a name.
const KIN: &str = "wife husband partner girlfriend boyfriend fiance fiancee spouse son daughter kid kids \
     child children sons daughters baby mom mum mother dad father parents brother sister \
     brothers sisters twin cousin aunt uncle niece nephew grandma grandpa grandmother \
     grandfather friend boss manager colleague coworker teacher landlord landlady neighbor \
     neighbour roommate flatmate doctor gp dentist vet therapist lawyer accountant hairdresser \
     trainer coach plumber mechanic babysitter dog cat puppy kitten horse hamster rabbit parrot \
     dogs cats in-law mother-in-law father-in-law son-in-law daughter-in-law";

/// Things whose value has a digit in it.
const NUMBERED: &str = "number numbers code pin pnr combination combo plate plates iban id ssn address phone mobile \
     account locker zip postcode zipcode extension passport license licence height floor";

/// Things whose value is one word.
const WORDED: &str = "password passphrase passcode username login ssid email e-mail hometown birthplace \
     nationality handle";

/// Things that are left somewhere and looked for later.
const PARKED: &str = "car bike bicycle motorbike scooter van keys passport";

/// How something is at the moment, and not what it is.
const STATES: &str = "wrong right incorrect invalid expired gone lost stolen broken missing weak strong secret \
     private unknown new old long short bad good great ok okay fine full empty locked blocked \
     hacked compromised needed required annoying angry sick ill late sad happy mad nice mean \
     sleeping asleep tired hungry pregnant dead funny cute crazy awesome amazing working there \
     here home busy safe different easy hard so too very really";

/// The first word of a clause.
const CLAUSE_WORDS: &str = "a an the in on at to from with so too very really being going what where when how who that \
     this it as like than and or about only just always still all also more less my your his \
     her";

/// A word of a doubt, a negation, the past or a condition.
const DOUBTS: &str = "not never no isnt arent wasnt was were maybe perhaps probably possibly might if unless \
     whether because but think thinks guess said says told wish hope remind longer anymore used \
     almost";

/// The fact as it was said.
pub(in crate::assistant::builtin) fn stated_fact(message: &ParsedMessage) -> Option<String> {
    let (words, at) = (&message.words, message.start);
    if words.len() > WORDS_MAX {
        return None;
    }
    if !is_fact(words, at) || words.iter().any(|word| is_one_of(DOUBTS, word)) {
        return None;
    }
    let text = tidied(words.original(at..words.len()));
    let text = text.trim_end_matches(['.', '!']).trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

fn is_fact(words: &Words, at: usize) -> bool {
    match words.get(at) {
        "my" | "our" => {
            of_mine(words, at + 1) || of_price(words, at + 1) || of_somebody(words, at + 1)
        }
        "the" => of_thing(words, at + 1) || of_price(words, at + 1) || of_another(words, at + 1),
        "i" | "im" | "ive" | "we" => {
            of_myself(words, at) || of_place(words, at) || of_loan(words, at) || of_dose(words, at)
        }
        "parked" => is_place(words, at + 1),
        _ => {
            of_another(words, at)
                || of_unlinked(words, at)
                || of_price(words, at)
                || of_somebody(words, at)
        }
    }
}

/// The facts of one sentence: "garage code is 1234 and door code is 5678". Each is whole by itself,
/// or it is one.
pub fn separate_facts(fact: &str) -> Vec<&str> {
    const FACTS_MAX: usize = 5;
    let words = Words::new(fact);
    let (mut facts, mut from) = (Vec::new(), 0);
    for at in 1..words.len() {
        let is_link = words.get(at) == "and";
        if at < from || !is_link && !words.is_set_off(at - 1) {
            continue;
        }
        facts.push(words.original(from..at).trim_end_matches([',', ';', '.']));
        from = at + usize::from(is_link);
    }
    facts.push(words.original(from..words.len()));
    let is_whole = |fact: &&str| {
        let words = Words::new(fact);
        is_fact(&words, 0) || is_of_own(&words)
    };
    match facts.len() <= FACTS_MAX && facts.iter().all(is_whole) {
        true => facts,
        false => vec![fact],
    }
}

/// "my desk is 4": what something of mine is, whatever it may be.
fn is_of_own(words: &Words) -> bool {
    let is_verb = |at: &usize| matches!(words.get(*at), "is" | "are");
    let verb = (2..=1 + NOUN_WORDS_MAX).find(is_verb);
    matches!(words.get(0), "my" | "our") && verb.is_some_and(|verb| verb + 1 < words.len())
}

/// "passport number is X1", "wife is called Mia", "wife's name is Mia", after "my".
fn of_mine(words: &Words, from: usize) -> bool {
    let is_verb = |at: usize| matches!(words.get(at), "is" | "are");
    let Some(verb) = (from + 1..=from + NOUN_WORDS_MAX).find(|at| is_verb(*at)) else {
        return false;
    };
    let named = words.after(verb + 1, phrases!["called", "named"]);
    let value = words.skip(verb + 1, phrases!["now"]);
    let (noun, value) = (words.get(verb - 1), value..words.len());
    if let Some(name) = named {
        return is_one_of(KIN, noun) && is_name(words, name);
    }
    if value.is_empty() || value.len() > VALUE_WORDS_MAX {
        return false;
    }
    let is_favorite = (from..verb).any(|at| matches!(words.get(at), "favorite" | "favourite"));
    match noun {
        _ if is_favorite => !is_one_of(CLAUSE_WORDS, words.get(value.start)),
        "name" => verb - from > 1 && is_name(words, value.start),
        kin if is_one_of(KIN, kin) => {
            let titles = phrases![
                "dr", "doctor", "mr", "mrs", "ms", "miss", "prof", "professor"
            ];
            if let Some(name) = words.after(value.start, titles) {
                return is_name(words, name);
            }
            let first = words.original(value.start..value.start + 1);
            first.starts_with(char::is_uppercase) && is_name(words, value.start)
        }
        "type" => words.get(verb - 2) == "blood" && is_blood_type(words.get(value.start)),
        noun if is_one_of(PARKED, noun) => is_place(words, value.start),
        "anniversary" | "nameday" => is_date(words, value.start),
        noun if is_one_of(NUMBERED, noun) => {
            value.clone().any(|at| has_digit(words.get(at)))
                && !is_one_of(CLAUSE_WORDS, words.get(value.start))
        }
        noun if is_sized(noun) => is_size(words.get(value.start)),
        "wifi" | "wi-fi" => value.len() == 1 && has_digit(words.get(value.start)),
        noun if is_one_of(WORDED, noun) => {
            value.len() == 1 && !is_one_of(STATES, words.get(value.start))
        }
        _ => false,
    }
}

/// "3 june", "on june 3rd", "3.6.2019": no day that is counted from today.
fn is_date(words: &Words, from: usize) -> bool {
    let from = words.skip(from, phrases!["on the", "on", "the"]);
    when::read(words, from).is_some_and(|(spec, end)| {
        matches!(
            spec.day,
            Some(when::Day::Date { .. } | when::Day::OfYear { .. })
        ) && end == words.len()
    })
}

/// "wifi password is abc", "door code is 1234", after "the": what it is of is named.
fn of_thing(words: &Words, from: usize) -> bool {
    let Some(verb) = (from + 2..=from + NOUN_WORDS_MAX).find(|at| words.get(*at) == "is") else {
        return false;
    };
    let noun = words.get(verb - 1);
    matches!(
        noun,
        "password" | "passcode" | "code" | "pin" | "combination"
    ) && of_mine(words, from)
}

/// "wifi password is abc", without "the".
fn of_unlinked(words: &Words, at: usize) -> bool {
    let is_other = phrases![
        "this", "that", "your", "his", "her", "their", "its", "a", "no", "any", "some", "error"
    ]
    .contains(words.get(at));
    // Others' codes are theirs to tell.
    !is_other && !words.original(at..at + 1).contains(['\'', '’']) && of_thing(words, at)
}

/// "bo's number is +1555…", "mr. brown's phone number is …".
fn of_another(words: &Words, at: usize) -> bool {
    let titles = phrases!["mr", "mrs", "ms", "dr", "prof", "aunt", "uncle"];
    let at = words.skip(at, titles);
    let Some(verb) = (at + 2..=at + NOUN_WORDS_MAX).find(|at| words.get(*at) == "is") else {
        return false;
    };
    let owner = words.original(at..at + 1).to_lowercase();
    // "bos number", "nanas number"
    let is_person = |name: &str| is_first_name(name) || is_one_of(KIN, name) || name == "nana";
    let is_owner = owner.ends_with("'s")
        || owner.ends_with("’s")
        || owner.strip_suffix('s').is_some_and(is_person) && !is_first_name(&owner);
    // Others' passports and codes are theirs to tell.
    let is_known = matches!(
        words.phrase(at + 1..verb).as_str(),
        "number" | "phone" | "phone number" | "mobile" | "mobile number" | "address" | "email"
    );
    let is_question = matches!(
        words.get(at),
        "whats" | "wheres" | "whos" | "its" | "thats" | "hes"
    );
    is_owner && is_known && !is_question && of_mine(words, at + 1)
}

/// "netflix is 12.99 a month", "gym costs 30 euros a month".
fn of_price(words: &Words, from: usize) -> bool {
    let is_verb = |at: usize| matches!(words.get(at), "is" | "are" | "costs" | "cost");
    let Some(verb) = (from + 1..=from + NOUN_WORDS_MAX).find(|at| is_verb(*at)) else {
        return false;
    };
    static SPANS: Phrases = Phrases::new(&[
        "a month", "per month", "each month", "every month", "monthly", "a year", "per year",
        "each year", "every year", "yearly", "a week", "per week", "each week", "every week",
        "weekly",
    ]);
    let ends = |at: usize| words.after(at, &SPANS) == Some(words.len());
    // A currency may stand between.
    has_digit(words.get(verb + 1)) && (ends(verb + 2) || ends(verb + 3))
}

/// "I'm allergic to nuts", "I'm vegetarian".
fn of_myself(words: &Words, at: usize) -> bool {
    let is_short = |from: usize| {
        let rest = from..words.len();
        !rest.is_empty() && rest.len() <= VALUE_WORDS_MAX
    };
    static ALLERGIC: Phrases = Phrases::new(&[
        "im allergic to", "i am allergic to", "im also allergic to", "i am also allergic to",
        "i have an allergy to", "ive got an allergy to",
    ]);
    if let Some(from) = words.after(at, &ALLERGIC) {
        return is_short(from) && !matches!(words.get(from), "you" | "this" | "that" | "it");
    }
    static ALLERGY: Phrases = Phrases::new(&["i have a", "i have an", "ive got a", "ive got an"]);
    if let Some(from) = words.after(at, &ALLERGY) {
        return is_short(from) && words.get(words.len() - 1) == "allergy";
    }
    static AM: Phrases = Phrases::new(&["im a", "i am a", "im also", "i am also", "im", "i am"]);
    let state = words.skip(at, &AM);
    state > at
        && words
            .after(state, &LASTING)
            .is_some_and(|end| end == words.len())
}

/// "bo is allergic to cats", "wife is vegan" after "my".
fn of_somebody(words: &Words, at: usize) -> bool {
    let is_own = at > 0 && matches!(words.get(at - 1), "my" | "our");
    let name = words.get(at);
    let is_person = match is_own {
        true => is_one_of(KIN, name),
        false => is_first_name(name),
    };
    let Some(state) = words.after(at + 1, phrases!["is"]).filter(|_| is_person) else {
        return false;
    };
    match words.after(state, phrases!["allergic to", "also allergic to"]) {
        Some(from) => {
            let rest = from..words.len();
            let is_other = matches!(words.get(from), "you" | "this" | "that" | "it" | "me");
            !rest.is_empty() && rest.len() <= VALUE_WORDS_MAX && !is_other
        }
        None => words.after(state, &LASTING) == Some(words.len()),
    }
}

/// Words for what somebody is for a long time.
static LASTING: Phrases = Phrases::new(&[
    "vegetarian", "vegan", "pescatarian", "pescetarian", "diabetic", "celiac", "coeliac",
    "lactose intolerant", "gluten intolerant", "gluten free", "left-handed", "left handed",
    "right-handed", "right handed", "colorblind", "colourblind", "color blind", "colour blind",
    "asthmatic", "dyslexic", "epileptic",
]);

/// "I parked on level 3", "I left my keys in the drawer": a place, and no time.
fn of_place(words: &Words, at: usize) -> bool {
    let parked = phrases!["i parked", "we parked", "ive parked", "i have parked"];
    if let Some(from) = words.after(at, parked) {
        static CAR: Phrases =
            Phrases::new(&["the car", "my car", "our car", "my bike", "the bike"]);
        return is_place(words, words.skip(from, &CAR));
    }
    static KEPT: Phrases = Phrases::new(&[
        "i left my", "i put my", "i keep my", "i hid my", "i left the", "i put the",
    ]);
    let Some(thing) = words.after(at, &KEPT) else {
        return false;
    };
    let to = words.len().min(thing + NAME_WORDS_MAX + 1);
    (thing + 1..to).any(|at| is_place(words, at))
}

/// "I lent my drill to Tom", "I borrowed Bo's ladder": a thing, and no money, which is a debt.
fn of_loan(words: &Words, at: usize) -> bool {
    static LENT: Phrases = Phrases::new(&[
        "i lent", "ive lent", "i have lent", "i loaned", "we lent", "i borrowed", "ive borrowed",
        "we borrowed",
    ]);
    const MONEY: &str = "money cash euros euro dollars dollar bucks pounds quid";
    let Some(thing) = words.after(at, &LENT) else {
        return false;
    };
    let rest = thing..words.len();
    let is_other = |word: &str| has_digit(word) || is_one_of(MONEY, word);
    let is_whose = |word: &str| matches!(word, "my" | "our" | "to" | "from");
    (2..=VALUE_WORDS_MAX).contains(&rest.len())
        && !rest.clone().any(|at| is_other(words.get(at)))
        && (rest.clone().any(|at| is_whose(words.get(at)))
            || words.original(rest).contains(['\'', '’']))
        && !words.is_question()
}

/// "I take 20mg of lisinopril"
fn of_dose(words: &Words, at: usize) -> bool {
    const UNITS: [&str; 6] = ["mg", "mcg", "ml", "iu", "milligrams", "micrograms"];
    let Some(dose) = words.after(at, phrases!["i take", "im on", "i am on"]) else {
        return false;
    };
    let (number, after) = (words.get(dose), words.get(dose + 1));
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    let unit = if unit.is_empty() { after } else { unit };
    let rest = words.len().saturating_sub(dose);
    has_digit(number) && UNITS.contains(&unit) && (2..=VALUE_WORDS_MAX).contains(&rest)
}

/// Whether the rest of the words is a place.
fn is_place(words: &Words, from: usize) -> bool {
    static PLACES: Phrases = Phrases::new(&[
        "on", "at", "in", "near", "by", "behind", "under", "next to", "outside", "opposite",
        "inside", "in front of", "across from", "around", "between", "beside",
    ]);
    let Some(place) = words.after(from, &PLACES) else {
        return false;
    };
    let rest = place..words.len();
    let is_time = when::trailing_time(words, from..words.len()).is_some_and(|(_, at)| at == from);
    !rest.is_empty() && rest.len() <= VALUE_WORDS_MAX && !is_time
}

/// Whether the rest of the words may be a name: "Mia", "Dr Bo Li".
fn is_name(words: &Words, from: usize) -> bool {
    let name = from..words.len();
    let is_other = |word: &str| {
        is_one_of(CLAUSE_WORDS, word)
            || is_one_of(STATES, word)
            || matches!(
                word,
                "away" | "out" | "up" | "off" | "back" | "by" | "names" | "on" | "for" | "here"
            )
    };
    (1..=NAME_WORDS_MAX).contains(&name.len()) && !name.clone().any(|at| is_other(words.get(at)))
}

fn is_sized(word: &str) -> bool {
    matches!(word, "size" | "sizes")
}

fn is_size(word: &str) -> bool {
    let sizes = [
        "xs", "s", "m", "l", "xl", "xxl", "xxxl", "small", "medium", "large",
    ];
    has_digit(word) || sizes.contains(&word)
}

fn is_blood_type(word: &str) -> bool {
    let group = word.trim_end_matches(['+', '-', '–', '−']);
    matches!(group, "a" | "b" | "ab" | "o" | "0")
}

fn is_one_of(all: &str, word: &str) -> bool {
    all.split(' ').any(|one| one == word)
}

#[cfg(test)]
mod tests {
    use crate::assistant::builtin::{MessageContext, PossibleMeanings, Statement};
    use crate::clock::Timestamp;

    fn fact_of(text: &str) -> Option<String> {
        let context = MessageContext::direct(text, Timestamp(0));
        match PossibleMeanings::read(&context).statement {
            Some(Statement::Fact(fact)) => Some(fact),
            _ => None,
        }
    }

    #[test]
    fn facts_of_one_sentence_are_kept_apart() {
        for (said, expected) in [
            (
                "garage code is 1234 and door code is 5678",
                vec!["garage code is 1234", "door code is 5678"],
            ),
            (
                "the garage code is 1234, the door code is 5678",
                vec!["the garage code is 1234", "the door code is 5678"],
            ),
            (
                "my shoe size is 39 and my ring size is 52",
                vec!["my shoe size is 39", "my ring size is 52"],
            ),
            (
                "my locker is 12 and my desk is 4",
                vec!["my locker is 12", "my desk is 4"],
            ),
            ("my locker is 12 and blue", vec!["my locker is 12 and blue"]),
            ("my sister is tall and my", vec!["my sister is tall and my"]),
            (
                "i'm allergic to nuts and eggs",
                vec!["i'm allergic to nuts and eggs"],
            ),
            (
                "my address is Baker Street 5, London",
                vec!["my address is Baker Street 5, London"],
            ),
        ] {
            assert_eq!(super::separate_facts(said), expected, "{said}");
        }
    }

    #[test]
    fn plain_facts_are_told_from_talk() {
        let facts = [
            "my anniversary is 3 june", "our wedding anniversary is on june 3",
            "my passport number is X1234567", "my wifi password is hunter2",
            "Our door code is 4321", "my license plate is B-AB 123", "my shoe size is 42",
            "my blood type is 0+", "my address is Baker Street 5, London",
            "my favourite color is green", "my wife is called Mia",
            "my best friend's name is Bo Li", "my boss is Julia", "my dog is named Rex",
            "i'm allergic to nuts", "I have a peanut allergy", "im vegetarian", "I am a vegan",
            "I parked on level 3", "parked on level 3", "the wifi password is abc",
            "the garage code is 8765", "wifi password is abc", "door code is 4321",
            "the wifi password is now abc", "my pin is now 4321", "bo's number is +15550101",
            "Ana's email is ana@example.com", "we parked the car next to the bakery",
            "i left my keys in the drawer", "my wifi is moon8", "bo is allergic to cats",
            "my daughter is allergic to peanuts", "ana is vegan",
        ];
        for text in facts {
            assert_eq!(fact_of(text).as_deref(), Some(text));
        }
        let talk = [
            "my boss is annoying", "my boss is so annoying", "my boss is called away",
            "my phone number is private", "my password is wrong", "my password is expired",
            "my anniversary is tomorrow", "my anniversary is soon",
            "my passport number is on the form", "my address is wrong",
            "is my passport number X1234567?", "my passport number is X1234567?",
            "my passport number is not X1234567", "i think my pin is 1234", "my pin was 1234",
            "maybe my pin is 1234", "my wife is sick", "my wife is Sick", "my dog is cute",
            "my cat is on the roof", "i'm not allergic to nuts", "i'm allergic to you",
            "i'm tired", "i'm a mess", "i parked at 5", "i parked", "i left my job",
            "i left my office at 5pm", "i have a bad idea", "my number one is you",
            "my day is 10 out of 10", "my name is Ana", "the password is abc",
            "wifi password is wrong", "that wifi password is abc", "error code is 404",
            "the door code is wrong", "the number is 5", "what's the number is 5",
            "bo's number is private", "bo's passport number is X1234567", "it's number is 5",
            "my wifi is slow", "my wifi is down", "bo is allergic to you",
            "he is allergic to cats", "everybody is allergic to cats", "my boss is allergic to",
            "bo is sick",
        ];
        for text in talk {
            assert_eq!(fact_of(text), None, "{text}");
        }
    }
}
