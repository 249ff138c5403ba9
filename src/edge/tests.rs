//! The model test of the outbox. Seeded random schedules of queueing, sending, all kinds of acks,
//! lost sockets, polls, take-overs, restarts and clock changes run against the real hub and the
//! real database. Invariants are checked after every step (in `world`). `CHATKEEP_MODEL_SEEDS` sets
//! the number of seeds, `CHATKEEP_MODEL_SEED` runs one.

mod checks;
mod relay;
mod seeded_random;
pub(super) mod world;

use world::World;

const SEEDS: u64 = 150;
const STEPS: u32 = 80;
/// Rounds in which relays keep coming back until every command has ended.
const ROUNDS_MAX: u32 = 2_000;

#[tokio::test]
async fn every_schedule_keeps_its_promises() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seeds = match number("CHATKEEP_MODEL_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("CHATKEEP_MODEL_SEEDS").unwrap_or(SEEDS),
    };
    let folder = tempfile::tempdir().unwrap();
    let store = world::open(folder.path());
    for seed in seeds {
        let running = SeedReport(seed);
        let mut world = World::new(store.clone(), seed).await;
        run(&mut world).await;
        std::mem::forget(running);
    }
}

/// Names the seed when a check fails.
struct SeedReport(u64);

impl Drop for SeedReport {
    fn drop(&mut self) {
        eprintln!("failed with CHATKEEP_MODEL_SEED={}", self.0);
    }
}

async fn run(world: &mut World) {
    for _ in 0..STEPS {
        step(world).await;
        world.check().await;
    }
    for round in 0.. {
        if world.all_ended() {
            break;
        }
        assert!(round < ROUNDS_MAX, "commands that never end: {world:?}");
        come_back(world).await;
        world.check().await;
    }
    world.check_rows().await;
}

async fn step(world: &mut World) {
    let agent = world.random.below(world.relays.len());
    match world.random.below(24) {
        0..=4 => world.produce().await,
        5 => world.connect(agent).await,
        6 => world.connect_and_start(agent).await,
        7 => world.start(agent).await,
        8..=10 => world.release_commands(agent).await,
        11 => world.release_beside_an_ack(agent).await,
        12 => world.release_and_vanish(agent).await,
        13..=15 => world.work(agent).await,
        16 => world.stray_ack(agent).await,
        17 => world.hang_up(agent),
        18..=19 => world.poll(agent).await,
        20 => world.take_over().await,
        21 => world.expire().await,
        22 => match world.random.below(4) {
            0 => world.restart(),
            _ => world.pass_time(),
        },
        _ => world.pass_time(),
    }
}

/// One more try of each relay; some of them never finish anything.
async fn come_back(world: &mut World) {
    for agent in 0..world.relays.len() {
        if world.random.one_in(2) {
            world.connect_and_start(agent).await;
            world.release_commands(agent).await;
            world.work(agent).await;
        } else {
            world.hang_up(agent);
            world.poll(agent).await;
            world.poll(agent).await;
        }
    }
    world.check().await;
    world.pass_time();
}
