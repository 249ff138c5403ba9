//! Superpowers' own messages: birthdays, the daily summary, the end of a focus session. The job for
//! reminders delivers them, and asks here whether a focus session holds a reminder back. Alarms of
//! superpowers that are no longer offered send nothing.

use crate::clock::Zone;

use super::{kept_of, state_of};
use crate::clock::Timestamp;
use crate::edge::queue::{self, Message};
use crate::error::{Error, Result};
use crate::flags::Reader;
use crate::ingest::respond::MessageTurn;
use crate::ingest::{Ingest, gate};
use crate::reply::powers::{Power, PowerContext};
use crate::reply::wording;
use crate::store::{PowerAlarm, PowerOwner, RoomId, Tx, UserId};

/// Delay when the relay has too many unfinished commands, or there is no relay.
const POSTPONE_S: i64 = 60;

impl Ingest {
    /// Sets or removes a superpower's alarm. `here` is the room for its message; `None` keeps the
    /// current one. The end of a focus session releases held-back messages.
    pub(super) fn set_alarm(
        &self,
        tx: &mut Tx<'_>,
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
                    tx.release_held(user, now)?;
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
        tx: &Tx<'_>,
        user: UserId,
        now: Timestamp,
    ) -> Result<Option<Timestamp>> {
        let until = tx.power_alarm_at(user, Power::FocusProtector.name())?;
        let Some(until) = until.filter(|until| *until > now) else {
            return Ok(None);
        };
        let row = tx.user(user)?;
        let flags = self.flags.for_user(&row.public_id);
        Ok(offered(Power::FocusProtector, &flags).then_some(until))
    }

    /// Handles due alarms.
    pub(in crate::ingest) fn ring_due(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<()> {
        for alarm in tx.due_power_alarms(now)? {
            self.ring(tx, &alarm, now)?;
        }
        Ok(())
    }

    fn ring(&self, tx: &mut Tx<'_>, alarm: &PowerAlarm, now: Timestamp) -> Result<()> {
        let owner = PowerOwner::User(alarm.user);
        let power = Power::named(&alarm.name);
        let row = tx.power_state(owner, &alarm.name)?;
        let (Some(power), Some(row)) = (power, row) else {
            return tx.delete_power_alarm(alarm.user, &alarm.name);
        };
        if power != Power::FocusProtector
            && let Some(until) = self.focus_until(tx, alarm.user, now)?
        {
            return tx.postpone_power_alarm(alarm.user, &alarm.name, until);
        }
        let user = tx.user(alarm.user)?;
        let flags = self.flags.for_user(&user.public_id);
        let timezone = user.timezone;
        let day = match power {
            Power::DailySummary => day(tx, alarm.user, timezone, &flags, now)?,
            _ => String::new(),
        };
        let scene = PowerContext {
            now,
            timezone,
            group: false,
            by: alarm.user.0,
            name: user.name.as_deref(),
            sure: true,
            reachable: true,
            day: &day,
        };
        let outcome = power
            .on_alarm(&kept_of(row), alarm.at, &scene)
            .map_err(Error::internal)?;
        // The end of a focus session is announced even if the superpower is no longer offered.
        let speaks = offered(power, &flags) && gate::has_superpowers_alone(&user, &flags, now);
        if let Some(said) = outcome.said.filter(|_| speaks)
            && !self.say(tx, alarm, &said, now)?
        {
            log::warn!("an alarm of {} can't be queued yet", alarm.name);
            return tx.postpone_power_alarm(alarm.user, &alarm.name, now.plus_s(POSTPONE_S));
        }
        if let Some(kept) = outcome.kept {
            tx.set_power_state(owner, &state_of(power, kept), now)?;
        }
        self.set_alarm(tx, power, alarm.user, Some(alarm.room), outcome.alarm, now)
    }

    /// False when it can't be queued now.
    fn say(&self, tx: &mut Tx<'_>, alarm: &PowerAlarm, text: &str, now: Timestamp) -> Result<bool> {
        let Some(chat) = tx.private_chat_for(alarm.room, alarm.user)? else {
            return Ok(false);
        };
        let Some(agent) = chat.agent else {
            return Ok(false);
        };
        let message = Message {
            agent,
            room: chat.room,
            chat_guid: &chat.chat_guid,
            text,
            user: Some(alarm.user),
            is_one_bubble: false,
            app_creator: None,
        };
        queue::send_message(tx, &self.hub, &message, now)
    }
}

impl MessageTurn<'_> {
    /// A new time zone moves the times of alarms.
    pub(in crate::ingest) fn move_alarms(&self, tx: &mut Tx<'_>, zone: Zone) -> Result<()> {
        for alarm in tx.power_alarms(self.user.id)? {
            let owner = PowerOwner::User(self.user.id);
            let row = tx.power_state(owner, &alarm.name)?;
            let (Some(power), Some(row)) = (Power::named(&alarm.name), row) else {
                continue;
            };
            let scene = PowerContext {
                now: self.now,
                timezone: Some(zone),
                group: false,
                by: self.user.id.0,
                name: None,
                sure: true,
                reachable: true,
                day: "",
            };
            let outcome = power
                .act(
                    Some(&kept_of(row)),
                    crate::reply::powers::Action::Overview,
                    &scene,
                )
                .map_err(Error::internal)?;
            self.ingest.set_alarm(
                tx,
                power,
                alarm.user,
                Some(alarm.room),
                outcome.alarm,
                self.now,
            )?;
        }
        Ok(())
    }
}

fn offered(power: Power, flags: &Reader<'_>) -> bool {
    flags.superpower(power.name()) && !flags.boolean("llm.force_basic_mode")
}

/// Facts about a user's day: reminders, and entries of offered superpowers.
pub(super) fn day(
    tx: &Tx<'_>,
    user: UserId,
    timezone: Option<Zone>,
    flags: &Reader<'_>,
    now: Timestamp,
) -> Result<String> {
    let mut lines = Vec::new();
    let reminders = tx.reminders(user)?;
    let listed: Vec<(&str, Timestamp)> = reminders
        .iter()
        .map(|reminder| (reminder.text.as_str(), reminder.send_at))
        .collect();
    lines.extend(wording::reminders_of_day(&listed, now, timezone));
    let scene = PowerContext {
        now,
        timezone,
        group: false,
        by: user.0,
        name: None,
        sure: true,
        reachable: true,
        day: "",
    };
    let rows = tx.power_states(PowerOwner::User(user))?;
    for power in Power::ALL.into_iter().rev() {
        if !flags.superpower(power.name()) {
            continue;
        }
        let row = rows.iter().find(|row| row.name == power.name());
        lines.extend(row.and_then(|row| power.brief(&kept_of(row.clone()), &scene)));
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("• {line}")).collect();
    Ok(lines.join("\n"))
}
