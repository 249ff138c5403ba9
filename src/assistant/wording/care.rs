//! Wording for a person in a crisis, and for somebody who wants to delete their account or export
//! their data. Nothing else may be added to these answers.

/// Crisis lines by the prefix of the writer's phone number: prefix, number, name. Nationwide lines.
/// Each number was found in November 2026 in a public page of the line named beside it, of a partner
/// or of the press; findahelpline.com lists the current ones. For other countries only that address
/// is given.
const CRISIS_LINES: [(&str, &str, &str); 16] = [
    // 988lifeline.org; 988.ca, and mentalhealthcommission.ca/catalyst/988-launches-in-canada
    ("+1", "988", "988 Lifeline, by call or text"),
    // sadag.org
    ("+27", "0800 567 567", "SADAG"),
    // 113.nl
    ("+31", "113", "113 Zelfmoordpreventie"),
    // 3114.fr
    ("+33", "3114", "numéro national de prévention du suicide"),
    // sanidad.gob.es, rtve.es/noticias/20220509
    ("+34", "024", "línea de atención a la conducta suicida"),
    // samaritans.org
    ("+353", "116 123", "Samaritans"),
    // 143.ch
    ("+41", "143", "Die Dargebotene Hand"),
    // telefonseelsorge.at, katholisch.at/telefonseelsorge
    ("+43", "142", "TelefonSeelsorge"),
    // samaritans.org
    ("+44", "116 123", "Samaritans"),
    // livslinien.dk
    ("+45", "70 201 201", "Livslinien"),
    // mind.se
    ("+46", "90101", "Mind Självmordslinjen"),
    // telefonseelsorge.de
    ("+49", "0800 111 0 111", "TelefonSeelsorge"),
    // cvv.org.br
    ("+55", "188", "CVV"),
    // lifeline.org.au
    ("+61", "13 11 14", "Lifeline"),
    // 1737.org.nz
    ("+64", "1737", "Need to talk?"),
    // telemanas.mohfw.gov.in
    ("+91", "14416", "Tele MANAS"),
];

/// Codes after "+1" of countries without 988, which is a line of the United States with their
/// territories, and of Canada (North American Numbering Plan).
const WITHOUT_988: [&str; 21] = [
    "242", "246", "264", "268", "284", "345", "441", "473", "649", "658", "664", "721", "758",
    "767", "784", "809", "829", "849", "868", "869", "876",
];

/// `phone`: the writer's handle, a phone in E.164 where it is one.
pub fn crisis(phone: &str) -> String {
    let known = CRISIS_LINES
        .iter()
        .find(|(prefix, ..)| phone.starts_with(prefix))
        .filter(|_| !is_without_988(phone));
    let line = match known {
        Some((_, number, who)) => format!(
            "Please call {number} ({who}): people there listen, whatever it is. Lines in other countries are on findahelpline.com."
        ),
        None => "Please talk to somebody who listens: findahelpline.com has the number for your country.".to_owned(),
    };
    format!(
        "I'm so sorry that it's this hard right now. You matter, and you don't have to go through this alone. {line} If you are hurt or in immediate danger, please call {} now, or get to somebody you trust.",
        emergency_number(phone)
    )
}

/// The number for ambulance and police where it is one: that of the European Union, which South
/// Africa, Switzerland and India share, or the country's own.
fn emergency_number(phone: &str) -> &'static str {
    const OF_EUROPE: [&str; 11] = [
        "+27", "+31", "+33", "+34", "+353", "+41", "+43", "+45", "+46", "+49", "+91",
    ];
    let is_of = |prefix: &&str| phone.starts_with(*prefix);
    if OF_EUROPE.iter().any(is_of) {
        return "112, your emergency number,";
    }
    match phone {
        phone if phone.starts_with("+1") && !is_without_988(phone) => "911, your emergency number,",
        phone if phone.starts_with("+44") => "999, your emergency number,",
        phone if phone.starts_with("+61") => "000, your emergency number,",
        phone if phone.starts_with("+64") => "111, your emergency number,",
        _ => "your emergency number",
    }
}

fn is_without_988(phone: &str) -> bool {
    let area = phone.strip_prefix("+1").and_then(|rest| rest.get(..3));
    area.is_some_and(|area| WITHOUT_988.contains(&area))
}

pub fn how_to_delete_account() -> String {
    "I can't delete your account from this chat. Whoever is signed in to it can: POST /account/deletion with the confirmation “DELETE MY ACCOUNT”. 30 days later everything I keep of you is deleted for good: messages, memories, reminders, lists and photos. Until then DELETE /account/deletion takes it back; a subscription ends with its period. To take away only what I remember, say “forget everything”."
        .to_owned()
}

pub fn how_to_export_data() -> String {
    "I can't send your data in this chat. Whoever is signed in to your account can get it: POST /account/export makes one file of everything I keep of you, with messages, memories, reminders and lists, and GET /account/export/ with the job's id says where to download it. It changes nothing here."
        .to_owned()
}

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
            ("ana@example.com", "findahelpline.com has"),
            ("", "findahelpline.com has"),
        ];
        for (phone, part) in cases {
            let reply = crisis(phone);
            assert!(reply.contains(part), "{phone} → {reply}");
            assert!(reply.contains("findahelpline.com"), "{phone} → {reply}");
        }
    }
}
