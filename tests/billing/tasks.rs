//! What the provider is to be told, also when it is away for a while.

use super::*;
use chatkeep::store::UserId;
use support::eventually;

async fn id(world: &World, user: &str) -> UserId {
    let user = user.to_owned();
    let id = world.service.app.store.write(move |tx| tx.user_id(&user));
    id.await.unwrap().unwrap()
}

/// A subscriber whom both sides know.
async fn subscriber(world: &World, fields: Value) -> (String, UserId) {
    let user = world.customer("cus_1").await;
    let of = world.stripe.subscribe("sub_1", "cus_1", fields);
    world
        .events(&[event("evt_1", "customer.subscription.created", 10, of)])
        .await;
    world.stripe.requests();
    let id = id(world, &user).await;
    (user, id)
}

async fn cancel(world: &World, user: UserId) {
    let now = world.clock.now();
    let request = world
        .service
        .app
        .store
        .write(move |tx| tx.cancel_at_period_end(user, now));
    request.await.unwrap();
}

async fn reactivate(world: &World, user: UserId) {
    let now = world.clock.now();
    let request = world
        .service
        .app
        .store
        .write(move |tx| tx.reactivate_subscription(user, now));
    request.await.unwrap();
}

fn ends(world: &World) -> bool {
    world.stripe.state().subscriptions["sub_1"]["cancel_at_period_end"] == true
}

fn pending(world: &World) -> i64 {
    let count = world.service.rows("SELECT count(*) FROM provider_tasks");
    count[0][0].as_i64().unwrap()
}

async fn wait_for_provider_tasks(world: &World) {
    eventually("nothing left to tell", async || pending(world) == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_and_its_taking_back_reach_the_provider() {
    let world = World::start().await;
    let (user, id) = subscriber(&world, json!({})).await;
    cancel(&world, id).await;
    wait_for_provider_tasks(&world).await;
    assert!(ends(&world));
    assert_eq!(world.status(&user).await["cancel_at_period_end"], true);
    reactivate(&world, id).await;
    wait_for_provider_tasks(&world).await;
    assert!(!ends(&world));
    assert_eq!(world.status(&user).await["cancel_at_period_end"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_ended_themselves_stays_ended() {
    let world = World::start().await;
    // At the provider only: the event about it is still on its way.
    let (_, id) = subscriber(&world, json!({})).await;
    world.stripe.state().subscriptions.get_mut("sub_1").unwrap()["cancel_at_period_end"] =
        json!(true);
    cancel(&world, id).await;
    wait_for_provider_tasks(&world).await;
    reactivate(&world, id).await;
    wait_for_provider_tasks(&world).await;
    assert!(ends(&world));
    let posts = world.stripe.requests_for("POST", "/v1/subscriptions/sub_1");
    assert_eq!(posts.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_delays_and_loses_nothing() {
    let world = World::start().await;
    let (_, id) = subscriber(&world, json!({})).await;
    world.stripe.mode("500-final");
    cancel(&world, id).await;
    let attempts = |world: &World| {
        let rows = world
            .service
            .rows("SELECT attempts, due_at FROM provider_tasks");
        (rows[0][0].as_i64().unwrap(), rows[0][1].as_i64().unwrap())
    };
    eventually("an attempt", async || attempts(&world).0 == 1).await;
    assert_eq!(attempts(&world).1, world.clock.now().0 + 60_000);
    // Over a restart.
    let World {
        service,
        stripe,
        clock,
    } = world;
    let (_, folder) = service.stop().await;
    let world = World::again(stripe, folder, clock, &[]).await;
    world.clock.advance(60_000);
    eventually("a second attempt", async || attempts(&world).0 == 2).await;
    assert_eq!(attempts(&world).1, world.clock.now().0 + 120_000);
    world.stripe.mode("");
    world.clock.advance(120_000);
    wait_for_provider_tasks(&world).await;
    assert!(ends(&world));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_wish_counts() {
    let world = World::start().await;
    let (_, id) = subscriber(&world, json!({})).await;
    world.stripe.mode("500-final");
    cancel(&world, id).await;
    eventually("an attempt", async || !world.stripe.requests().is_empty()).await;
    reactivate(&world, id).await;
    assert_eq!(pending(&world), 1);
    world.stripe.mode("");
    world.clock.advance(3_600_000);
    wait_for_provider_tasks(&world).await;
    assert!(!ends(&world));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_is_deleted_when_the_provider_comes_back() {
    let world = World::start().await;
    let (_, id) = subscriber(&world, json!({})).await;
    world.stripe.mode("refuse");
    let now = world.clock.now();
    let store = &world.service.app.store;
    let deletion = store.write(move |tx| tx.delete_customer_of(id, now));
    deletion.await.unwrap();
    let rows = world
        .service
        .rows("SELECT kind, subject, user_id FROM provider_tasks");
    assert_eq!(
        rows,
        [[json!("delete_customer"), json!("cus_1"), json!(null)]]
    );
    world.stripe.mode("");
    world.clock.advance(3_600_000);
    wait_for_provider_tasks(&world).await;
    assert!(world.stripe.state().customers.is_empty());
    // Twice is once: a customer that is gone counts as deleted.
    let deleted_again = world
        .service
        .app
        .store
        .write(move |tx| tx.delete_customer("cus_1", now));
    deleted_again.await.unwrap();
    wait_for_provider_tasks(&world).await;
}

/// Somebody asks for deletion while a checkout is open, and then pays.
#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_of_an_account_that_is_going_ends_with_its_period() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let conn = rusqlite::Connection::open(world.service.folder.path().join("chatkeep.db")).unwrap();
    conn.execute(
        "UPDATE users SET deletion_requested_at = 1, deletion_scheduled_for = 2 WHERE user_id = ?1",
        [&user],
    )
    .unwrap();
    let of = world.stripe.subscribe("sub_1", "cus_1", json!({}));
    world
        .events(&[event("evt_1", "customer.subscription.created", 10, of)])
        .await;
    wait_for_provider_tasks(&world).await;
    assert!(ends(&world));
}
