//! What is asked about travel: "when's my flight to Lisbon?", "where is my hotel?".

use super::super::{RequestStrength, parsers};
use super::TravelAction;
use super::stops::StopKind;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// Words after the kind that name the destination.
const PLACE_WORDS_MAX: usize = 5;

pub(in super::super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, TravelAction)> {
    use RequestStrength::{Clear, Soft};
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    if let Some(action) = parse_fixed(message.request()) {
        // A booking or a ticket that is kept may tell, too.
        let strength = match action {
            TravelAction::Details => Soft,
            _ => Clear,
        };
        return Some((strength, action));
    }
    static REMOVING: Phrases = Phrases::new(&["forget", "delete", "remove", "ignore", "drop"]);
    if let Some((kind, to)) = words
        .after(at, &REMOVING)
        .and_then(|from| named(words, from, end))
    {
        return Some((Clear, TravelAction::Remove { kind, to }));
    }
    let leaving = phrases![
        "when do i have to leave for", "when should i leave for", "when do i need to leave for",
        "when do i leave for",
    ];
    if let Some(from) = words.after(at, leaving) {
        let from = words.skip_article(from);
        let is_travel = matches!(
            words.get(from),
            "flight" | "train" | "bus" | "airport" | "station"
        );
        return (is_travel && from + 1 == end).then_some((Clear, TravelAction::Leave));
    }
    static ASKING: Phrases = Phrases::new(&[
        "when is", "whens", "what time is", "when does", "where is", "wheres", "show me", "show",
        "what is", "whats", "which is", "when do i have", "whats the address of",
        "what is the address of", "what time does",
    ]);
    let start = words.after(at, &ASKING);
    let from = start.unwrap_or(at);
    // Without a question only "my flight" is one.
    if start.is_none() && words.get(at) != "my" {
        return None;
    }
    // "my flight to Lisbon is tomorrow at 7" tells of one.
    let is_told = (from..end).any(|n| matches!(words.get(n), "is" | "leaves" | "departs" | "was"));
    if start.is_none() && is_told {
        return None;
    }
    let (kind, to) = named(words, from, end)?;
    Some((Clear, TravelAction::Next { kind, to }))
}

static CHECK_IN: Phrases = Phrases::new(&[
    "when do i check in", "when can i check in", "when does check in open",
    "when does check-in open", "can i check in", "can i check in yet",
]);
static DETAILS: Phrases = Phrases::new(&[
    "which gate", "what gate", "whats my gate", "what is my gate", "which gate is my flight",
    "what gate is my flight", "whats the gate", "what is the gate", "which terminal",
    "whats my terminal", "whats my seat", "which platform", "what platform", "whats my platform",
    "what gate do i need", "which gate do i need",
]);
static TRIPS: Phrases = Phrases::new(&[
    "my travel", "my travels", "travel", "travel plans", "my travel plans", "my itinerary",
    "show my itinerary", "whats my itinerary", "what is my itinerary", "show my travel plans",
    "what are my travel plans", "travel brain",
]);

fn parse_fixed(request: &str) -> Option<TravelAction> {
    Some(match request {
        "when do i fly" | "when am i flying" | "my flights" | "show my flights" | "flights" => {
            TravelAction::Next {
                kind: StopKind::Flight,
                to: String::new(),
            }
        }
        _ if CHECK_IN.contains(request) => TravelAction::CheckIn,
        _ if DETAILS.contains(request) => TravelAction::Details,
        _ if TRIPS.contains(request) => TravelAction::Trips,
        _ => return None,
    })
}

/// "my next flight to Lisbon leave": a flight to Lisbon.
fn named(words: &Words, from: usize, end: usize) -> Option<(StopKind, String)> {
    let from = words.after(from, phrases!["my", "our", "the"])?;
    let from = words.skip(from, phrases!["next"]);
    let kind = match words.get(from) {
        "flight" | "flights" | "plane" => StopKind::Flight,
        "train" | "trains" => StopKind::Train,
        "bus" => StopKind::Bus,
        "hotel" | "hostel" => StopKind::Hotel,
        _ => return None,
    };
    let mut end = end;
    let ends = [
        "leave", "leaves", "depart", "go", "arrive", "start", "board", "located",
    ];
    while end > from + 1 && (ends.contains(&words.get(end - 1)) || words.get(end - 1) == "again") {
        end -= 1;
    }
    if from + 1 == end {
        return Some((kind, String::new()));
    }
    let place = words.after(from + 1, phrases!["to the", "to", "in the", "in", "at"])?;
    let is_short = (1..=PLACE_WORDS_MAX).contains(&end.checked_sub(place)?);
    is_short.then(|| (kind, parsers::original(words, place, end)))
}
