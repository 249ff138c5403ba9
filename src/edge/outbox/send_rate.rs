//! The rate limit of sends, repeats included: a number of commands per minute, so that a backlog
//! passes through a relay that refuses commands above a limit of its own.

use std::collections::VecDeque;

use crate::clock::Monotonic;

/// One minute, plus one second because earlier sends may have been under way.
const WINDOW_MS: u64 = 61_000;

#[derive(Debug)]
pub(super) struct SendRate {
    per_minute: u64,
    /// Times and the number of sends at each, oldest first.
    sends: VecDeque<(Monotonic, u64)>,
    /// The sum of these numbers.
    used: u64,
}

impl SendRate {
    pub(super) fn new(per_minute: u64) -> Self {
        Self {
            per_minute,
            sends: VecDeque::new(),
            used: 0,
        }
    }

    /// Counts a send if one more is allowed now.
    pub(super) fn take(&mut self, now: Monotonic) -> bool {
        while let Some((at, count)) = self.sends.front().copied()
            && at.plus_ms(WINDOW_MS) <= now
        {
            self.sends.pop_front();
            self.used -= count;
        }
        if self.used >= self.per_minute {
            return false;
        }
        self.used += 1;
        match self.sends.back_mut() {
            Some((at, count)) if *at == now => *count += 1,
            _ => self.sends.push_back((now, 1)),
        }
        true
    }

    /// How many sends are allowed now.
    pub(super) fn left(&self, now: Monotonic) -> usize {
        let over = self
            .sends
            .iter()
            .take_while(|(at, _)| at.plus_ms(WINDOW_MS) <= now);
        let used = self.used - over.map(|(_, count)| count).sum::<u64>();
        self.per_minute.saturating_sub(used) as usize
    }

    /// When one more send will be allowed, while none is; may lie in the past.
    pub(super) fn free_at(&self) -> Option<Monotonic> {
        let oldest = self.sends.front().filter(|_| self.used >= self.per_minute);
        oldest.map(|(at, _)| at.plus_ms(WINDOW_MS))
    }

    pub(super) fn is_free(&self, now: Monotonic) -> bool {
        self.free_at().is_none_or(|at| at <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_go_out_in_any_minute() {
        let mut rate = SendRate::new(2);
        for (at, goes) in [
            (0, true),
            (10, true),
            (10, false),
            (60_999, false),
            (61_000, true),
            (61_009, false),
            (61_010, true),
            (122_009, true),
            (122_009, false),
        ] {
            assert_eq!(rate.is_free(Monotonic(at)), goes, "{at}");
            assert_eq!(rate.left(Monotonic(at)) > 0, goes, "{at}");
            assert_eq!(rate.take(Monotonic(at)), goes, "{at}");
        }
        assert_eq!(rate.free_at(), Some(Monotonic(122_010)));
        assert_eq!(SendRate::new(1).free_at(), None);
    }
}
