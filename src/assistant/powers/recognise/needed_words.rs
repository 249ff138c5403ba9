//! Which superpowers a message may be about, by its words, at little cost.

use std::sync::LazyLock;

use crate::assistant::powers::Power;
use crate::assistant::text::word_set::WordMap;
use crate::assistant::text::words::Words;

/// One of these words is in whatever a superpower understands. What isn't named here understands
/// other words too.
const NEEDED: [(Power, &str); 21] = [
    (
        Power::GmailMindreaderAgent,
        "answer answered email emails inbox mail mails replied reply say want write written",
    ),
    (Power::EmailUrgency, "emails mail mails"),
    (
        Power::TravelBrain,
        "airport bus check check-in flight flights fly flying gate hostel hotel itinerary plane \
         platform seat station terminal train trains travel travels",
    ),
    (
        Power::CalendarQueryAgent,
        "add appointment available busy calendar call calls cancel create delete event events \
         free meet meeting meetings move new pencil postpone push put remove reschedule \
         schedule see seeing shift",
    ),
    (Power::CalendarListAgent, "calendar calendars"),
    (Power::CalendarStressAgent, "calendar overbooked week"),
    (Power::CalendarMorning, "brief briefing calendar"),
    (
        Power::CalendarEvents,
        "appointment appointments calendar calls event events meeting meetings",
    ),
    (Power::CallPrep, "call meeting"),
    (Power::DestinationPrep, "go leave need takes"),
    (
        Power::TicketsVault,
        "boarding cancel carriage coach delete discard drop forget gate it its platform remove row seat seats terminal that ticket tickets",
    ),
    (
        Power::PackageTracking,
        "arrive arrives cancel chronopost colissimo come comes correos delete deliveries delivery dhl dpd \
         drop evri expected fedex forget gls hermes inpost it itll its package packages parcel parcels \
         postnl postnord remove shipment tnt ups usps yodel",
    ),
    (
        Power::CancellationProtector,
        "cancel canceled cancelation cancellation cancellations cancelled deadline keep keeping \
         trial trials",
    ),
    (
        Power::MembershipRenewal,
        "annually auto-renews autorenews biannually biweekly cancel canceled cancelled cost costs daily \
         days delete drop due each end ends every everyday expire expires forget fortnightly goes got half-yearly hourly is \
         membership memberships monthly nightly once one quarterly quit remove renew renewal renewals \
         renewed renews rid runs semi-annually stop subs subscribed subscription subscriptions terminate \
         unsubscribe unsubscribed weekly went yearly",
    ),
    (
        Power::BirthdayReminder,
        "b-day bday birthday birthdays born old turning turns",
    ),
    (
        Power::BillSplit,
        "add bill bills borrowed cross delete divide divided drop even expenses gave lent loaned owe \
         owes paid pay payed payment pays quits remove repaid returned scratch sent settle settled \
         share shared shares split square squared strike take transferred undo venmoed wired",
    ),
    (
        Power::FocusProtector,
        "back disturb dnd focus focusing left longer",
    ),
    (Power::DailySummary, "day stop summaries summary today turn"),
    (
        Power::EveningPrep,
        "need prep preparation prepare ready tomorrow",
    ),
    (
        Power::PostEventCheckin,
        "ask audition check-in check-ins checkin checkins checkup date defence defense dentist doctor doctors \
         exam exams hearing interview marathon operation pitch presentation race recital \
         surgery talk test viva wedding",
    ),
    (
        Power::TripPlanner,
        "add also change day days delete drop holiday itinerary list long move pack packed packing postpone \
         push remove reschedule shift sleeps take trip trips vacation weekend weeks",
    ),
];

/// Superpowers, as bits by their numbers.
#[derive(Clone, Copy)]
pub(super) struct PowerSet(u32);

impl PowerSet {
    pub(super) const fn contains(self, power: Power) -> bool {
        self.0 & bit(power) != 0
    }
}

/// Superpowers that need none of these words.
const NEEDING_NONE: u32 = {
    let mut bits = (1 << Power::ALL.len()) - 1;
    let mut at = 0;
    while at < NEEDED.len() {
        bits &= !bit(NEEDED[at].0);
        at += 1;
    }
    bits
};

/// The superpowers that one of the message's words may mean, and those that need no word.
pub(super) fn may_be_meant(words: &Words) -> PowerSet {
    static BY_WORD: LazyLock<WordMap<u32>> = LazyLock::new(|| {
        let pairs = NEEDED
            .iter()
            .flat_map(|(power, words)| words.split(' ').map(|word| (word, bit(*power))));
        WordMap::merged(pairs, |a, b| a | b)
    });
    let by_word = &*BY_WORD;
    let meant = words.iter_hashed().filter_map(|word| by_word.get(word));
    PowerSet(meant.fold(NEEDING_NONE, |all, powers| all | powers))
}

const fn bit(power: Power) -> u32 {
    1 << power as u32
}
