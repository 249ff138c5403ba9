//! Which booking a person means: by its name, its number in the list, and its day where several
//! have that name.

use super::ReservationState;
use super::kinds;
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::entries::Entry;
use crate::assistant::powers::entry_ref::{self, EntryRef};
use crate::assistant::text::words::Words;
use crate::assistant::wording::texts;

/// The bookings that a name matches.
pub(super) enum BookingMatch<'a> {
    One(&'a Entry),
    /// Which of these, soonest first, is open.
    Several(Vec<u32>),
    Nothing,
}

impl ReservationState {
    pub(super) fn find_one(
        &self,
        which: &EntryRef,
        context: &PowerContext<'_>,
    ) -> BookingMatch<'_> {
        let found = self.named(which, context);
        match found.as_slice() {
            [] => BookingMatch::Nothing,
            [only] => BookingMatch::One(only),
            several => BookingMatch::Several(several.iter().map(|entry| entry.id).collect()),
        }
    }

    /// Soonest first.
    pub(super) fn named(&self, which: &EntryRef, context: &PowerContext<'_>) -> Vec<&Entry> {
        let name = which.name.to_lowercase();
        let name = name.strip_prefix("the ").unwrap_or(&name);
        if name.trim_start_matches('#').parse::<u32>().is_ok() {
            let id = self.bookings.find(name, context);
            return id
                .and_then(|id| self.bookings.get(id))
                .into_iter()
                .collect();
        }
        let sorted = self.bookings.sorted(context);
        let all = |is_so: &dyn Fn(&Entry) -> bool| {
            let each = sorted.iter().copied();
            let meant = each.filter(|entry| which.is_then(entry, context) && is_so(entry));
            meant.collect::<Vec<_>>()
        };
        let words = Words::new(name);
        let of_it = kinds::without(&words, kinds::is_any);
        let proper = kinds::without(&words, kinds::is_kind);
        let whole = |entry: &Entry| format!("{} {}", entry.what, entry.details);
        let is_table = words
            .iter()
            .any(|word| matches!(word, "reservation" | "table"));
        let readings = [
            all(&|entry| texts::same(&entry.what, name)),
            all(&|entry| entry_ref::fits(&entry.what, name)),
            // "the reservation" is no flight, where there is another.
            all(&|entry| of_it.is_empty() && is_table && !kinds::names_ride(&entry.what)),
            all(&|_| of_it.is_empty()),
            all(&|entry| entry_ref::fits(&whole(entry), &of_it)),
            // "dinner at Luigi": a table at Luigi.
            all(&|entry| {
                kinds::may_be(&Words::new(&entry.what), &words)
                    && entry_ref::fits(&whole(entry), &proper)
            }),
        ];
        let mut readings = readings.into_iter();
        readings.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// " There's also hotel Astoria: Thursday, 3 December." of another one of its kind, in whose place
    /// it may be.
    pub(super) fn others_of_kind(&self, id: u32, context: &PowerContext) -> String {
        let kind_of = |entry: &Entry| {
            let words = Words::new(&entry.what);
            words
                .iter()
                .find(|word| kinds::is_kind(word))
                .map(str::to_owned)
        };
        let kind = self.bookings.get(id).and_then(kind_of);
        let mut others = self.bookings.sorted(context).into_iter().filter(|entry| {
            let is_to_come = entry
                .last_date(context.today())
                .is_some_and(|day| day >= context.today());
            entry.id != id && kind.is_some() && kind_of(entry) == kind && is_to_come
        });
        match (others.next(), others.next()) {
            (Some(only), None) => format!(" There's also {}.", only.display(context)),
            _ => String::new(),
        }
    }

    /// Whether something of that kind is kept: "my flight to Oslo" where only one to Lisbon is.
    pub(super) fn keeps_kind_of(&self, which: &EntryRef) -> bool {
        let words = Words::new(&which.name);
        let kind = words.iter().find(|word| kinds::is_kind(word));
        kind.is_some_and(|kind| {
            let mut kept = self.bookings.list.iter();
            kept.any(|entry| Words::new(&entry.what).iter().any(|word| word == kind))
        })
    }

    /// The seat, or the like, of the soonest journey is not known.
    pub(super) fn no_detail(&self, words: &[&str], context: &PowerContext) -> Option<String> {
        let detail = *words.first()?;
        let may_have = |kind: &str| match detail {
            "gate" | "terminal" => kind == "flight",
            "platform" | "coach" => matches!(kind, "train" | "bus"),
            _ => kinds::is_ride(kind),
        };
        let is_ride = |what: &str| Words::new(what).iter().any(may_have);
        let sorted = self.bookings.sorted(context);
        let ride = sorted.into_iter().find(|entry| is_ride(&entry.what))?;
        Some(format!(
            "I know no {detail} for it: {}.",
            ride.display(context)
        ))
    }
}
