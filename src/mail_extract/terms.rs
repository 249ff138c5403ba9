//! Deadlines with a price: renewals, ends of trials, last days of free cancellation. Each rule
//! needs a phrase and a date in the same sentence; a phrase alone states nothing, nor do mails to
//! many people.

use chrono::{DateTime, Days, NaiveDate};

use super::fact::{Fact, FactSource};
use super::{WallDateTime, dates};
use crate::model::mail_item::{FactKind, MailExtract};

/// Bytes between a phrase and its date.
const REACH_BYTES: usize = 70;
/// Bytes before a phrase in which a negation of it is searched.
const NEGATION_BYTES: usize = 32;
const FUTURE_DAYS_MAX: u64 = 800;
/// Occurrences of one phrase that are examined.
const MATCHES_MAX: usize = 20;

#[rustfmt::skip]
const PHRASES: &[(FactKind, &[&str])] = &[
    (FactKind::TrialEnd, &[
        "trial ends", "trial will end", "trial expires", "trial will expire", "trial period ends", "end of your trial", "end of your free trial", "trial is ending", "trial until",
        "testphase endet", "probezeitraum endet", "probeabo endet", "testzeitraum endet", "testversion endet", "probemonat endet",
        "essai gratuit se termine", "période d'essai se termine", "période d’essai se termine", "fin de votre essai", "essai gratuit prend fin",
        "prueba gratuita termina", "prueba gratuita finaliza", "periodo de prueba termina", "período de prueba termina", "prueba gratis termina",
        "prova gratuita termina", "prova gratuita scade", "periodo di prova termina", "proefperiode eindigt", "período de teste termina",
    ]),
    (FactKind::FreeCancellation, &[
        "free cancellation", "cancel for free", "cancel free of charge", "cancelled free of charge", "canceled free of charge", "cancel without charge", "cancel at no cost", "free to cancel",
        "kostenlos stornier", "kostenlose stornierung", "kostenfrei stornier", "kostenfreie stornierung", "gratis stornier",
        "annulation gratuite", "annuler gratuitement", "annulez gratuitement", "annulable gratuitement",
        "cancelación gratuita", "cancelar gratis", "cancelación gratis", "cancellazione gratuita", "cancellare gratuitamente",
        "gratis annuler", "gratis te annuleren", "cancelamento gratuito", "cancelamento grátis",
    ]),
    (FactKind::Renewal, &[
        "renews", "will renew", "will automatically renew", "will auto-renew", "be renewed", "automatically renewed", "auto-renewal", "renewal date", "next renewal", "next billing date", "next payment date",
        "verlängert sich", "automatisch verlängert", "wird verlängert", "verlängerungsdatum", "nächste abbuchung", "nächste verlängerung", "nächstes abrechnungsdatum",
        "se renouvelle", "sera renouvelé", "date de renouvellement", "prochain paiement", "prochain prélèvement",
        "se renueva", "se renovará", "fecha de renovación", "próximo cobro", "próxima facturación",
        "si rinnova", "si rinnoverà", "data di rinnovo", "wordt verlengd", "automatisch verlengd", "verlengingsdatum",
        "renova-se", "será renovad", "data de renovação", "自動更新", "更新日",
    ]),
];
#[rustfmt::skip]
const NEGATIONS: [&str; 16] = ["not ", "n't ", "n’t ", "never ", "no longer ", "without ", "nicht ", "kein", "ohne ", "ne ", "n'", "pas ", "sin ", "non ", "niet ", "não "];

/// The parts of a mail that the rules search.
pub(super) struct SearchedMail<'a> {
    /// Subject and text, in lower case, with single spaces.
    pub(super) text: String,
    pub(super) sent: Option<NaiveDate>,
    pub(super) links: &'a [String],
    /// The name of who sent it, or their domain.
    pub(super) sender: Option<String>,
    /// Address and name, in lower case.
    pub(super) sender_words: String,
    is_to_many: bool,
}

impl<'a> SearchedMail<'a> {
    pub(super) fn new(extract: &MailExtract, text: &str, links: &'a [String]) -> Self {
        let sent = extract.sent_at.and_then(DateTime::from_timestamp_millis);
        let text = format!("{}. {text}", extract.subject).to_lowercase();
        let domain = extract.from_email.split('@').nth(1).unwrap_or_default();
        let sender = [extract.from_name.as_str(), domain];
        let sender = sender.into_iter().find(|name| !name.is_empty());
        Self {
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            sent: sent.map(|at| at.date_naive()),
            links,
            sender_words: format!(
                "{} {}",
                extract.from_name.to_lowercase(),
                extract.from_email
            ),
            sender: sender.map(str::to_owned),
            is_to_many: extract.is_list,
        }
    }

    /// The text from `at`, so many bytes long.
    pub(super) fn after(&self, at: usize, bytes: usize) -> &str {
        let end = self
            .text
            .floor_char_boundary((at + bytes).min(self.text.len()));
        &self.text[at.min(end)..end]
    }

    /// The text up to `at`, so many bytes long.
    pub(super) fn before(&self, at: usize, bytes: usize) -> &str {
        let start = self.text.ceil_char_boundary(at.saturating_sub(bytes));
        &self.text[start..at]
    }
}

pub(super) fn add(mail: &SearchedMail, facts: &mut Vec<Fact>) {
    let Some(sent) = mail.sent.filter(|_| !mail.is_to_many) else {
        return;
    };
    for (kind, phrases) in PHRASES {
        let found = phrases
            .iter()
            .find_map(|phrase| date_of(mail, phrase, sent));
        if let Some(at) = found {
            let fact = fact(mail, *kind, at, facts);
            facts.push(fact);
        }
    }
}

fn date_of(mail: &SearchedMail, phrase: &str, sent: NaiveDate) -> Option<WallDateTime> {
    let latest = sent.checked_add_days(Days::new(FUTURE_DAYS_MAX))?;
    let places = mail.text.match_indices(phrase).take(MATCHES_MAX);
    places.into_iter().find_map(|(at, _)| {
        let before = mail.before(at, NEGATION_BYTES);
        let before = before.rsplit(['.', '!', '?']).next().unwrap_or_default();
        let before = format!(" {before}");
        if NEGATIONS.iter().any(|word| {
            before.contains(&format!(" {word}"))
                || word.starts_with('n') && word.len() > 3 && before.contains(word)
        }) {
            return None;
        }
        let end = at + phrase.len();
        let after = sentence(mail.after(end, REACH_BYTES + 40));
        let found = dates::first(after, sent).filter(|found| found.start <= REACH_BYTES);
        let found = found.or_else(|| {
            let before = mail.before(at, REACH_BYTES);
            let start = before.rfind([';', '!', '?']).map_or(0, |at| at + 1);
            let start = before
                .rfind(". ")
                .filter(|at| *at > start && !is_in_date(before, *at))
                .map_or(start, |at| at + 1);
            dates::last(&before[start..], sent)
        })?;
        let is_near = found.at.date >= sent && found.at.date <= latest;
        is_near.then_some(found.at)
    })
}

/// Up to the end of the sentence. The point of `5. Dezember` or `5.12. um` is none.
fn sentence(text: &str) -> &str {
    for (at, c) in text.char_indices() {
        let ends = match c {
            '!' | '?' | '。' => true,
            '.' => text[at + 1..].starts_with(' ') && !is_in_date(text, at),
            _ => false,
        };
        if ends {
            return &text[..at];
        }
    }
    text
}

fn is_in_date(text: &str, point: usize) -> bool {
    let before = text[..point].chars().next_back();
    before.is_some_and(|c| c.is_ascii_digit()) || {
        // An abbreviated month.
        let word = text[..point].rsplit(' ').next().unwrap_or_default();
        matches!(word.chars().count(), 3..=5)
            && text[point + 1..]
                .trim_start()
                .starts_with(|c: char| c.is_ascii_digit())
    }
}

/// A cancellation is of the booking that the mail confirms, if it confirms one.
fn fact(mail: &SearchedMail, kind: FactKind, at: WallDateTime, facts: &[Fact]) -> Fact {
    let booking = facts
        .iter()
        .find(|fact| kind == FactKind::FreeCancellation && fact.is_booking());
    let mut fact = Fact {
        starts: Some(at),
        provider: mail.sender.clone(),
        ..Fact::new(kind, FactSource::Text)
    };
    if let Some(booking) = booking {
        fact.title = booking.title.clone();
        fact.reference = booking.reference.clone();
        fact.cancel_url = booking.cancel_url.clone();
    }
    fact
}
