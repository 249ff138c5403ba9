//! Limits of a person's messages, photos, commands and uses of superpowers. They are counted in the
//! message's transaction, so that a refused message leaves nothing behind.

use super::after_crisis;
use super::turn::MessageTurn;
use super::{Ingest, PreparedMessage};
use crate::assistant::{Intent, wording};
use crate::clock::Monotonic;
use crate::error::{Error, Quota, Result};
use crate::flags::FlagReader;
use crate::limits::{self, HOUR_MS, MINUTE_MS};
use crate::store::{Tx, UserId};

/// The limit's name in the database.
const PHOTOS_LIMIT: &str = "rate_limit.photos_per_hour";
const PHOTOS: &str = "photos";
const MESSAGES: &str = "messages";

/// Remaining messages, and remaining photos if the message has some.
pub(super) type Quotas = [Option<Quota>; 2];

/// The windows of one minute; longer ones are rows.
pub(super) struct Windows {
    messages: limits::Windows<String>,
    commands: limits::Windows<UserId>,
    pub(super) power_uses: limits::Windows<UserId>,
}

impl Default for Windows {
    fn default() -> Self {
        Self {
            messages: limits::Windows::new(MINUTE_MS),
            commands: limits::Windows::new(MINUTE_MS),
            power_uses: limits::Windows::new(MINUTE_MS),
        }
    }
}

impl Ingest {
    /// Takes back what the message used in a transaction that was undone.
    pub(super) fn give_back(&self, prepared: &PreparedMessage) {
        let uses = &prepared.limit_uses;
        if let Some(user) = uses.user.take() {
            let mut windows = self.windows.lock();
            let (commands, power_uses) = (uses.commands.take(), uses.power_uses.take());
            windows.commands.give_back(&user, commands, prepared.mono);
            windows
                .power_uses
                .give_back(&user, power_uses, prepared.mono);
        }
    }

    pub(super) fn limit(&self, tx: &mut Tx, prepared: &mut PreparedMessage) -> Result<Quotas> {
        let (message, now) = (&prepared.message, prepared.now);
        let flags = self.senders_flags(tx, &message.sender)?;
        // Somebody in a crisis is answered, however much they wrote.
        let is_crisis = prepared.understood.intent.crisis().is_some();
        if !flags.rate_limit_enabled() || is_crisis {
            return Ok(Quotas::default());
        }
        let photos = message.photos as u64;
        let mut of_photos = None;
        if photos > 0 {
            let uses = tx.limit_uses(PHOTOS_LIMIT, &message.sender, HOUR_MS as i64, now)?;
            let uses = uses.iter().map(|(at, n)| (at.0 as u64, *n));
            let limit = flags.rate_limit(flags.photos_per_hour());
            let left = limits::check_window(uses, limit, HOUR_MS, photos, now.0 as u64);
            let left = left.map_err(|left| too_many_photos(left.quota(PHOTOS), photos))?;
            of_photos = Some(left.quota(PHOTOS));
        }
        let of_messages = match prepared.message_quota {
            Some(quota) => quota,
            None => match self.take_message(&message.sender, &flags, prepared.mono) {
                Ok(quota) => quota,
                Err(_) if photos == 0 && after_crisis::is_told(tx, prepared)? => {
                    prepared.is_beyond_limits = true;
                    return Ok(Quotas::default());
                }
                Err(limited) => return Err(limited),
            },
        };
        prepared.message_quota = Some(of_messages);
        if photos > 0 {
            tx.insert_limit_use(PHOTOS_LIMIT, &message.sender, photos, now)?;
        }
        Ok([Some(of_messages), of_photos])
    }

    fn take_message(&self, sender: &str, flags: &FlagReader, mono: Monotonic) -> Result<Quota> {
        let limit = flags.rate_limit(flags.user_messages_per_minute());
        let quota = self
            .windows
            .lock()
            .messages
            .take(sender.to_owned(), limit, mono);
        quota
            .map(|left| left.quota(MESSAGES))
            .map_err(|left| Error::rate_limited(left.quota(MESSAGES)))
    }

    /// Called before the sender becomes a user: an unknown sender has everybody's flags.
    fn senders_flags(&self, tx: &mut Tx<'_>, sender: &str) -> Result<FlagReader<'_>> {
        if self.flags.differ_by_user()
            && let Some(user) = tx.user_by_phone(sender)?
        {
            return Ok(self.flags.for_user(&user.public_id));
        }
        Ok(self.flags.for_all())
    }

    /// Whether the user may give one more command this minute.
    pub(super) fn may_command(&self, user: UserId, flags: &FlagReader, mono: Monotonic) -> bool {
        self.take_commands(user, flags, 1, mono).is_some()
    }

    /// Counts so many more commands of the user this minute, and returns how many were counted;
    /// `None` where they may not be given. More than the limit allows in any minute count as all of
    /// it, so that a message with them is let in at some time.
    fn take_commands(
        &self,
        user: UserId,
        flags: &FlagReader,
        count: u64,
        mono: Monotonic,
    ) -> Option<u64> {
        if !flags.rate_limit_enabled() {
            return Some(0);
        }
        let limit = flags.rate_limit(flags.commands_per_minute());
        let count = count.min(limit.max(1));
        let mut windows = self.windows.lock();
        let taken = windows.commands.take_several(user, limit, count, mono);
        drop(windows);
        if taken.is_err() {
            self.limited.with_label_values(&["commands"]).inc();
        }
        taken.is_ok().then_some(count)
    }
}

/// A message with more photos than an hour allows is never accepted, which its text says: a 429
/// always has a `Retry-After`, here that of the next photos.
fn too_many_photos(quota: Quota, photos: u64) -> Error {
    let limit = quota.limit;
    let error = Error::rate_limited(quota);
    if photos <= limit {
        return error;
    }
    let detail = format!(
        "The message has more photos ({photos}) than an hour allows ({limit}), so it is refused at \
         any time; send fewer photos in a message."
    );
    Error { detail, ..error }
}

pub(super) fn may_command(turn: &MessageTurn) -> bool {
    turn.is_admitted || may_give_commands(turn, 1)
}

fn may_give_commands(turn: &MessageTurn, count: u64) -> bool {
    let (ingest, user) = (turn.ingest, turn.user.id);
    let taken = ingest.take_commands(user, &turn.flags, count, turn.mono);
    if let (Some(taken), Some(uses)) = (taken, turn.limit_uses) {
        uses.user.set(Some(user));
        uses.commands.set(uses.commands.get() + taken);
    }
    taken.is_some()
}

/// Whether the user may give the commands of a message: all of them, or none.
pub(super) fn may_carry_out(turn: &MessageTurn, intent: &Intent) -> bool {
    let count = intent.commands();
    count == 0 || turn.is_admitted || may_give_commands(turn, count)
}

/// Whether the user may use a superpower once more this minute.
pub(super) fn may_use_power(turn: &MessageTurn, explicit: bool) -> bool {
    let (user, flags) = (turn.user.id, &turn.flags);
    if turn.is_admitted || !flags.rate_limit_enabled() {
        return true;
    }
    let limit = flags.rate_limit(flags.miniapp_actions_per_minute());
    let mut windows = turn.ingest.windows.lock();
    let taken = windows.power_uses.take(user, limit, turn.mono);
    drop(windows);
    if taken.is_err() {
        turn.ingest.limited.with_label_values(&["turns"]).inc();
    } else if let Some(uses) = turn.limit_uses {
        uses.user.set(Some(user));
        uses.power_uses.set(uses.power_uses.get() + 1);
    }
    taken.is_ok() && (!explicit || may_command(turn))
}

pub(super) fn too_many(turn: &MessageTurn) -> String {
    wording::too_many_commands(&turn.persona.name)
}
