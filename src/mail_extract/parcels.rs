//! Parcels in sentences: a tracking number with its label, or a number whose form and check
//! digit leave no doubt.

use super::WallDateTime;
use super::dates;
use super::fact::{Fact, FactSource};
use super::terms::SearchedMail;
use crate::model::mail_item::FactKind;

const NUMBER_CHARS: std::ops::RangeInclusive<usize> = 8..=34;
const NUMBER_DIGITS_MIN: usize = 5;
/// Between a label and its number.
const LABEL_REACH_BYTES: usize = 40;
const DAY_REACH_BYTES: usize = 60;
/// Places of one label that are looked at.
const MATCHES_MAX: usize = 10;
const PARCELS_MAX: usize = 5;

#[rustfmt::skip]
const LABELS: [&str; 34] = [
    "tracking number", "tracking no", "tracking id", "tracking code", "tracking #", "track & trace", "tracking:", "shipment number", "consignment number", "parcel number", "waybill number",
    "sendungsnummer", "paketnummer", "sendungsverfolgungsnummer", "trackingnummer", "tracking-nummer", "sendungs-nr", "paket-nr",
    "numéro de suivi", "numéro de colis", "n° de suivi", "número de seguimiento", "número de envío", "numero di tracciamento", "numero di spedizione", "codice di tracking", "numero di tracking",
    "track-and-tracecode", "código de rastreio", "numer przesyłki", "kollinummer", "追跡番号", "お問い合わせ番号", "送り状番号",
];
#[rustfmt::skip]
const SHIPPING: [&str; 18] = ["parcel", "package", "shipment", "shipped", "delivery", "tracking", "paket", "sendung", "zustellung", "colis", "livraison", "paquete", "envío", "pacco", "spedizione", "pakket", "encomenda", "przesyłk"];
#[rustfmt::skip]
const DAY_PHRASES: [&str; 26] = [
    "expected delivery", "estimated delivery", "delivery date", "scheduled delivery", "arriving", "arrives", "will arrive", "will be delivered", "expected on", "expected by", "due on",
    "voraussichtliche zustellung", "voraussichtlich am", "zustellung am", "zustellung:", "lieferung am", "liefertermin", "zugestellt werden", "livraison prévue", "livraison estimée", "livré le",
    "entrega estimada", "entrega prevista", "fecha de entrega", "consegna prevista", "verwachte bezorging",
];
#[rustfmt::skip]
const DELIVERED: [&str; 14] = ["has been delivered", "was delivered", "have been delivered", "delivered:", "successfully delivered", "wurde zugestellt", "erfolgreich zugestellt", "a été livré", "ha sido entregado", "fue entregado", "è stato consegnato", "is bezorgd", "foi entregue", "お届けしました"];
/// A carrier's name as mails have it, and as it is shown.
#[rustfmt::skip]
const CARRIERS: [(&str, &str); 30] = [
    ("dhl", "DHL"), ("ups", "UPS"), ("fedex", "FedEx"), ("usps", "USPS"), ("dpd", "DPD"), ("gls", "GLS"), ("hermes", "Hermes"), ("evri", "Evri"), ("royal mail", "Royal Mail"), ("parcelforce", "Parcelforce"),
    ("postnl", "PostNL"), ("colissimo", "Colissimo"), ("chronopost", "Chronopost"), ("mondial relay", "Mondial Relay"), ("la poste", "La Poste"), ("correos", "Correos"), ("seur", "SEUR"), ("bpost", "bpost"), ("postnord", "PostNord"), ("inpost", "InPost"),
    ("poste italiane", "Poste Italiane"), ("canada post", "Canada Post"), ("australia post", "Australia Post"), ("yodel", "Yodel"), ("aramex", "Aramex"), ("tnt", "TNT"), ("ヤマト運輸", "Yamato"), ("佐川急便", "Sagawa"), ("日本郵便", "Japan Post"), ("swiss post", "Swiss Post"),
];
/// The post of a country, by the end of an S10 number.
#[rustfmt::skip]
const POSTS: [(&str, &str); 14] = [("DE", "Deutsche Post"), ("GB", "Royal Mail"), ("US", "USPS"), ("FR", "La Poste"), ("CH", "Swiss Post"), ("AT", "Österreichische Post"), ("NL", "PostNL"), ("ES", "Correos"), ("IT", "Poste Italiane"), ("CA", "Canada Post"), ("AU", "Australia Post"), ("JP", "Japan Post"), ("CN", "China Post"), ("BE", "bpost")];

/// Adds what the text says of parcels that the markup does not name.
pub(super) fn add(mail: &SearchedMail, facts: &mut Vec<Fact>) {
    let mut numbers = labelled(mail);
    if SHIPPING.iter().any(|word| mail.text.contains(word)) {
        numbers.extend(unmistakable(&mail.text));
    }
    let mut seen = std::collections::HashSet::new();
    numbers.retain(|number| seen.insert(number.clone()));
    numbers.truncate(PARCELS_MAX);
    let is_delivered = DELIVERED.iter().any(|phrase| mail.text.contains(phrase));
    let day = expected_day(mail);
    for number in numbers {
        let lower = number.to_lowercase();
        let is_known = facts.iter().any(|fact| {
            let known = fact.number.as_deref().unwrap_or_default().to_lowercase();
            known.replace([' ', '-'], "") == lower
        });
        if is_known {
            continue;
        }
        let carrier = carrier_by_form(&number).or_else(|| carrier_by_name(mail));
        facts.push(Fact {
            provider: carrier.map(str::to_owned),
            title: mail.sender.clone(),
            tracking_url: mail
                .links
                .iter()
                .find(|link| link.to_lowercase().contains(&lower))
                .cloned(),
            starts: day.filter(|_| !is_delivered),
            delivered: is_delivered,
            number: Some(number),
            ..Fact::new(FactKind::Parcel, FactSource::Text)
        });
    }
}

/// Numbers that follow a label.
fn labelled(mail: &SearchedMail) -> Vec<String> {
    let mut numbers = Vec::new();
    for label in LABELS {
        for (at, _) in mail.text.match_indices(label).take(MATCHES_MAX) {
            let after = mail.after(at + label.len(), LABEL_REACH_BYTES + *NUMBER_CHARS.end());
            numbers.extend(first_number(after));
        }
    }
    numbers
}

/// The first word that looks like a number of a parcel; digits in groups are one.
fn first_number(text: &str) -> Option<String> {
    let mut words = text.split(' ').peekable();
    let mut at = 0;
    while let Some(word) = words.next() {
        if at > LABEL_REACH_BYTES {
            return None;
        }
        at += word.len() + 1;
        let mut number = bare(word);
        let is_group = |word: &str| {
            !word.is_empty() && word.len() <= 6 && word.bytes().all(|b| b.is_ascii_digit())
        };
        while is_group(&bare(word)) && words.peek().is_some_and(|next| is_group(&bare(next))) {
            number.push_str(&bare(words.next().unwrap_or_default()));
        }
        if is_number(&number) {
            return Some(number.to_uppercase());
        }
        // A sentence ends: what follows is about something else.
        if word.ends_with(['.', '!', '?'])
            && word.len() > 1
            && !word.starts_with("no")
            && !word.starts_with("nr")
        {
            return None;
        }
    }
    None
}

fn bare(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    word.replace('-', "")
}

fn is_number(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    NUMBER_CHARS.contains(&word.len())
        && digits >= NUMBER_DIGITS_MIN
        && word.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Numbers with a form of their own, wherever they stand.
fn unmistakable(text: &str) -> Vec<String> {
    let words = text.split([
        ' ', ',', ';', '(', ')', '[', ']', '"', '<', '>', ':', '=', '&', '?', '/',
    ]);
    let words = words.map(|word| word.trim_matches('.').to_uppercase());
    words
        .filter(|word| is_ups(word) || is_amazon(word) || is_s10(word))
        .take(PARCELS_MAX)
        .collect()
}

fn carrier_by_form(number: &str) -> Option<&'static str> {
    if number.starts_with("1Z") && number.len() == 18 {
        return Some("UPS");
    }
    if is_amazon(number) {
        return Some("Amazon");
    }
    if is_s10(number) {
        let country = &number[11..];
        return POSTS
            .iter()
            .find(|(code, _)| *code == country)
            .map(|(_, name)| *name);
    }
    let is_dhl = number.starts_with("JJD") || number.len() == 20 && number.starts_with("00340434");
    is_dhl.then_some("DHL")
}

/// The carrier that wrote, else the first one that the text names as a word.
fn carrier_by_name(mail: &SearchedMail<'_>) -> Option<&'static str> {
    let named = |text: &str| {
        let found = CARRIERS
            .iter()
            .filter_map(|(word, name)| Some((word_in(text, word)?, *name)));
        found.min_by_key(|(at, _)| *at).map(|(_, name)| name)
    };
    named(&mail.sender_words).or_else(|| named(&mail.text))
}

fn word_in(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let (before, after) = (&text[..*at], &text[*at + word.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

fn expected_day(mail: &SearchedMail) -> Option<WallDateTime> {
    let sent = mail.sent?;
    DAY_PHRASES.iter().find_map(|phrase| {
        let mut places = mail.text.match_indices(phrase).take(MATCHES_MAX);
        places.find_map(|(at, _)| {
            let after = mail.after(at + phrase.len(), DAY_REACH_BYTES);
            let found = dates::first(after, sent).map(|found| found.at);
            let day = found.or_else(|| dates::relative(after, sent).map(WallDateTime::on));
            day.filter(|day| day.date >= sent)
        })
    })
}

/// `1Z`, 15 characters and a check digit.
fn is_ups(number: &str) -> bool {
    let bytes = number.as_bytes();
    if bytes.len() != 18
        || !number.starts_with("1Z")
        || !number.bytes().all(|b| b.is_ascii_alphanumeric())
    {
        return false;
    }
    let value = |byte: u8| match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        letter => (u32::from(letter) - 63) % 10,
    };
    let weighted = bytes[2..17].iter().enumerate();
    let sum: u32 = weighted
        .map(|(at, byte)| value(*byte) * if at % 2 == 0 { 1 } else { 2 })
        .sum();
    bytes[17].is_ascii_digit() && (10 - sum % 10) % 10 == value(bytes[17])
}

fn is_amazon(number: &str) -> bool {
    number.len() == 15
        && number.starts_with("TBA")
        && number[3..].bytes().all(|b| b.is_ascii_digit())
}

/// UPU S10: two letters, eight digits and a check digit, a country.
fn is_s10(number: &str) -> bool {
    let bytes = number.as_bytes();
    let is_formed = bytes.len() == 13
        && bytes[..2]
            .iter()
            .chain(&bytes[11..])
            .all(u8::is_ascii_uppercase)
        && bytes[2..11].iter().all(u8::is_ascii_digit);
    if !is_formed {
        return false;
    }
    let digits = bytes[2..10].iter().map(|byte| u32::from(byte - b'0'));
    let sum: u32 = digits
        .zip([8, 6, 4, 2, 3, 5, 9, 7])
        .map(|(digit, weight)| digit * weight)
        .sum();
    let check = match 11 - sum % 11 {
        10 => 0,
        11 => 5,
        check => check,
    };
    u32::from(bytes[10] - b'0') == check
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits() {
        for (number, carrier) in [
            ("1Z999AA10123456784", Some("UPS")),
            ("RR123456785GB", Some("Royal Mail")),
            ("RR123456785DE", Some("Deutsche Post")),
            ("TBA012345678901", Some("Amazon")),
        ] {
            assert_eq!(unmistakable(&number.to_lowercase()), [number]);
            assert_eq!(carrier_by_form(number), carrier, "{number}");
        }
        for number in [
            "1Z999AA10123456785", "RR123456784GB", "TBA01234", "1Z999ÄA1012345678",
        ] {
            assert!(unmistakable(&number.to_lowercase()).is_empty(), "{number}");
        }
    }

    #[test]
    fn numbers_after_a_label() {
        for (text, expected) in [
            (": 00340434161094042557", Some("00340434161094042557")),
            (" is 1234 5678 9012 at dpd", Some("123456789012")),
            (" (dpd): 0123-4567-8901-23", Some("01234567890123")),
            (". questions? call 030 5550101", None),
            (" will follow", None),
            (": 12345", None),
        ] {
            assert_eq!(first_number(text).as_deref(), expected, "{text}");
        }
    }
}
