//! Parses messages about what to pack: "pack a hat", "add socks to my packing list".

use super::TripAction;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::builtin::words::Words;
use crate::assistant::powers::Strength::{self, Clear, InSession, Soft};
use crate::assistant::powers::{parsers, statement};

/// Whether the rest, after one of these words, is the packing list: "to my packing list".
fn packing_list(words: &Words<'_>, at: usize, links: &[&str], end: usize) -> bool {
    let list = words.after(at, links).map(|from| {
        let from = words.after(from, &["my", "the", "our", "a"]);
        words.after(from.unwrap_or(at + 1), &["packing list"])
    });
    list.flatten() == Some(end)
}

/// "pack a hat and sunscreen", "add socks to my packing list", "packed the hat".
pub(super) fn parse(
    message: &ParsedMessage<'_>,
    at: usize,
    end: usize,
) -> Option<(Strength, TripAction)> {
    let words = &message.words;
    let things = |from: usize, to: usize| {
        let things = parsers::things(words.original(from..to.max(from)));
        (!things.is_empty()).then_some(things)
    };
    match words.get(at) {
        "add" | "put" => {
            let to = (at + 1..end).find(|n| packing_list(words, *n, &["to", "on", "onto"], end))?;
            let pack = TripAction::Pack(things(at + 1, to)?);
            Some((Clear, TripAction::IfAny(Box::new(pack))))
        }
        "remove" | "delete" | "take" => {
            let to = (at + 1..end).find(|n| packing_list(words, *n, &["from", "off"], end))?;
            let unpack = TripAction::Unpack(things(at + 1, to)?);
            Some((Clear, TripAction::IfAny(Box::new(unpack))))
        }
        "pack" if statement::has_second_request(&Words::new(words.original(at..end))) => {
            Some((Soft, TripAction::IfAny(Box::new(TripAction::TwoRequests))))
        }
        "pack" if end > at + 1 => Some((Soft, TripAction::Pack(things(at + 1, end)?))),
        "packed" => Some((InSession, TripAction::Packed(things(at + 1, end)?))),
        "i" | "ive" => {
            let from = words.after(at, &["i packed", "ive packed", "i have packed"])?;
            Some((Soft, TripAction::Packed(things(from, end)?)))
        }
        _ => None,
    }
}
