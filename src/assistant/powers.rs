//! The builtin assistant's superpowers: which messages request one, how its state changes, and its
//! answers. Pure: the state is JSON in and JSON out. The caller checks access, stores the state and
//! triggers alarms.

mod after_time;
mod bill_split;
mod birthday_reminder;
mod bookings;
mod budget_tracker;
mod calendar_events;
mod calendar_list_agent;
mod calendar_morning;
mod calendar_query_agent;
mod calendar_stress_agent;
mod call_prep;
mod cancellation_protector;
mod context;
mod daily_summary;
mod data;
mod day_span;
mod destination_prep;
mod effects;
mod email_urgency;
mod entries;
mod entry_ref;
mod evening_prep;
mod events;
mod facts;
mod focus_protector;
mod gmail_mindreader_agent;
mod habit_tracker;
mod lacking;
mod mails;
mod membership_renewal;
mod money;
mod mood_tracker;
mod notice;
mod notice_answer;
mod offers;
pub mod operations;
mod package_tracking;
mod parsers;
mod planned_time;
mod post_event_checkin;
mod preferences;
mod recognise;
mod reservation_prep;
mod statement;
mod stored;
mod superpower;
mod table;
#[cfg(test)]
mod tests;
mod tickets_vault;
mod todo_list;
mod travel_brain;
mod trip_planner;
mod usual_purchases;
mod waking_hours;

pub use super::local_time::minute_of_day;
pub use super::plan::Plan;
use super::wording::texts;
use super::{local_time, plan};
pub use crate::model::power::Power;
pub use bill_split::are_people;
pub use birthday_reminder::{StoredBirthday, birthdays, keep_again, remove_birthday};
pub use bookings::current_bookings;
pub use calendar_query_agent::CalendarQuery;
pub use calendar_query_agent::changes::{EventChangeRequest, EventRef};
pub use context::PowerContext;
pub use day_span::DaySpan;
pub use destination_prep::travel_times;
pub use effects::{CalendarRequest, PowerEffect, RequestChoice};
pub use email_urgency::JUDGED_WITHIN_S;
pub use facts::{
    Booking, BookingDetails, CalendarName, EventFact, Facts, Mail, PlannedTrip, TravelTimes,
};
pub use lacking::{AnswerKind, LackingPart};
pub use money::is_sum;
pub use notice_answer::{NoticeAnswer, notice_answer};
pub use parsers::choice;
pub use post_event_checkin::{CheckinAnswer, checkin_answer, names_next_one, tells_how_it_was};
pub use preferences::{
    NOTICES_DESCRIPTION, NoticeArguments, NoticePreferences, NoticeRequest, PREFERENCES_NAME,
    notice_request,
};
pub(in crate::assistant) use recognise::recognise_message;
pub use recognise::{PowerCall, PowerCalls, SessionCommand, as_meant, recognise};
use superpower::Superpower;
pub use superpower::{PowerOutcome, RequestStrength, StoredState};
pub use table::PowerAction;
pub use todo_list::to_list;
pub use travel_brain::{dropped_stops, is_travel};
pub use trip_planner::planned_trips;
pub use usual_purchases::is_common_purchase;
pub use waking_hours::WakingHours;
