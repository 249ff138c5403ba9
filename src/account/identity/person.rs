//! Finds or creates the user for a token's claims. The decision is pure; the writes follow from it.
//! Two people must never share an account: an identity is linked once, and only to a user whose id
//! or phone number it proves.

use crate::auth::jwt::{Claims, LOCAL_ISSUER, Profile};
use crate::clock::{Timestamp, Zone};
use crate::error::{Error, Result};
use crate::model::public_id::PublicId;
use crate::random;
use crate::store::{Person, PersonProfile, Tx, View};

/// The identity of a token, in the database's form.
pub(super) struct Subject {
    /// Empty for the local development key, whose tokens may name anybody.
    issuer: String,
    /// The token's `sub`, in canonical form if it is a UUID.
    name: String,
    is_uuid: bool,
    issued_at: Option<Timestamp>,
    profile: PersonProfile,
}

/// Matching users in the database.
#[derive(Debug, Default)]
struct KnownPeople {
    tied: Option<Person>,
    by_phone: Option<Person>,
    by_id: Option<Person>,
    erased_at: Option<Timestamp>,
}

#[derive(Debug, PartialEq, Eq)]
enum SignInDecision {
    Known {
        person: Person,
        tie: bool,
    },
    New {
        /// `None` for a new id.
        user_id: Option<String>,
        tie: bool,
    },
    /// The account was erased after the token was issued.
    Erased,
}

impl Subject {
    pub(super) fn of(claims: Claims) -> Self {
        let uuid = PublicId::parse(&claims.subject).map(|id| id.to_string());
        Self {
            issuer: claims.issuer,
            is_uuid: uuid.is_some(),
            name: uuid.unwrap_or(claims.subject),
            issued_at: claims.issued_at,
            profile: profile(claims.profile),
        }
    }

    /// The user, if signing in needs no write.
    pub(super) fn look_up(&self, view: &View) -> Result<Option<Person>> {
        let person = match decide(self, self.load_facts(view)?) {
            SignInDecision::Known { person, tie: false } => person,
            _ => return Ok(None),
        };
        let is_complete = self.missing_profile(view, &person)? == PersonProfile::default();
        Ok(is_complete.then_some(person))
    }

    /// The user, after creating, linking and filling in the profile as needed.
    pub(super) fn find_or_create(&self, tx: &mut Tx, now: Timestamp) -> Result<Person> {
        let verdict = decide(self, self.load_facts(tx.view())?);
        let (person, tie) = match verdict {
            SignInDecision::Known { person, tie } => (person, tie),
            SignInDecision::New { user_id, tie } => {
                let user_id = user_id.unwrap_or_else(|| random::uuid().to_string());
                let person = Person {
                    id: tx.insert_user_without_phone(&user_id, now)?,
                    user_id,
                    tied: tie,
                    known: PersonProfile::default(),
                };
                (person, tie)
            }
            SignInDecision::Erased => return Err(Error::unauthorized("the account was erased")),
        };
        if tie {
            tx.tie_identity(&self.issuer, &self.name, person.id, now)?;
        }
        let missing_profile = self.missing_profile(tx.view(), &person)?;
        if missing_profile != PersonProfile::default() {
            tx.fill_profile(&person, &missing_profile)?;
        }
        Ok(person)
    }

    fn load_facts(&self, view: &View) -> Result<KnownPeople> {
        let facts = KnownPeople {
            tied: view.person_tied(&self.issuer, &self.name)?,
            erased_at: view.identity_erased_at(&self.issuer, &self.name)?,
            ..KnownPeople::default()
        };
        if !self.is_uuid && facts.tied.is_some() {
            return Ok(facts); // the other facts don't matter
        }
        let phone = self.profile.phone.as_deref();
        let is_uuid = self.is_uuid;
        Ok(KnownPeople {
            by_phone: match phone {
                Some(phone) => view.person_by_phone(phone)?,
                None => None,
            },
            by_id: match is_uuid {
                true => view.person(&self.name)?,
                false => None,
            },
            erased_at: match is_uuid {
                true => facts.erased_at.max(view.erased_at(&self.name)?),
                false => facts.erased_at,
            },
            ..facts
        })
    }

    /// Profile fields from the token that are still unknown. A phone number only if nobody else has
    /// it.
    fn missing_profile(&self, view: &View, person: &Person) -> Result<PersonProfile> {
        let (claimed, known) = (&self.profile, &person.known);
        let missing = |claimed: &Option<String>, known: &Option<String>| match known {
            None => claimed.clone(),
            Some(_) => None,
        };
        let phone = match missing(&claimed.phone, &known.phone) {
            Some(phone) if view.person_by_phone(&phone)?.is_none() => Some(phone),
            _ => None,
        };
        Ok(PersonProfile {
            phone,
            email: missing(&claimed.email, &known.email),
            name: missing(&claimed.name, &known.name),
            timezone: missing(&claimed.timezone, &known.timezone),
        })
    }
}

fn decide(subject: &Subject, facts: KnownPeople) -> SignInDecision {
    let is_local = subject.issuer == LOCAL_ISSUER;
    let known = |person, tie| SignInDecision::Known { person, tie };
    if let (true, Some(person)) = (is_local, facts.by_id.clone()) {
        return known(person, false);
    }
    if let Some(erased_at) = facts.erased_at
        && subject.issued_at.is_none_or(|at| at <= erased_at)
    {
        return SignInDecision::Erased;
    }
    if let Some(person) = facts.tied {
        return known(person, false);
    }
    if let Some(person) = facts.by_phone.filter(|person| !person.tied) {
        return known(person, true);
    }
    match facts.by_id {
        Some(person) if !person.tied => known(person, true),
        None if subject.is_uuid && facts.erased_at.is_none() => SignInDecision::New {
            user_id: Some(subject.name.clone()),
            tie: !is_local,
        },
        _ => SignInDecision::New {
            user_id: None,
            tie: true,
        },
    }
}

/// Converts profile fields to the database's form; a zone must be an IANA name.
fn profile(claimed: Profile) -> PersonProfile {
    let zone = claimed.timezone.and_then(|name| name.parse::<Zone>().ok());
    PersonProfile {
        phone: claimed.phone,
        email: claimed.email,
        name: claimed.name,
        timezone: zone.map(|zone| zone.name().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::UserId;

    const UUID: &str = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
    const PROVIDER: &str = "https://id.example.com/";

    fn subject(issuer: &str, sub: &str, issued_at: Option<i64>) -> Subject {
        Subject::of(Claims {
            issuer: issuer.to_owned(),
            subject: sub.to_owned(),
            issued_at: issued_at.map(Timestamp),
            expires_at: Timestamp(i64::MAX),
            profile: Profile::default(),
        })
    }

    fn person(id: i64, tied: bool) -> Option<Person> {
        Some(Person {
            id: UserId(id),
            user_id: id.to_string(),
            tied,
            known: PersonProfile::default(),
        })
    }

    fn describe(verdict: SignInDecision) -> String {
        match verdict {
            SignInDecision::Known { person, tie } => format!("{} tie={tie}", person.user_id),
            SignInDecision::New { user_id, tie } => {
                let id = if user_id.is_some() { "that" } else { "another" };
                format!("new with {id} id tie={tie}")
            }
            SignInDecision::Erased => "erased".to_owned(),
        }
    }

    /// User 1 is linked to this identity, 2 has the phone number, 3 has the id.
    #[test]
    fn who_signs_in() {
        type Row = (
            &'static str,
            &'static str,
            Option<Person>,
            Option<Person>,
            Option<Person>,
            &'static str,
        );
        let cases: [Row; 17] = [
            // Tokens of a provider.
            (
                PROVIDER, "a", None, None, None, "new with another id tie=true",
            ),
            (
                PROVIDER, UUID, None, None, None, "new with that id tie=true",
            ),
            (PROVIDER, "a", person(1, true), None, None, "1 tie=false"),
            (
                PROVIDER,
                UUID,
                person(1, true),
                person(2, false),
                person(3, false),
                "1 tie=false",
            ),
            (PROVIDER, "a", None, person(2, false), None, "2 tie=true"),
            (
                PROVIDER,
                "a",
                None,
                person(2, true),
                None,
                "new with another id tie=true",
            ),
            (
                PROVIDER,
                UUID,
                None,
                person(2, false),
                person(3, false),
                "2 tie=true",
            ),
            (
                PROVIDER,
                UUID,
                None,
                person(2, true),
                person(3, false),
                "3 tie=true",
            ),
            (PROVIDER, UUID, None, None, person(3, false), "3 tie=true"),
            (
                PROVIDER,
                UUID,
                None,
                None,
                person(3, true),
                "new with another id tie=true",
            ),
            (
                PROVIDER,
                UUID,
                None,
                person(2, true),
                None,
                "new with that id tie=true",
            ),
            // Tokens of the development key.
            (
                LOCAL_ISSUER,
                UUID,
                None,
                None,
                person(3, true),
                "3 tie=false",
            ),
            (
                LOCAL_ISSUER,
                UUID,
                person(1, true),
                person(2, false),
                person(3, false),
                "3 tie=false",
            ),
            (
                LOCAL_ISSUER, UUID, None, None, None, "new with that id tie=false",
            ),
            (
                LOCAL_ISSUER,
                UUID,
                None,
                person(2, false),
                None,
                "2 tie=true",
            ),
            (
                LOCAL_ISSUER, "a", None, None, None, "new with another id tie=true",
            ),
            (
                LOCAL_ISSUER,
                "a",
                person(1, true),
                person(2, false),
                None,
                "1 tie=false",
            ),
        ];
        for (issuer, sub, tied, by_phone, by_id, expected) in cases {
            let facts = KnownPeople {
                tied,
                by_phone,
                by_id,
                erased_at: None,
            };
            let case = format!("{issuer} {sub} {facts:?}");
            let verdict = decide(&subject(issuer, sub, None), facts);
            assert_eq!(describe(verdict), expected, "{case}");
        }
    }

    #[test]
    fn an_erased_id_is_never_reused() {
        for (issuer, sub) in [(PROVIDER, UUID), (LOCAL_ISSUER, UUID), (PROVIDER, "a")] {
            for (issued_at, tied, expected) in [
                (None, None, "erased"),
                (Some(999), None, "erased"),
                (Some(1_000), None, "erased"),
                (Some(1_000), person(1, true), "erased"),
                (Some(1_001), None, "new with another id tie=true"),
                (Some(1_001), person(1, true), "1 tie=false"),
            ] {
                let facts = KnownPeople {
                    tied,
                    erased_at: Some(Timestamp(1_000)),
                    ..KnownPeople::default()
                };
                let verdict = decide(&subject(issuer, sub, issued_at), facts);
                assert_eq!(describe(verdict), expected, "{issuer} {sub} {issued_at:?}");
            }
        }
    }

    #[test]
    fn a_uuid_has_one_spelling() {
        let upper = subject(PROVIDER, &UUID.to_uppercase(), None);
        assert_eq!((upper.name.as_str(), upper.is_uuid), (UUID, true));
        let other = subject(PROVIDER, "Auth0|ABC", None);
        assert_eq!((other.name.as_str(), other.is_uuid), ("Auth0|ABC", false));
    }
}
