//! Wording for a person in a crisis, and for somebody who wants to delete their account or export
//! their data. Nothing else may be added to these answers.

mod crisis_texts;

use crisis_texts::CrisisTexts;

/// The kinds of crises, by the answer that they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrisisKind {
    /// The person may want to die or to hurt themselves.
    Despair,
    /// Somebody near them may want to die or to hurt themselves.
    OtherInDespair,
    /// Somebody hurts or threatens them.
    Danger,
    /// Somebody needs an ambulance, or the fire brigade.
    Emergency,
    /// An emergency of somebody who may want to die, as after too many pills.
    Overdose,
    /// The person may hurt somebody, or is afraid to.
    HarmToOthers,
    /// A panic attack.
    Panic,
}

/// Crisis lines by the prefix of the writer's phone number: prefix, number, name. Nationwide lines.
/// The comment above each says where the number was read, and of when that page is; all were read on
/// 22 November 2026. A line without such a page isn't listed: findahelpline.com has the current ones
/// of every country, and is all that is given for others.
const CRISIS_LINES: [(&str, &str, &str); 14] = [
    // afsp.org/988 and hcfl.gov, 2023; Government of Canada at newswire.ca, 30 November 2023
    ("+1", "988", "988 Lifeline, by call or text"),
    // 113.nl, 2025: free of charge since October 2025
    ("+31", "113", "113 Zelfmoordpreventie"),
    // service-public.fr, 29 September 2021; mayotte.ars.sante.fr
    ("+33", "3114", "numéro national de prévention du suicide"),
    // Ministry of Health at rtve.es, 9 May 2022
    ("+34", "024", "línea de atención a la conducta suicida"),
    // Samaritans Ireland at irishexaminer.com, 1 April 2019
    ("+353", "116 123", "Samaritans"),
    // 143.ch/unsere-geschichte
    ("+41", "143", "Die Dargebotene Hand"),
    // katholisch.at/telefonseelsorge; TelefonSeelsorge at ots.at, 25 April 2023
    ("+43", "142", "TelefonSeelsorge"),
    // Samaritans at newstalk.com, 2016: the number is that of Ireland
    ("+44", "116 123", "Samaritans"),
    // Mind at newsroom.notified.com/mind-1, 2015; kronprinsessparetsstiftelse.se
    ("+46", "90101", "Mind Självmordslinjen"),
    // domradio.de, of one of the churches that run it; spektrum.de, September 2022
    ("+49", "0800 111 0 111", "TelefonSeelsorge"),
    // CVV and Ministry of Health at claudia.abril.com.br, July 2018; osul.com.br, September 2019
    ("+55", "188", "CVV"),
    // lifelineh2h.org.au/get-help/telephone-crisis-support/faqs
    ("+61", "13 11 14", "Lifeline"),
    // health.govt.nz, 17 March 2019; pegasus.health.nz
    ("+64", "1737", "Need to talk?"),
    // Ministry of Health in the Lok Sabha, at theshillongtimes.com, 7 February 2025
    ("+91", "14416", "Tele MANAS"),
];

/// Codes after "+1" of countries without 988, which is a line of the United States with their
/// territories, and of Canada (North American Numbering Plan).
const WITHOUT_988: [&str; 21] = [
    "242", "246", "264", "268", "284", "345", "441", "473", "649", "658", "664", "721", "758",
    "767", "784", "809", "829", "849", "868", "869", "876",
];

/// `phone`: the writer's handle, a phone in E.164 where it is one. `language`: a BCP 47 tag; English
/// where it has no texts.
pub fn crisis(kind: CrisisKind, phone: &str, language: Option<&str>) -> String {
    let is_english = matches!(kind, CrisisKind::HarmToOthers | CrisisKind::Panic);
    let language = language.filter(|_| !is_english);
    CrisisTexts::of(language).reply(kind, crisis_line(phone), emergency_number(phone))
}

/// Whether a crisis is answered in the language.
pub fn has_crisis_texts(language: &str) -> bool {
    CrisisTexts::of(Some(language)).is_of(language)
}

/// An answer to what isn't understood soon after a crisis, in the language of that.
pub fn after_crisis(language: Option<&str>) -> String {
    CrisisTexts::of(language).after.to_owned()
}

/// After an emergency, where the other requests of the message are beyond a limit.
pub const NOTHING_ELSE_DONE: &str = "I've done nothing else of your message.";

/// To a plain request that isn't understood, soon after a crisis: without a word of what else
/// there is.
pub const UNKNOWN_AFTER_CRISIS: &str =
    "I'm afraid I can't help with that. The number above stays there for you at any hour.";

/// An answer to somebody who says that a crisis is over.
pub fn crisis_over(language: Option<&str>) -> String {
    CrisisTexts::of(language).over.to_owned()
}

/// Number and name of the country's line.
fn crisis_line(phone: &str) -> Option<(&'static str, &'static str)> {
    let mut lines = CRISIS_LINES.iter();
    let known = lines.find(|(prefix, ..)| phone.starts_with(prefix));
    known
        .filter(|_| !is_without_988(phone))
        .map(|(_, number, name)| (*number, *name))
}

/// The number for ambulance and police where it is one, by pages read on 22 November 2026:
/// - 112 in the European Union: ec.europa.eu/information_society/activities/112
/// - 112 in Switzerland: blog.alertswiss.ch of the federal office, 11 February 2022
/// - 112 in India: Emergency Response Support System, healthysoch.com, 29 September 2019, and the
///   Lok Sabha at lokmattimes.com, 13 December 2025
/// - 112 in South Africa, from mobile phones: the ministry at mybroadband.co.za, November 2024
/// - 911 in the United States: internationalmentalhealth.org; in Canada: richmondhilluc.ca
/// - 999 in the United Kingdom: Wikipedia; 000 in Australia: the page of Lifeline above
/// - 111 in New Zealand: the police at odt.co.nz, June 2017
fn emergency_number(phone: &str) -> Option<&'static str> {
    const OF_EUROPE: [&str; 11] = [
        "+27", "+31", "+33", "+34", "+353", "+41", "+43", "+45", "+46", "+49", "+91",
    ];
    let is_of = |prefix: &&str| phone.starts_with(*prefix);
    if OF_EUROPE.iter().any(is_of) {
        return Some("112");
    }
    match phone {
        phone if phone.starts_with("+1") && !is_without_988(phone) => Some("911"),
        phone if phone.starts_with("+44") => Some("999"),
        phone if phone.starts_with("+61") => Some("000"),
        phone if phone.starts_with("+64") => Some("111"),
        _ => None,
    }
}

fn is_without_988(phone: &str) -> bool {
    let area = phone.strip_prefix("+1").and_then(|rest| rest.get(..3));
    area.is_some_and(|area| WITHOUT_988.contains(&area))
}

pub const HOW_TO_DELETE_ACCOUNT: &str = "I can't delete your account from this chat. Ask whoever runs this service (the command is “chatkeep user delete”), or sign in and send POST /account/deletion with the confirmation “DELETE MY ACCOUNT”. 30 days later everything I keep of you is deleted for good: messages, memories, reminders, lists and photos. Until then “chatkeep user keep” or DELETE /account/deletion takes it back; a subscription ends with its period. To take away only what I remember, say “forget everything”.";

/// Who can read what is written, and what is kept of it.
pub const WHAT_IS_KEPT: &str = "I keep our messages and what comes of them: memories, reminders, lists and photos. Whoever runs this service could read that, and where a language model writes my answers, it gets what they need. What you tell me in our direct chat I don't tell in a group. “export my data” says how you get all of it, “delete my account” how it is deleted.";

pub const HOW_TO_EXPORT_DATA: &str = "I can't send your data in this chat. Ask whoever runs this service for it (the command is “chatkeep user export”), or sign in and send POST /account/export; GET /account/export/ with the job's id then says where to download it. It is one file of everything I keep of you, with messages, memories, reminders and lists. It changes nothing here.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_that_of_the_phones_country() {
        let cases = [
            ("+15550100", "988"),
            ("+18765550100", "findahelpline.com has"),
            ("+1é", "988"),
            ("+4915112345678", "0800 111 0 111"),
            ("+447700900123", "116 123"),
            ("+353851234567", "116 123"),
            ("+33612345678", "3114"),
            ("+35112345678", "findahelpline.com has"),
            ("+4512345678", "findahelpline.com has"),
            ("ana@example.com", "findahelpline.com has"),
            ("", "findahelpline.com has"),
        ];
        for (phone, part) in cases {
            let reply = crisis(CrisisKind::Despair, phone, None);
            assert!(reply.contains(part), "{phone} → {reply}");
            assert!(reply.contains("findahelpline.com"), "{phone} → {reply}");
        }
    }

    #[test]
    fn the_emergency_number_comes_first() {
        use CrisisKind::{Danger, Emergency, HarmToOthers, Overdose};
        for kind in [Danger, Emergency, HarmToOthers, Overdose] {
            let reply = crisis(kind, "+4915112345678", None);
            let (before, after) = reply.split_once("112").expect("the number");
            assert!(!before.contains('.') && !after.is_empty(), "{reply}");
        }
    }

    #[test]
    fn a_panic_attack_is_told_of_no_crisis_line() {
        let reply = crisis(CrisisKind::Panic, "+4915112345678", Some("de"));
        assert!(reply.contains("112") && reply.contains("panic"), "{reply}");
        assert!(
            !reply.contains("findahelpline") && !reply.contains("0800"),
            "{reply}"
        );
        assert!(!reply.contains(['{', '}']), "{reply}");
    }

    #[test]
    fn every_language_names_both_numbers() {
        use CrisisKind::{Danger, Despair, Emergency, OtherInDespair, Overdose};
        for language in ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "sv"] {
            let reply = |kind, phone| crisis(kind, phone, Some(language));
            for kind in [Danger, Despair, Emergency, OtherInDespair, Overdose] {
                for phone in ["+4915112345678", "ana@example.com"] {
                    let reply = reply(kind, phone);
                    assert!(!reply.contains(['{', '}']), "{reply}");
                    assert_eq!(reply.contains("112"), phone.starts_with('+'), "{reply}");
                }
            }
            assert!(reply(Despair, "+4915112345678").contains("0800 111 0 111"));
            assert!(
                reply(Despair, "").contains("findahelpline.com"),
                "{language}"
            );
            assert!(language == "en" || reply(Danger, "") != crisis(Danger, "", None));
            assert!(language == "en" || after_crisis(Some(language)) != after_crisis(None));
            assert!(language == "en" || crisis_over(Some(language)) != crisis_over(None));
        }
    }
}
