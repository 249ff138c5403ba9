//! The times that were read in a message's words. Many rules ask for the time at the same word, and
//! it is read once.

use std::cell::{Cell, RefCell};

use super::time_expression::TimeExpression;

/// A time, and the index of the word after it.
pub(super) type TimeAndEnd = (TimeExpression, usize);

/// Words beyond that are read each time.
const POSITIONS_MAX: usize = 64;

#[derive(Default)]
pub(super) struct TimeCache {
    /// A bit for each word at which no time begins.
    none: Cell<u64>,
    found: RefCell<Vec<(usize, TimeAndEnd)>>,
}

impl TimeCache {
    /// The time at word `at`, which `read` finds. It must find the same each time.
    pub(super) fn get_or_read(
        &self,
        at: usize,
        read: impl FnOnce() -> Option<TimeAndEnd>,
    ) -> Option<TimeAndEnd> {
        if at >= POSITIONS_MAX {
            return read();
        }
        if self.none.get() >> at & 1 != 0 {
            return None; // most words
        }
        let known = |found: &[(usize, TimeAndEnd)]| {
            let known = found.iter().find(|(position, _)| *position == at);
            known.map(|(_, time)| *time)
        };
        if let Some(time) = known(&self.found.borrow()) {
            return Some(time);
        }
        let time = read();
        match time {
            Some(time) => self.found.borrow_mut().push((at, time)),
            None => self.note_none(at),
        }
        time
    }

    /// Whether a time may begin at word `at`, which `look` finds without reading it.
    pub(super) fn may_begin(&self, at: usize, look: impl FnOnce() -> bool) -> bool {
        if at < POSITIONS_MAX && self.none.get() >> at & 1 != 0 {
            return false;
        }
        let may_begin = look();
        if !may_begin && at < POSITIONS_MAX {
            self.note_none(at);
        }
        may_begin
    }

    fn note_none(&self, at: usize) {
        self.none.set(self.none.get() | 1 << at);
    }
}
