//! What patterns of a crisis have in common: what they tell of, and what takes them back.

/// The kinds of crises, by the answer that they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrisisKind {
    /// The person may want to die or to hurt themselves.
    Despair,
    /// Somebody near them may want to die or to hurt themselves.
    OtherInDespair,
    /// Somebody hurts or threatens them.
    Danger,
    /// Somebody needs an ambulance, or the fire brigade.
    Emergency,
    /// An emergency of somebody who may want to die, as after too many pills.
    Overdose,
    /// The person may hurt somebody, or is afraid to.
    HarmToOthers,
    /// A panic attack.
    Panic,
}

#[derive(Clone, Copy)]
pub(super) struct PatternSet {
    pub(super) kind: CrisisKind,
    /// A tag of BCP 47.
    pub(super) language: &'static str,
    /// The contexts in which nobody means it.
    pub(super) yields_to: u8,
    /// In the notation of `grammar`.
    pub(super) patterns: &'static [&'static str],
}

/// Contexts of a sentence besides a crisis.
pub(super) mod context {
    /// Anywhere in the message.
    pub(in super::super) const LAUGHTER: u8 = 1;
    /// A film, a book, a game.
    pub(in super::super) const FICTION: u8 = 2;
    /// A request to the assistant, or an appointment.
    pub(in super::super) const REQUEST: u8 = 4;
    /// The event is over.
    pub(in super::super) const PAST: u8 = 8;
    /// Homework, the gym.
    pub(in super::super) const TRIFLE: u8 = 16;
    /// A child is meant, who took something by mistake.
    pub(in super::super) const CHILD: u8 = 32;
    /// Something was spilled or broken.
    pub(in super::super) const SPILL: u8 = 64;
    /// A traffic jam, a delay.
    pub(in super::super) const TRAFFIC: u8 = 128;
}
