//! The words by which a message is seen, at little cost, to be about a superpower, and about which.

use std::sync::LazyLock;

use crate::assistant::powers::Power::{self, *};
use crate::assistant::powers::usual_purchases::USUAL;
use crate::assistant::text::word_set::WordMap;
use crate::assistant::text::words::Words;

/// Whatever a superpower understands has one of its words in it. Nobody asks for it outside of a
/// session by those after the bar alone; "*": any other word.
const WORDS: [(Power, &str); 26] = [
    (
        GmailMindreaderAgent,
        "answered email emails inbox mail mails replied reply write written | answer say want",
    ),
    (EmailUrgency, "emails mail mails summarise summarize urgent"),
    (
        TravelBrain,
        "airport bus check check-in flight flights fly flying gate hostel hotel itinerary plane \
         platform seat station terminal train trains travel travels",
    ),
    (
        CalendarQueryAgent,
        "add appointment available busy calendar call calls cancel create delete event events free \
         meet meeting meetings move new pencil postpone push put remove reschedule schedule see \
         seeing shift",
    ),
    (CalendarListAgent, "calendar calendars"),
    (CalendarStressAgent, "calendar overbooked week"),
    (CalendarMorning, "brief briefing calendar"),
    (
        CalendarEvents,
        "appointment appointments calendar calls event events meeting meetings",
    ),
    (CallPrep, "call meeting"),
    (DestinationPrep, "leave need takes | go"),
    (
        TicketsVault,
        "boarding cancel delete gate platform remove seat terminal ticket tickets | carriage coach \
         discard drop forget it its row seats that",
    ),
    (
        PackageTracking,
        "arrived bought came cancel chronopost colissimo correos delayed delete deliveries delivery \
         dhl dpd evri fedex gls hermes inpost ordered overdue package packages parcel parcels postnl \
         postnord remove shipment tnt tracking ups usps yodel | arrive arrives come comes delivered \
         drop expected forget here it itll its when whens where wheres",
    ),
    (
        CancellationProtector,
        "cancel cancelation canceled cancellation cancellations cancelled keeping trial trials | \
         deadline keep",
    ),
    (
        MembershipRenewal,
        "auto-renews autorenews cancel canceled cancelled costs days delete expire expires got \
         licence license membership memberships pass passport remove renew renewal renewals \
         renewed renews subs subscribed subscription subscriptions unsubscribe unsubscribed went | \
         annually biannually biweekly cost daily drop due each end ends every everyday forget \
         fortnightly goes half-yearly hourly is monthly nightly once one quarterly quit rid runs \
         semi-annually stop terminate weekly yearly",
    ),
    (
        BirthdayReminder,
        "b-day bday birthday birthdays born old turning turns",
    ),
    (
        BillSplit,
        "add bill bills borrowed check delete divide divided expenses gave lent loaned owe owes paid \
         pay payed pays quits remove repaid returned sent settle settled share shared shares split \
         squared tip transferred venmoed wired | cross drop even payment scratch square strike tab \
         take undo us ways",
    ),
    (
        FocusProtector,
        "disturb dnd focus focusing | back left longer",
    ),
    (DailySummary, "day summaries summary today | stop turn"),
    (
        EveningPrep,
        "evening need prep preparation prepare ready | tomorrow",
    ),
    (
        PostEventCheckin,
        "ask audition check-in check-ins checkins checkup date defence defense dentist doctor \
         doctors exam exams hearing interview marathon operation pitch presentation race recital \
         surgery talk test viva wedding | checkin",
    ),
    (
        ReservationPrep,
        "airbnb arrange book booked booking bookings flat late massage organise organize rebook \
         reservation reservations reserve reserved restaurant room table | *",
    ),
    (
        HabitTracker,
        "climbed completed cycled daily danced did done exercised finished habit habits hiked \
         jogged journaled meditated practiced practised ran rode rowed streak streaks stretched \
         studied swam track tracking trained untrack walked wrote | *",
    ),
    (
        BudgetTracker,
        "bought budget budgets buy expense expenses ferry insurance money much overspend \
         overspending overspent purchase spend spending spent total yesterday | *",
    ),
    (MoodTracker, "am feel feeling felt im mood moods | *"),
    (
        TripPlanner,
        "add day days delete holiday itinerary list long move pack packed packing postpone push \
         remove reschedule shift sleeps trip trips vacation weekend weeks | also am are change do \
         drop take where",
    ),
    (
        TodoList,
        "buy exchange lists look replace swap task tasks these this those to-do to-dos \
         todo todo-list todos | *",
    ),
];
/// Words of requests about what superpowers send by themselves.
const OF_NOTICES: &str = "message messages mute resume send sending text unmute waking";

/// Superpowers, as bits by their numbers.
#[derive(Clone, Copy)]
pub(super) struct PowerSet(u32);

impl PowerSet {
    pub(super) const fn contains(self, power: Power) -> bool {
        self.0 & bit(power) != 0
    }
}

/// Of each word the superpowers that it may mean, and whether somebody may ask by it.
static BY_WORD: LazyLock<WordMap<(u32, bool)>> = LazyLock::new(|| {
    let of_powers = WORDS.iter().flat_map(|(power, words)| {
        let (asking, others) = words.split_once(" | ").unwrap_or((words, ""));
        let meant = |may_ask| move |word| (word, (bit(*power), may_ask));
        let others = others.split_whitespace().map(meant(false));
        asking.split_whitespace().map(meant(true)).chain(others)
    });
    let purchases = USUAL.iter().map(|word| (*word, (bit(BudgetTracker), true)));
    let of_notices = OF_NOTICES.split(' ').map(|word| (word, (0, true)));
    let all = of_powers.chain(purchases).chain(of_notices);
    WordMap::merged(all, |a, b| (a.0 | b.0, a.1 | b.1))
});

/// Superpowers that understand other words too.
const NEEDING_NONE: u32 = {
    let (mut bits, mut at) = (0, 0);
    while at < WORDS.len() {
        if let [.., b'*'] = WORDS[at].1.as_bytes() {
            bits |= bit(WORDS[at].0);
        }
        at += 1;
    }
    bits
};

/// Whether somebody may ask for a superpower with these words.
pub(super) fn may_ask(words: &Words) -> bool {
    let by_word = &*BY_WORD;
    let mut found = words.iter_hashed().filter_map(|word| by_word.get(word));
    found.any(|(_, may_ask)| may_ask)
}

/// The superpowers that one of the message's words may mean, and those that understand others.
pub(super) fn may_be_meant(words: &Words) -> PowerSet {
    let by_word = &*BY_WORD;
    let meant = words.iter_hashed().filter_map(|word| by_word.get(word));
    PowerSet(meant.fold(NEEDING_NONE, |all, (powers, _)| all | powers))
}

const fn bit(power: Power) -> u32 {
    1 << power as u32
}
