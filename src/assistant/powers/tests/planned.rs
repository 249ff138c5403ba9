//! Superpowers that tell of things with a day: what is kept, and when what is told.

use super::*;

/// All that the superpower writes by itself until it has nothing more, with the times in
/// Berlin.
fn all_messages(person: &mut Person, power: Power) -> Vec<(String, String)> {
    const MESSAGES_MAX: usize = 20;
    let mut all = Vec::new();
    for _ in 0..MESSAGES_MAX {
        let stored = person.stored.get(power.name());
        let Some(at) = power.alarm(stored, &person.power_context(true)).unwrap() else {
            break;
        };
        person.now = at;
        let outcome = power
            .on_alarm(stored, at, &person.power_context(true))
            .unwrap();
        if let Some(stored) = outcome.stored {
            person.stored.insert(power.name(), stored);
        }
        if let Some(reply) = outcome.reply {
            let local = at.utc().with_timezone(&person.timezone.unwrap());
            all.push((local.format("%a %-d %b %Y %H:%M").to_string(), reply));
        }
    }
    all
}

pub(super) fn expect(person: &mut Person, power: Power, expected: &[(&str, &[&str])]) {
    let all = all_messages(person, power);
    for ((at, text), (expected_at, parts)) in all.iter().zip(expected) {
        assert_eq!(at, expected_at, "{text}");
        for part in *parts {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    assert_eq!(all.len(), expected.len(), "{all:?}");
}

#[test]
fn tickets() {
    let mut person = Person::new();
    person.talk(
        "my tickets → I keep no tickets
         keep this ticket → What does it say
         keep this ticket: Coldplay concert, friday at 8, row 5 seat 12 → Kept: “Coldplay concert, friday at 8, row 5 seat 12” | Friday, 6 March at 20:00 | two hours before
         save my ticket for the museum, 9 march → Monday, 9 March.
         ticket: Bo's play → When is it?
         it's on 10 march at 19:30 → Tuesday, 10 March at 19:30
         keep this ticket: old show on 2026-03-01 → passed
         my tickets → 1. Coldplay | 2. for the museum | 3. Bo's play
         show my ticket for Coldplay → row 5 seat 12
         show me my museum ticket → museum
         show my ticket for Oasis → no ticket for Oasis
         delete the ticket for Bo's play → threw away
         undo → taken back
         remove my museum ticket → threw away
         what's the ticket price? → -",
    );
    expect(
        &mut person,
        Power::TicketsVault,
        &[
            ("Fri 6 Mar 2026 18:00", &["today at 20:00", "row 5 seat 12"]),
            ("Tue 10 Mar 2026 17:30", &["Bo's play"]),
        ],
    );
}

#[test]
fn bookings() {
    let mut person = Person::new();
    person.talk(
        "my reservations → no bookings
         dinner at Luigi on friday at 8, +1555 123 4567 → Noted: dinner at Luigi: Friday, 6 March at 20:00, +1555 123 4567 | two hours before
         I booked a table at Da Vinci for 4 people on saturday at 19:30 → Saturday, 7 March at 19:30 | Da Vinci
         I have an appointment with Dr. Weiss tomorrow at 9 → Thursday, 5 March at 09:00
         I booked a hotel in Lisbon on 12 march → Thursday, 12 March | in the morning
         I booked a massage → When is that
         dinner was great → -
         I had dinner at Luigi → -
         when is my dinner? → Friday, 6 March at 20:00
         my bookings → 1. appointment with Dr. Weiss | 4. hotel in Lisbon
         cancel my reservation at Da Vinci → can't cancel it with them",
    );
    expect(
        &mut person,
        Power::ReservationPrep,
        &[
            ("Thu 5 Mar 2026 07:00", &["Dr. Weiss"]),
            ("Fri 6 Mar 2026 18:00", &["Luigi", "+1555 123 4567"]),
            ("Thu 12 Mar 2026 09:00", &["hotel in Lisbon"]),
        ],
    );
}

#[test]
fn renewals() {
    let mut person = Person::new();
    person.talk(
        "netflix renews on 5 dec → netflix renews on Saturday, 5 December | on Saturday, 28 November | every year
         my gym membership expires on 8 march → within a week
         my passport renews → On which day
         when does netflix renew? → Saturday, 5 December
         my renewals → 1. gym membership | 2. netflix
         netflix renews on 6 dec for 12.99 € → Sunday, 6 December | every year again
         netflix renews every year → every year again
         my renewals → 2 | !3.
         forget the gym membership → can't cancel it
         netflix is great → -",
    );
    let mut all = all_messages(&mut person, Power::MembershipRenewal);
    all.truncate(2);
    assert_eq!(all[0].0, "Sun 29 Nov 2026 09:00");
    assert!(
        all[0]
            .1
            .contains("netflix renews on Sunday, 6 December (12.99 €)"),
        "{all:?}"
    );
    assert_eq!(all[1].0, "Mon 29 Nov 2027 09:00");
}

#[test]
fn cancellations() {
    let mut person = Person::new();
    person.talk(
        "free cancellation until 12 march for the hotel → free cancellation of hotel: Thursday, 12 March | two days and one day before
         my netflix trial ends on 20 march → netflix trial: Friday, 20 March
         my trial of Photoshop ends tomorrow → Photoshop trial: Thursday, 5 March | cancel it with them today
         I can cancel the flight for free until 6 march → free cancellation of flight: Friday, 6 March | one day before
         my trials → 1. Photoshop trial | 4. netflix trial
         I cancelled netflix → no longer warn
         free cancellation → -
         I cancelled the party → no such date",
    );
    expect(
        &mut person,
        Power::CancellationProtector,
        &[
            (
                "Thu 5 Mar 2026 09:00",
                &["flight", "tomorrow", "can't do that for you"],
            ),
            (
                "Tue 10 Mar 2026 09:00",
                &["hotel", "in 2 days: Thursday, 12 March"],
            ),
            ("Wed 11 Mar 2026 09:00", &["hotel", "tomorrow"]),
        ],
    );
}

#[test]
fn parcels() {
    let mut person = Person::new();
    person.talk(
        "where are my parcels? → I know of no parcels
         my parcel from Zalando arrives on friday → parcel from Zalando: Friday, 6 March | on the day
         track package 1Z999AA10123456784 by UPS → 1Z999AA10123456784 | When should it arrive
         it arrives on monday → Monday, 9 March
         I'm expecting a parcel from Ana tomorrow → parcel from Ana: Thursday, 5 March
         where are my parcels → 1. parcel from Ana | 3. package: Monday, 9 March, 1Z999AA10123456784 UPS
         the parcel from Ana arrived → ✓ parcel from Ana has arrived
         the package is nice → -
         I have a package deal → -",
    );
    expect(
        &mut person,
        Power::PackageTracking,
        &[
            ("Fri 6 Mar 2026 09:00", &["Zalando"]),
            ("Mon 9 Mar 2026 09:00", &["1Z999AA10123456784"]),
        ],
    );
}

#[test]
fn check_ins() {
    let mut person = Person::new();
    person.talk(
        "I have an interview tomorrow at 10 → Noted: interview, Thursday, 5 March at 10:00 | on Thursday, 5 March at 12:00
         my driving test is on friday at 21:00 → on Saturday, 7 March at 09:00
         I've got an exam on 9 march → on Tuesday, 10 March at 09:00
         my check-ins → 1. interview | 2. driving test | 3. exam
         don't ask me about the exam → won't ask
         I have a test → -
         is my interview tomorrow? → -",
    );
    expect(
        &mut person,
        Power::PostEventCheckin,
        &[
            ("Thu 5 Mar 2026 12:00", &["How was the interview?"]),
            ("Sat 7 Mar 2026 09:00", &["How was the driving test?"]),
        ],
    );
    let cases = [
        (
            "It went really well!",
            CheckinAnswer::Text("It went really well!".to_owned()),
        ),
        ("good", CheckinAnswer::Text("good".to_owned())),
        ("hello", CheckinAnswer::None),
        ("what's the time?", CheckinAnswer::None),
        ("never mind", CheckinAnswer::Refused),
    ];
    for (text, expected) in cases {
        assert_eq!(checkin_answer(text), expected, "{text}");
    }
}

#[test]
fn evenings() {
    let mut person = Person::new();
    person.talk(
        "evening prep → Tomorrow: nothing on that I know of
         evening prep every day → each evening at 20:00
         stop evening prep → no more evening prep
         stop evening prep → No evening prep is set
         evening prep at 9 → each evening at 21:00",
    );
    // Nobody knows of anything: it is quiet, and looks again the next evening.
    let stored = person.stored.get("evening_prep");
    let at = Power::EveningPrep
        .alarm(stored, &person.power_context(true))
        .unwrap();
    assert_eq!(at.unwrap().to_string(), "2026-03-04T20:00:00.000Z");
    let tomorrow = person.power_context(true).today().succ_opt().unwrap();
    let plan = |what: &str, minute| Plan {
        what: what.to_owned(),
        place: "Room 5".to_owned(),
        details: String::new(),
        day: tomorrow,
        minute,
        leave: None,
        ahead_s: 0,
    };
    let facts = Facts {
        plans: vec![plan("call mom", None), plan("dentist", Some(540))],
        ..Facts::default()
    };
    let context = PowerContext {
        now: at.unwrap(),
        timezone: person.timezone,
        ..PowerContext::alone(at.unwrap(), 1, &facts)
    };
    let outcome = Power::EveningPrep
        .on_alarm(stored, context.now, &context)
        .unwrap();
    let reply = outcome.reply.unwrap();
    let expected = "Tomorrow, Thursday, 5 March:\n• 09:00 dentist, Room 5\n• call mom, Room 5\n\
        It begins at 09:00. For an alarm, say “remind me tomorrow at 07:30 to get up”.";
    assert_eq!(reply, expected);
    assert_eq!(
        outcome.alarm.unwrap().to_string(),
        "2026-03-05T20:00:00.000Z"
    );
}
