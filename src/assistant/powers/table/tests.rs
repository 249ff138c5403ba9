//! Arguments of models, good and bad.

use chrono::NaiveDate;
use serde_json::json;

use super::super::budget_tracker::SpentAmount;
use super::super::money::Money;
use super::super::planned_time::PlannedTime;
use super::{ToolResult as Result, *};
use crate::clock::{Timestamp, Zone};

/// Wednesday, 4 March 2026, 12:00 UTC.
const NOW: Timestamp = Timestamp(1_772_625_600_000);

fn operation(power: Power, arguments: &Value) -> Result<PowerAction> {
    let context = CallContext {
        now: NOW,
        zone: Zone::UTC,
        has_photos: false,
    };
    power.operation(&arguments.to_string(), context)
}

fn thing(text: &str, day: Option<NaiveDate>) -> todo_list::TodoDraft {
    todo_list::TodoDraft {
        text: text.into(),
        due: day.map(|day| PlannedTime { day, minute: None }),
    }
}

#[test]
fn arguments_mean_actions() {
    let euros = |amount| Money::of(amount, Some("EUR")).unwrap();
    let cases = vec![
        (
            Power::TodoList,
            json!({"operation": "add", "items": ["milk", " eggs\n"]}),
            PowerAction::TodoList(todo_list::TodoAction::Add(
                todo_list::ListName::Unnamed,
                vec![thing("milk", None), thing("eggs", None)],
            )),
        ),
        (
            Power::TodoList,
            json!({"operation": "add", "items": ["nails"], "list": " Hardware ",
                "date": "2026-03-06"}),
            PowerAction::TodoList(todo_list::TodoAction::Add(
                todo_list::ListName::Named("Hardware".into()),
                vec![thing("nails", NaiveDate::from_ymd_opt(2026, 3, 6))],
            )),
        ),
        (
            Power::BillSplit,
            json!({"operation": "paid", "payer": "me", "amount": 30.1, "currency": "EUR",
                "purpose": "taxi", "people": ["Ana", "me"]}),
            PowerAction::BillSplit(bill_split::BillSplitAction::Paid(bill_split::PaidAction {
                payer: "me".into(),
                money: euros(30.1),
                purpose: "taxi".into(),
                among: vec!["Ana".into(), "me".into()],
                ..bill_split::PaidAction::default()
            })),
        ),
        (
            Power::BudgetTracker,
            json!({"operation": "spent", "currency": "EUR", "date": "2026-03-03",
                "expenses": [{"amount": 5, "purpose": "bus"}, {"amount": 12.5, "purpose": "lunch"}]}),
            PowerAction::BudgetTracker(budget_tracker::BudgetAction::Spent(vec![
                SpentAmount {
                    money: euros(5.0),
                    purpose: "bus".into(),
                    days_ago: 1,
                },
                SpentAmount {
                    money: euros(12.5),
                    purpose: "lunch".into(),
                    days_ago: 1,
                },
            ])),
        ),
        (
            Power::TripPlanner,
            json!({"operation": "plan", "place": "Tokyo", "from": "2026-03-10", "to": "2026-03-20"}),
            PowerAction::TripPlanner(trip_planner::TripAction::Plan {
                place: "Tokyo".into(),
                from: NaiveDate::from_ymd_opt(2026, 3, 10),
                to: NaiveDate::from_ymd_opt(2026, 3, 20),
                with: String::new(),
            }),
        ),
    ];
    check(cases);
}

#[test]
fn arguments_of_trackers_mean_actions() {
    let cases = vec![
        (
            Power::HabitTracker,
            json!({"operation": "did", "habit": "run"}),
            PowerAction::HabitTracker(habit_tracker::HabitAction::Did {
                what: "run".into(),
                days_ago: 0,
                is_report: true,
            }),
        ),
        (
            Power::FocusProtector,
            json!({"operation": "start", "minutes": 45}),
            PowerAction::FocusProtector(focus_protector::FocusAction::Start {
                until: NOW.plus_s(45 * 60),
            }),
        ),
        (
            Power::DailySummary,
            json!({"operation": "every_day", "time": "08:00"}),
            PowerAction::DailySummary(daily_summary::DailySummaryAction::Daily {
                hour: 8,
                minute: 0,
            }),
        ),
    ];
    check(cases);
    let outcome = operation(Power::TodoList, &json!({"operation": "show"}));
    assert!(!outcome.unwrap().changes());
}

#[test]
fn arguments_of_what_is_planned_mean_actions() {
    let on = |day, minute| PlannedTime {
        day: NaiveDate::from_ymd_opt(2026, 3, day).unwrap(),
        minute,
    };
    let cases = vec![
        (
            Power::TicketsVault,
            json!({"operation": "set_day", "date": "2026-03-06", "time": "20:00"}),
            PowerAction::TicketsVault(tickets_vault::TicketAction::SetTime {
                time: on(6, Some(1200)),
                in_the_evening: on(6, Some(1200)),
                details: String::new(),
            }),
        ),
        (
            Power::PackageTracking,
            json!({"operation": "arrived"}),
            PowerAction::PackageTracking(package_tracking::ParcelAction::Remove {
                about: None,
                arrived: true,
            }),
        ),
        (
            Power::ReservationPrep,
            json!({"operation": "keep", "what": "Luigi", "date": "2026-03-04", "time": "19:30"}),
            PowerAction::ReservationPrep(reservation_prep::ReservationAction::Keep {
                what: "Luigi".into(),
                details: String::new(),
                time: on(4, Some(1170)),
                part: None,
                last: None,
                mention: crate::assistant::powers::entries::EntryMention::New,
            }),
        ),
        (
            Power::DestinationPrep,
            json!({"operation": "set_way", "minutes": 40, "place": " Main Street "}),
            PowerAction::DestinationPrep(destination_prep::DestinationAction::TakesMinutes {
                place: Some("Main Street".into()),
                minutes: 40,
            }),
        ),
        (
            Power::CalendarEvents,
            json!({"operation": "set_minutes_before", "minutes": 60}),
            PowerAction::CalendarEvents(calendar_events::EventReminderAction::Before(60)),
        ),
        (
            Power::CalendarMorning,
            json!({"operation": "every_morning", "time": "06:45"}),
            PowerAction::CalendarMorning(calendar_morning::MorningAction::At(405)),
        ),
    ];
    check(cases);
    let free =
        json!({"operation": "is_free", "date": "2026-03-05", "from": "22:00", "to": "24:00"});
    let free = operation(Power::CalendarQueryAgent, &free).unwrap();
    assert_eq!(
        free,
        PowerAction::CalendarQueryAgent(calendar_query_agent::CalendarQuery::IsFree {
            day: on(5, None).day,
            from: 1320,
            to: 1440,
        })
    );
    assert!(!free.changes());
}

fn check(cases: Vec<(Power, Value, PowerAction)>) {
    for (power, arguments, action) in cases {
        assert!(action.changes(), "{arguments}");
        assert_eq!(operation(power, &arguments), Ok(action), "{arguments}");
    }
}

#[test]
fn what_can_not_be_meant_is_named() {
    let spent = |amount: f64| json!({"operation": "spent", "expenses": [{"amount": amount, "purpose": "x"}]});
    let did = |date: &str| json!({"operation": "did", "habit": "run", "date": date});
    let keep = json!({"operation": "keep", "name": "Bo", "month": 2, "day": 30});
    for (power, arguments, named) in [
        (Power::TodoList, json!({"operation": "add"}), "\"items\""),
        (
            Power::TodoList,
            json!({"operation": "add", "items": [" "]}),
            "\"items\"",
        ),
        (
            Power::TodoList,
            json!({"operation": "ad"}),
            "unknown variant",
        ),
        (
            Power::TodoList,
            json!({"operation": "show", "when": "now"}),
            "unknown field",
        ),
        (Power::TodoList, json!({}), "missing field"),
        (Power::TodoList, json!("add milk"), "arguments"),
        (
            Power::TodoList,
            json!({"operation": "reopen", "items": ["a", "b"]}),
            "one at a time",
        ),
        (
            Power::BillSplit,
            json!({"operation": "paid", "amount": 3}),
            "\"payer\"",
        ),
        (
            Power::BillSplit,
            json!({"operation": "split_evenly", "amount": 3, "ways": 0}),
            "\"ways\"",
        ),
        (Power::BudgetTracker, spent(0.0), "\"amount\""),
        (Power::BudgetTracker, spent(-4.0), "\"amount\""),
        (Power::BudgetTracker, spent(1e12), "\"amount\""),
        (Power::HabitTracker, did("2026-03-05"), "\"date\""),
        (Power::HabitTracker, did("yesterday"), "\"date\""),
        (Power::BirthdayReminder, keep, "no such day"),
        (
            Power::MoodTracker,
            json!({"operation": "log", "score": 11}),
            "\"score\"",
        ),
        (
            Power::FocusProtector,
            json!({"operation": "start", "minutes": 100_000}),
            "\"minutes\"",
        ),
        (
            Power::DailySummary,
            json!({"operation": "every_day", "time": "8am"}),
            "\"time\"",
        ),
    ] {
        refused(power, &arguments, named);
    }
}

#[test]
fn what_is_over_or_incomplete_is_named() {
    for (power, arguments, named) in [
        // It is 12:00.
        (
            Power::PostEventCheckin,
            json!({"operation": "keep", "what": "exam", "date": "2026-03-04", "time": "11:00"}),
            "is over",
        ),
        (
            Power::PackageTracking,
            json!({"operation": "keep", "parcel": "shoes", "time": "11:00"}),
            "\"date\"",
        ),
        (
            Power::CalendarQueryAgent,
            json!({"operation": "meetings", "date": "2026-06-04"}),
            "days ahead",
        ),
        (
            Power::CalendarQueryAgent,
            json!({"operation": "is_free", "date": "2026-03-05", "from": "15:00", "to": "14:00"}),
            "before",
        ),
        (
            Power::GmailMindreaderAgent,
            json!({"operation": "about", "words": ""}),
            "\"words\"",
        ),
    ] {
        refused(power, &arguments, named);
    }
}

fn refused(power: Power, arguments: &Value, named: &str) {
    let error = operation(power, arguments).unwrap_err();
    assert!(error.contains(named), "{arguments}: {error}");
}
