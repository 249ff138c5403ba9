//! Superpowers' own messages: birthdays, the daily summary, the end of a focus session. The job for
//! reminders delivers them, and asks here whether a focus session holds a reminder back. Alarms of
//! superpowers that are no longer offered send nothing; those due under the kill switch wait for
//! its end.

use crate::clock::Zone;

use super::service_cache::ServiceCache;
use super::{facts, notices, state_of, stored_state};
use crate::assistant::powers::{Facts, Power, PowerContext};
use crate::clock::Timestamp;
use crate::edge::queue::{self, OutgoingMessage};
use crate::error::{Error, Result};
use crate::flags::FlagReader;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{Ingest, gate};
use crate::store::{CalendarId, PowerAlarm, PowerOwner, PowerStateWrite, RoomId, Tx, UserId};

/// Delay when the relay has too many unfinished commands, or there is no relay.
const POSTPONE_S: i64 = 60;
/// How late a message may be because of the kill switch.
const BASIC_MODE_MS_MAX: i64 = 7 * 24 * 3_600_000;
/// Delays under the kill switch: half of how late the message is, within these.
const BASIC_MODE_DELAY_MS: std::ops::RangeInclusive<i64> = 60_000..=600_000;
/// How long events are planned ahead before they are read again.
const CHECK_INTERVAL_S: i64 = 24 * 3_600;

impl Ingest {
    /// Sets or removes a superpower's alarm. `here` is the room for its message; `None` keeps the
    /// current one. The end of a focus session releases held-back messages.
    pub(super) fn set_alarm(
        &self,
        tx: &mut Tx,
        power: Power,
        user: UserId,
        here: Option<RoomId>,
        at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<()> {
        let room = match here {
            Some(room) => Some(room),
            None => {
                let alarms = tx.power_alarms(user)?;
                let same = alarms.iter().find(|alarm| alarm.name == power.name());
                same.map(|alarm| alarm.room)
            }
        };
        match (at, room) {
            (Some(_), None) => {}
            (Some(at), Some(room)) => tx.set_power_alarm(&PowerAlarm {
                name: power.name().to_owned(),
                user,
                room,
                at,
            })?,
            (None, _) => {
                tx.delete_power_alarm(user, power.name())?;
                if power == Power::FocusProtector {
                    tx.release_alarms(user, now)?;
                }
            }
        }
        let wake = self.reminders.clone();
        // Without an alarm, held-back messages are due now.
        tx.after_commit(move || wake.by(at.unwrap_or(now)));
        Ok(())
    }

    /// The end of the user's running focus session; nothing is delivered before it.
    pub(in crate::ingest) fn focus_until(
        &self,
        tx: &Tx,
        user: UserId,
        now: Timestamp,
    ) -> Result<Option<Timestamp>> {
        let until = tx.power_alarm_at(user, Power::FocusProtector.name())?;
        let Some(until) = until.filter(|until| *until > now) else {
            return Ok(None);
        };
        let row = tx.user(user)?;
        let flags = self.flags.for_user(&row.public_id);
        Ok(flags.superpower(Power::FocusProtector).then_some(until))
    }

    /// Handles due alarms.
    pub(in crate::ingest) fn handle_due_alarms(&self, tx: &mut Tx, now: Timestamp) -> Result<()> {
        for alarm in tx.due_power_alarms(now)? {
            self.handle_alarm(tx, &alarm, now)?;
        }
        Ok(())
    }

    fn handle_alarm(&self, tx: &mut Tx, alarm: &PowerAlarm, now: Timestamp) -> Result<()> {
        let owner = PowerOwner::User(alarm.user);
        let Some(power) = Power::named(&alarm.name) else {
            return tx.delete_power_alarm(alarm.user, &alarm.name);
        };
        let stored = tx.power_state(owner, &alarm.name)?.map(stored_state);
        if power != Power::FocusProtector
            && let Some(until) = self.focus_until(tx, alarm.user, now)?
        {
            return tx.postpone_power_alarm(alarm.user, &alarm.name, until);
        }
        let user = tx.user(alarm.user)?;
        let flags = self.flags.for_user(&user.public_id);
        if power != Power::FocusProtector
            && flags.superpower_apart_from_basic_mode(power)
            && flags.force_basic_mode()
            && let Some(delay_ms) = basic_mode_delay(now.0.saturating_sub(alarm.at.0))
        {
            return tx.postpone_power_alarm(alarm.user, &alarm.name, now.plus_ms(delay_ms));
        }
        let timezone = user.timezone;
        let mut preferences = notices::preferences(tx, alarm.user)?;
        // A summary comes at the time that the person chose, and the end of a focus at its end.
        if power.can_be_muted()
            && power != Power::DailySummary
            && let Some(morning) = preferences.waking.next_morning(now, timezone)
        {
            return tx.postpone_power_alarm(alarm.user, &alarm.name, morning);
        }
        let mut known = ServiceCache::default();
        let person = (alarm.user, timezone);
        let mut facts = facts::gather(tx, power, person, &flags, &mut known, now)?;
        facts.is_mail_judged = self.replies.model().is_some();
        let context = PowerContext {
            timezone,
            name: user.name.as_deref(),
            waking: preferences.waking,
            muted: preferences.is_muted(power),
            ..PowerContext::alone(now, alarm.user.0, &facts)
        };
        let outcome = power
            .on_alarm(stored.as_ref(), alarm.at, &context)
            .map_err(Error::internal)?;
        // The end of a focus session is announced even if the superpower is no longer offered.
        let may_speak = flags.superpower(power)
            && !(context.muted && power.can_be_muted())
            && gate::has_superpowers_alone(&user, &flags, now);
        if let Some(reply) = outcome.reply.filter(|_| may_speak) {
            let Some(room) = self.queue_message(tx, alarm, &reply, now)? else {
                log::warn!("the alarm of superpower {} can't be queued yet", alarm.name);
                return tx.postpone_power_alarm(alarm.user, &alarm.name, now.plus_s(POSTPONE_S));
            };
            if power.can_be_muted() {
                preferences.note_sent(power, now);
                notices::keep(tx, alarm.user, &preferences, now)?;
            }
            if !outcome.questions.is_empty() {
                self.ask_checkin_question(tx, (room, alarm.user), outcome.questions, now)?;
            } else if let [what] = outcome.announced.as_slice() {
                let entry = (power.name(), what.as_str());
                self.note_notice(tx, (room, alarm.user), entry, now)?;
            }
        }
        if let Some(stored) = outcome.stored {
            let write = PowerStateWrite::without_message(now);
            tx.set_power_state(owner, &state_of(power, stored), write)?;
        }
        let at = next_check(power, &facts, outcome.alarm, now);
        self.set_alarm(tx, power, alarm.user, Some(alarm.room), at, now)
    }

    /// The room; `None`: it can't be queued now.
    fn queue_message(
        &self,
        tx: &mut Tx,
        alarm: &PowerAlarm,
        text: &str,
        now: Timestamp,
    ) -> Result<Option<RoomId>> {
        let Some(chat) = tx.private_chat_for(alarm.room, alarm.user)? else {
            return Ok(None);
        };
        let Some(message) = OutgoingMessage::to_chat(&chat, text, alarm.user) else {
            return Ok(None);
        };
        let queued = queue::send_message(tx, &self.hub, &message, now)?;
        Ok(queued.then_some(chat.room))
    }
}

/// How long a message that is so late waits until the kill switch is looked at again; `None`: too
/// late to wait.
fn basic_mode_delay(late_ms: i64) -> Option<i64> {
    let (least, most) = (*BASIC_MODE_DELAY_MS.start(), *BASIC_MODE_DELAY_MS.end());
    (late_ms <= BASIC_MODE_MS_MAX).then(|| (late_ms / 2).clamp(least, most))
}

/// Plans the alarms of the wanted superpowers anew.
pub(in crate::ingest) fn plan(
    turn: &MessageTurn,
    tx: &mut Tx,
    timezone: Option<Zone>,
    is_wanted: impl Fn(Power) -> bool,
) -> Result<()> {
    let here = turn
        .agent
        .filter(|_| !turn.in_group())
        .map(|_| turn.room.id);
    let plan = AlarmPlan {
        user: turn.user.id,
        timezone,
        here,
        flags: &turn.flags,
        now: turn.now,
    };
    turn.ingest.plan_alarms(tx, &plan, is_wanted)
}

/// Switches a calendar on or off, and plans the alarms of its superpowers anew.
pub(super) fn switch_calendar(
    turn: &MessageTurn,
    tx: &mut Tx,
    (calendar, is_enabled): (i64, bool),
) -> Result<()> {
    tx.enable_calendar(CalendarId(calendar), is_enabled)?;
    // It was not fetched while it was off.
    if let Some(row) = tx
        .view()
        .calendar(CalendarId(calendar))?
        .filter(|_| is_enabled)
    {
        tx.begin_sync(row.service, turn.now)?;
    }
    plan(turn, tx, turn.timezone(), Power::uses_calendar)
}

/// For whom, and where, alarms are planned.
struct AlarmPlan<'a> {
    user: UserId,
    timezone: Option<Zone>,
    /// `None`: only where it was planned before.
    here: Option<RoomId>,
    flags: &'a FlagReader<'a>,
    now: Timestamp,
}

impl Ingest {
    fn plan_alarms(
        &self,
        tx: &mut Tx,
        plan: &AlarmPlan,
        is_wanted: impl Fn(Power) -> bool,
    ) -> Result<()> {
        let (user, now) = (plan.user, plan.now);
        let preferences = notices::preferences(tx, user)?;
        let planned = tx.power_alarms(user)?;
        let mut known = ServiceCache::default();
        for power in Power::ALL.into_iter().filter(|power| power.has_alarms()) {
            if !is_wanted(power) {
                continue;
            }
            let stored = tx.power_state(PowerOwner::User(user), power.name())?;
            let stored = stored.map(stored_state);
            let before = planned.iter().find(|alarm| alarm.name == power.name());
            let goes_by_others = power.needs_plans() || uses_services(power);
            if stored.is_none() && before.is_none() && !goes_by_others {
                continue;
            }
            let person = (user, plan.timezone);
            let mut facts = facts::gather(tx, power, person, plan.flags, &mut known, now)?;
            facts.is_mail_judged = self.replies.model().is_some();
            let context = PowerContext {
                timezone: plan.timezone,
                waking: preferences.waking,
                muted: preferences.is_muted(power),
                ..PowerContext::alone(now, user.0, &facts)
            };
            let at = power
                .alarm(stored.as_ref(), &context)
                .map_err(Error::internal)?;
            let at = next_check(power, &facts, at, now);
            let room = before.map(|alarm| alarm.room).or(plan.here);
            self.set_alarm(tx, power, user, room, at, now)?;
        }
        Ok(())
    }

    /// Plans what goes by the calendars of somebody whose calendars have changed. It is
    /// written where the person last wrote to the assistant alone.
    pub(in crate::ingest) fn plan_calendar_alarms(
        &self,
        tx: &mut Tx,
        user: UserId,
        now: Timestamp,
    ) -> Result<()> {
        let row = tx.user(user)?;
        let flags = self.flags.for_user(&row.public_id);
        let chat = tx.newest_direct_chat(user, true)?;
        let plan = AlarmPlan {
            user,
            timezone: row.timezone,
            here: chat.map(|chat| chat.room),
            flags: &flags,
            now,
        };
        self.plan_alarms(tx, &plan, |power| {
            power.needs_plans() || uses_services(power)
        })
    }
}

fn uses_services(power: Power) -> bool {
    power.uses_calendar() || power.uses_mail() || power.uses_bookings()
}

/// Superpowers that use a calendar are planned anew each day, because only near events are planned.
fn next_check(
    power: Power,
    facts: &Facts,
    at: Option<Timestamp>,
    now: Timestamp,
) -> Option<Timestamp> {
    if !(power.uses_calendar() && facts.has_calendar) {
        return at;
    }
    let check = now.plus_s(CHECK_INTERVAL_S);
    Some(at.map_or(check, |at| at.min(check)))
}
