//! What patterns of a crisis have in common: what they tell of, and what takes them back.

use crate::assistant::wording::CrisisKind;

#[derive(Clone, Copy)]
pub(super) struct PatternSet {
    pub(super) kind: CrisisKind,
    /// A tag of BCP 47.
    pub(super) language: &'static str,
    /// The contexts in which nobody means it.
    pub(super) yields_to: u16,
    /// In the notation of `grammar`.
    pub(super) patterns: &'static [&'static str],
}

/// Contexts of a sentence besides a crisis.
pub(super) mod context {
    /// Anywhere in the message.
    pub(in super::super) const LAUGHTER: u16 = 1;
    /// A film, a book, a game.
    pub(in super::super) const FICTION: u16 = 2;
    /// A request to the assistant, or an appointment.
    pub(in super::super) const REQUEST: u16 = 4;
    /// The event is over.
    pub(in super::super) const PAST: u16 = 8;
    /// Homework, the gym.
    pub(in super::super) const TRIFLE: u16 = 16;
    /// A child is meant, who took something by mistake.
    pub(in super::super) const CHILD: u16 = 32;
    /// Something was spilled or broken.
    pub(in super::super) const SPILL: u16 = 64;
    /// A traffic jam, a delay.
    pub(in super::super) const TRAFFIC: u16 = 128;
    /// Somebody else took something.
    pub(in super::super) const OTHER: u16 = 256;
}
