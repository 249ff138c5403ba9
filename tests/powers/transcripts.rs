//! Every superpower, turn by turn, alone with the assistant and in a group.

use super::support::Service;
use super::{alone, at, in_group, naming, noon, say, send, service_at, subscriber, talk, text_of};
use chatkeep::clock::Clock;

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_ones_own_over_a_restart() {
    let clock = noon();
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "add milk and eggs to my list → Added milk and eggs
         put 牛乳 on the list → Added 牛乳. 3 things
         what's on my list? → 1. milk | 2. eggs | 3. 牛乳
         done with milk → ✓ milk
         remove eggs → Removed eggs",
    )
    .await;
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock).await;
    service.set_flag("rate_limit.enabled", false).await;
    // What was being used still is, and its last change can be taken back.
    talk(
        &service,
        alone("ana"),
        "undo → taken back | eggs
         what's on my list? → 2 things to do | 1. milk ✓ | 2. eggs
         clear my list → 3 things gone
         undo → eggs
         done → that's it for your to-do list
         undo → !taken back
         my list → eggs",
    )
    .await;
    // Another's is another.
    subscriber(&service, "ben").await;
    talk(&service, alone("ben"), "my list → The list is empty").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_groups_list_and_bill_are_everybodys() {
    let service = service_at(&noon()).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        in_group("ana"),
        "hi all → -
         add milk and eggs to our list → Added milk and eggs
         add bread → -
         undo → taken back
         add milk to our list → Added milk
         split 90 between Bo and me → what to call you
         my name is Ana → -
         juno, my name is Ana → Ana
         split $90 between Bo, Cleo and me → Ana paid $90 | $30 each
         who owes what? → Bo owes Ana $30",
    )
    .await;
    talk(
        &service,
        in_group("ben"),
        "what's on our list? → 1. milk
         Bo paid 30 for pizza → -
         juno, Bo paid 30 for pizza → Bo paid $30 for pizza
         I feel great today → -
         spent 5 on lunch → -
         done with dinner → -
         show the bill → On the bill | Cleo owes Ana $40
         clear our list → 1 thing gone
         undo → 1. milk",
    )
    .await;
    // The list of the group is not that of a person, and the other way round.
    talk(
        &service,
        alone("ana"),
        "my list → The list is empty
         add tea to my list → Added tea",
    )
    .await;
    talk(&service, in_group("ana"), "show our list → !tea | milk").await;
    let owners = service
        .rows("SELECT power, user_id IS NULL, room_id IS NULL FROM power_states ORDER BY id");
    assert_eq!(owners.len(), 3, "{owners:?}");
}

/// What is one person's own is neither shown nor changed in a group.
#[tokio::test(flavor = "multi_thread")]
async fn a_group_sees_nothing_of_ones_own() {
    let service = service_at(&noon()).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "spent 5 on lunch → lunch
         mood 7/10 → 7
         Bo's birthday is on 5 March → Noted",
    )
    .await;
    let query = "SELECT power, state FROM power_states ORDER BY id";
    let before = service.rows(query);
    talk(
        &service,
        in_group("ana"),
        "hi all → -
         juno, how much have I spent this month? → direct chat | !5
         juno, how was my mood this week? → direct chat | !7
         juno, birthdays → direct chat | !Bo
         juno, daily summary → direct chat | !Bo
         juno, send me my summary every day at 8am → direct chat
         juno, spent 9 on dinner → direct chat
         juno, focus for 45 minutes → direct chat
         juno, track habit: run 3 times a week → direct chat
         juno, help → To-do list: | !MailResponse: | !Budget:",
    )
    .await;
    let named = naming(in_group("ana")("hello"), "mood_tracker");
    let text = text_of(&send(&service, &named).await);
    assert!(text.contains("direct chat"), "{text}");
    assert_eq!(service.rows(query), before);
    assert_eq!(
        service.rows("SELECT power FROM power_alarms"),
        [["birthday_reminder"]]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn bills_habits_budgets_and_moods_of_ones_own() {
    let clock = noon();
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "split 90 dollars between Ana, Bo and me → 30 dollars each
         Ana paid 30 for pizza → Ana paid 30 dollars
         who owes what? → Bo owes you 40 dollars
         Bo paid me 40 → Bo paid you 40 dollars.
         who owes what? → Ana owes you 10 dollars
         undo → Bo owes you 40 dollars
         split 100 three ways → 33.34
         clear the bill → 2 payments
         track habit: run 3 times a week → I track run
         I ran today → 1 so far this week
         my habits → run: 3 times a week
         new habit: read daily → I track read
         I read yesterday → 1 day in a row
         did read → 2 days in a row
         undo → 1 day in a row
         stop tracking read → no longer track read
         my habits → run | !read
         spent 12,50 on lunch → 12.50 on lunch
         budget 400 for food → 400 left
         I spent $20 on food → $380 left
         how much have I spent this month? → $32.50
         how much have I spent on food today? → $20 on food today
         spent 5 euros on tea → So far everything is in $
         undo → !food: $20
         my budget → lunch
         mood 7/10 → Noted: 7/10
         I feel great today → 9/10
         I'm feeling tired → 4/10
         how was my mood this week? → 6.7 on average
         undo → 8.0 on average
         mood 12 → from 1 (awful) to 10
         my mood → noted 2 times
         mood 5: rain → 5/10, rain",
    )
    .await;
    clock.advance(8 * 86_400_000);
    talk(
        &service,
        alone("ana"),
        "my mood → no mood of yours in the last 7 days
         my habits → 0 so far this week",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn trips_alone_and_together() {
    let clock = Clock::fixed(at("2027-03-03T12:00:00Z"));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    let transcript =
        "plan a trip to Lisbon from 3 to 7 June → Thursday, 3 June to Monday, 7 June (5 days)
         add day 2: museum → Day 2 (Friday, 4 June)
         add day 9: beach → no day 9
         add the aquarium to day 1 → Day 1
         add a hat and socks to my packing list → a hat and socks
         my packing list → 2. socks
         show my trip → museum | aquarium | 2 things left to pack
         undo → taken back | !left to pack
         plan a trip to Oslo → no dates yet
         my trips → 2 trips
         cancel my trip to Oslo → no trip to Oslo
         my trips → 1 trip:";
    talk(&service, alone("ana"), transcript).await;
    say(&service, "ana", "done").await;
    talk(&service, in_group("ana"), transcript).await;
    talk(&service, in_group("ben"), "show our trip → Lisbon | museum").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_persons_time_zone_says_which_day_it_is() {
    let clock = Clock::fixed(at("2027-03-03T23:30:00Z"));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "daily summary → Wednesday, 3 March
         focus for 1 hour → Focus until 00:30 UTC | time zone
         stop focus → over
         my time zone is Europe/Berlin → Berlin
         daily summary → Thursday, 4 March
         focus for 1 hour → Focus until 01:30. | !time zone
         my birthday is tomorrow → 5 March",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_worked_before_still_does() {
    let service = service_at(&noon()).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "add milk to my list → Added milk
         remind me in 2 hours to add tea to my list → I'll remind you in 2 hours
         when is my brother's birthday? → don't remember anything
         remember that Ana's birthday is on 3 May → Ana's birthday is on 3 May
         what do you remember about Ana's birthday? → 3 May
         my sister's birthday is on 5 June → your sister's birthday
         when is my sister's birthday? → 5 June
         reminders → 1 reminder
         status → subscribed | no memories | 1 reminder
         forget Ana's birthday → Shall I forget
         yes → forgotten
         what's my budget? → don't remember anything
         cancel all reminders → cancelled
         I feel like dancing → help
         help → Reminders: | To-do list: | Bills: | Habits: | Summary:",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_half_understood_does_nothing() {
    let service = service_at(&noon()).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "track habit: run daily → I track run
         I ran out of milk → !Well done
         how's my streak? → Your habits: | 0 days in a row | !Well done
         how's my mood → no mood of yours | !Well done
         I ran 5 km today → 1 day in a row
         spent 40 on groceries yesterday → Noted: 40 on groceries,
         spent 5 on bus and 12 on lunch → Noted: 5 on bus | Noted: 12 on lunch
         spent 9 on tea last week → noted nothing
         how much have I spent today? → You've spent 17
         split 100 by 4 people with 20% tip → 30 each
         split 50 between Bo and me with 20% tip → 30 each
         clear the bill → 1 payment
         split 100 by 4 people with 20% of luck → between whom
         split 90 between Ana, Bo and me → 30 each
         Ana paid 45 just for her and Bo → Ana paid 45
         who owes what? → Bo owes
         plan a trip to Tokyo 10-20 march → 10 March | 20 March | Trip to Tokyo,
         plan a trip to Rome for a few days → planned nothing
         remember that the wifi password is abc → abc
         what's the wifi password? → abc
         what's the meaning of life? → !abc",
    )
    .await;
}
