//! The service under the model test, and what an outside observer knows of it: commands queued,
//! sent and ended. Checks the invariants.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::future::{Future, poll_fn};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll as Polling;

use super::relay::{GivenCommand, RelayModel, ack};
use super::seeded_random::SeededRandom;
use crate::clock::{Clock, Monotonic, Timestamp};
use crate::edge::hub::{Hub, HubSettings};
use crate::edge::queue;
use crate::edge::sync::{self, Poll};
use crate::edge::wire::{Ack, CommandReport};
use crate::store::{
    AgentId, Command, NewRoom, NewUser, RoomId, SharedStore, Store, UnfinishedCommand,
};

const ROOMS: usize = 3;
const EPOCH: &str = "epoch";

pub(super) struct World {
    pub(super) random: SeededRandom,
    pub(super) relays: Vec<RelayModel>,
    pub(super) store: SharedStore,
    pub(super) hub: Arc<Hub>,
    pub(super) clock: Clock,
    pub(super) settings: HubSettings,
    rooms: Vec<Room>,
    /// UnfinishedCommand rows as last read, by agent and seq.
    pub(super) open: BTreeMap<(AgentId, u64), UnfinishedCommand>,
    /// All rows ever seen.
    pub(super) known: BTreeMap<(AgentId, u64), UnfinishedCommand>,
    /// Newest command that was sent for the first time, by agent and room.
    pub(super) first_sends: HashMap<(AgentId, RoomId), u64>,
    pub(super) sent: BTreeSet<(AgentId, u64)>,
    /// When commands went out in this process's life, and to whom.
    pub(super) sends: Vec<(AgentId, Monotonic)>,
    /// Refusals that counted.
    pub(super) refusals: BTreeMap<(AgentId, u64), u32>,
    /// Until when a refused command is not to go out, unless a relay comes back.
    pub(super) backoffs: BTreeMap<(AgentId, u64), Monotonic>,
}

struct Room {
    id: RoomId,
    guid: String,
    agent: usize,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?} open: {:?}", self.settings, self.open)
    }
}

pub(in crate::edge) fn open(folder: &Path) -> SharedStore {
    Arc::new(Store::open_in(folder))
}

impl World {
    pub(super) async fn new(store: SharedStore, seed: u64) -> Self {
        let mut random = SeededRandom::new(seed);
        let clock = Clock::fixed(Timestamp::from_seconds(1_800_000_000));
        let settings = HubSettings {
            max_in_flight: [1, 2, 64][random.below(3)],
            command_ttl_s: [200, 3_600, 1_000_000_000][random.below(3)],
            commands_per_minute: [1, 5, 50][random.below(3)],
            ..settings()
        };
        let hub = Hub::new(store.clone(), clock.clone(), settings, EPOCH.to_owned());
        let mut relays = Vec::new();
        for name in ["a", "b"] {
            let relay = hub.relay(&format!("{name}{seed}")).await.unwrap();
            let idle = random.one_in(4);
            relays.push(RelayModel::new(relay.id, relay, idle));
        }
        let agent = relays[0].id;
        let now = clock.now();
        let rooms = store
            .write(move |tx| {
                let user = tx.insert_user(&NewUser {
                    public_id: &format!("user-{seed}"),
                    phone: &format!("+{seed}"),
                    now,
                })?;
                let rooms = (0..ROOMS).map(|number| {
                    let guid = format!("room-{seed}-{number}");
                    let room = tx.insert_room(&NewRoom {
                        chat_guid: &guid,
                        mode: "direct",
                        owner: user.id,
                        agent: Some(agent),
                        now,
                    })?;
                    let (id, agent) = (room.id, 0);
                    Ok(Room { id, guid, agent })
                });
                rooms.collect()
            })
            .await
            .unwrap();
        Self {
            random,
            relays,
            store,
            hub,
            clock,
            settings,
            rooms,
            open: BTreeMap::new(),
            known: BTreeMap::new(),
            first_sends: HashMap::new(),
            sent: BTreeSet::new(),
            sends: Vec::new(),
            refusals: BTreeMap::new(),
            backoffs: BTreeMap::new(),
        }
    }

    pub(super) async fn produce(&mut self) {
        let room = &self.rooms[self.random.below(ROOMS)];
        let (hub, agent, id) = (self.hub.clone(), self.relays[room.agent].id, room.id);
        let (guid, now) = (room.guid.clone(), self.clock.now());
        let text = match self.random.one_in(6) {
            true => vec!["One more paragraph that is long enough."; 20].join("\n\n"),
            false => "Hi!".to_owned(),
        };
        let written = self.store.write(move |tx| {
            let message = queue::OutgoingMessage {
                agent,
                room: id,
                chat_guid: &guid,
                text: &text,
                user: None,
                is_one_bubble: false,
                app_creator: None,
            };
            queue::send_message(tx, &hub, &message, now)
        });
        assert!(written.await.unwrap());
    }

    pub(super) async fn connect(&mut self, agent: usize) {
        let model = &mut self.relays[agent];
        self.hub.load(&model.relay).await.unwrap();
        let guard = self.hub.enter(&model.relay);
        model.old_guards.extend(model.guard.replace(guard));
        model.inbox.clear();
        if self.random.one_in(2) {
            model.old_guards.clear();
        }
    }

    pub(super) async fn connect_and_start(&mut self, agent: usize) {
        self.connect(agent).await;
        self.start(agent).await;
    }

    /// With a `resume` of some kind, or without.
    pub(super) async fn start(&mut self, agent: usize) {
        let model = &self.relays[agent];
        let Some(guard) = &model.guard else { return };
        let (epoch, seq, fits) = match self.random.below(5) {
            0 => (Some("another"), model.last_seq(), false),
            1 => (Some(EPOCH), 1 << 40, false),
            2 => (None, 0, true),
            _ => (Some(EPOCH), model.last_seq(), true),
        };
        let known = self.hub.resume(&model.relay, epoch.map(str::to_owned), seq);
        assert_eq!(known.await.unwrap(), fits);
        self.hub.start(guard);
        let id = model.id;
        self.backoffs.retain(|(agent, _), _| *agent != id);
    }

    pub(super) async fn release_commands(&mut self, agent: usize) {
        let model = &self.relays[agent];
        let relay = model.relay.clone();
        for guard in &model.old_guards {
            let commands = self
                .hub
                .clone()
                .release_commands(relay.clone(), guard.mailbox.clone());
            assert!(commands.await.unwrap().is_empty(), "a replaced socket");
        }
        let Some(guard) = &model.guard else { return };
        let commands = self
            .hub
            .clone()
            .release_commands(relay, guard.mailbox.clone());
        let commands = commands.await.unwrap();
        self.check().await;
        self.send(agent, commands);
    }

    pub(super) async fn release_beside_an_ack(&mut self, agent: usize) {
        let model = &mut self.relays[agent];
        let Some(guard) = &model.guard else { return };
        let release = self
            .hub
            .clone()
            .release_commands(model.relay.clone(), guard.mailbox.clone());
        let ack_first = self.random.one_in(2);
        let acks = match model.inbox.pop_front() {
            Some(given) => model.obey(&given, &mut self.random),
            None => Vec::new(),
        };
        let relay = model.relay.clone();
        let saying = say(&self.hub, &relay, acks);
        let commands = if ack_first {
            tokio::join!(saying, release).1
        } else {
            tokio::join!(release, saying).0
        };
        self.check().await;
        self.send(agent, commands.unwrap());
    }

    /// Committed, and the socket is gone before anything was sent.
    pub(super) async fn release_and_vanish(&mut self, agent: usize) {
        let model = &self.relays[agent];
        let Some(guard) = &model.guard else { return };
        {
            let hub = self.hub.clone();
            let mut release =
                pin!(hub.release_commands(model.relay.clone(), guard.mailbox.clone()));
            poll_fn(|cx| {
                let _ = release.as_mut().poll(cx);
                Polling::Ready(())
            })
            .await;
        }
        self.hang_up(agent);
        if self.random.one_in(3) {
            self.restart();
        }
    }

    fn send(&mut self, agent: usize, commands: Vec<Command>) {
        let hub = self.hub.clone();
        for command in commands {
            if !hub.is_wanted(&self.relays[agent].relay, &command) {
                continue;
            }
            self.check_sent(agent, &command);
            let first = self.open.range((self.relays[agent].id, 0)..);
            let room = self.open[&(self.relays[agent].id, command.seq)].room;
            let mut of_room =
                first.filter(|((a, _), c)| *a == self.relays[agent].id && c.room == room);
            let head = of_room.next().map(|((_, seq), _)| *seq);
            assert_eq!(head, Some(command.seq), "one of a chat at a time, in order");
            self.relays[agent].inbox.push_back(GivenCommand {
                id: command.command_id,
                seq: command.seq,
            });
        }
        assert!(hub.in_flight() <= self.settings.max_in_flight * self.relays.len());
    }

    pub(super) async fn work(&mut self, agent: usize) {
        for _ in 0..=self.random.below(4) {
            let model = &mut self.relays[agent];
            let Some(given) = model.inbox.pop_front() else {
                return;
            };
            let acks = model.obey(&given, &mut self.random);
            let relay = model.relay.clone();
            if model.guard.is_some() {
                say(&self.hub, &relay, acks).await;
            }
        }
    }

    /// Double, late, of an unknown command, or of another agent's.
    pub(super) async fn stray_ack(&mut self, agent: usize) {
        let other = &self.relays[1 - agent];
        let model = &self.relays[agent];
        let own: Vec<&String> = model.finished.iter().collect();
        let (id, known) = match self.random.below(3) {
            0 => ("nothing".to_owned(), false),
            1 if !own.is_empty() => (own[self.random.below(own.len())].clone(), true),
            _ => {
                let rows = |id: AgentId| self.known.iter().filter(move |((a, _), _)| *a == id);
                let mut others = rows(other.id).map(|(_, row)| &row.command_id);
                let foreign = others.find(|id| !rows(model.id).any(|(_, r)| r.command_id == **id));
                let Some(id) = foreign else { return };
                (id.to_string(), false)
            }
        };
        let report = match self.random.below(3) {
            0 => CommandReport::Completed,
            1 => CommandReport::Executing,
            _ => CommandReport::Failed { retryable: true },
        };
        let answer = self.hub.ack(&model.relay, ack(&id, report)).await.unwrap();
        assert_eq!(answer, known, "{id}");
    }

    pub(super) fn hang_up(&mut self, agent: usize) {
        let model = &mut self.relays[agent];
        model.guard = None;
        model.old_guards.clear();
        model.inbox.clear();
    }

    pub(super) async fn poll(&mut self, agent: usize) {
        let model = &mut self.relays[agent];
        model.work_through_list(&mut self.random);
        let poll = Poll {
            last_command_id: model.last_of_list.clone(),
            acks: model.acks_to_bring.clone(),
            limit: [1, 2, 5, 100][self.random.below(4)],
            ..Poll::default()
        };
        let limit = poll.limit;
        // What it brings may end commands before others are sent.
        let polled = sync::poll(&self.hub, &model.relay, poll).await.unwrap();
        let told = model
            .guard
            .as_ref()
            .map(|guard| guard.mailbox.take_notices());
        if told.is_some_and(|told| told.close.is_some()) {
            self.hang_up(agent);
        }
        self.check().await;
        assert!(polled.commands.len() <= limit);
        assert!(!polled.ws_connected || polled.commands.is_empty());
        let given: Vec<GivenCommand> = polled
            .commands
            .iter()
            .map(|text| self.check_listed(agent, text))
            .collect();
        let model = &mut self.relays[agent];
        if self.random.one_in(6) {
            return; // the answer is lost: it will bring the same again
        }
        model.acks_to_bring.clear();
        if !given.is_empty() {
            model.list = given.into();
        }
    }

    pub(super) async fn take_over(&mut self) {
        let room = self.random.below(ROOMS);
        let from = self.rooms[room].agent;
        self.rooms[room].agent = 1 - from;
        let (id, hub, now) = (self.rooms[room].id, self.hub.clone(), self.clock.now());
        let (from, to) = (self.relays[from].id, self.relays[1 - from].id);
        let taken = self
            .store
            .write(move |tx| queue::take_over(tx, &hub, id, from, to, now));
        taken.await.unwrap();
    }

    pub(super) async fn expire(&mut self) {
        let (hub, now) = (self.hub.clone(), self.clock.now());
        let expired = self
            .store
            .write(move |tx| hub.expire_commands(tx, now, 100));
        expired.await.unwrap();
    }

    /// The process ends at any point and starts again.
    pub(super) fn restart(&mut self) {
        self.hub = Hub::new(
            self.store.clone(),
            self.clock.clone(),
            self.settings,
            EPOCH.to_owned(),
        );
        self.sends.clear();
        self.backoffs.clear();
        for agent in 0..self.relays.len() {
            self.hang_up(agent);
            let model = &mut self.relays[agent];
            model.relay = self.hub.relay_of_row(model.id, &model.relay.name);
        }
    }

    pub(super) fn pass_time(&mut self) {
        let ms = [1, 500, 2_000, 29_999, 30_000, 65_000, 121_000, 720_001][self.random.below(8)];
        self.clock.advance(ms);
    }
}

async fn say(hub: &Arc<Hub>, relay: &Arc<crate::edge::hub::Relay>, acks: Vec<Ack>) {
    for ack in acks {
        assert!(hub.ack(relay, ack).await.unwrap());
    }
}

pub(in crate::edge) fn settings() -> HubSettings {
    HubSettings {
        heartbeat_s: 30,
        silence_s: 90,
        ack_timeout_s: 30,
        max_in_flight: 64,
        command_ttl_s: 3_600,
        commands_per_minute: 50,
    }
}

/// A message for a chat that is made for it.
pub(in crate::edge) async fn produce_for(hub: &Arc<Hub>, agent: AgentId, guid: &str, text: &str) {
    let (now, hub_after) = (hub.clock.now(), hub.clone());
    let (guid, text) = (guid.to_owned(), text.to_owned());
    let written = hub.store.write(move |tx| {
        let phone = format!("+{guid}");
        let new = NewUser {
            public_id: &guid,
            phone: &phone,
            now,
        };
        let owner = tx.insert_user(&new)?.id;
        let room = tx.insert_room(&NewRoom {
            chat_guid: &guid,
            mode: "direct",
            owner,
            agent: Some(agent),
            now,
        })?;
        let message = queue::OutgoingMessage {
            agent,
            room: room.id,
            chat_guid: &guid,
            text: &text,
            user: None,
            is_one_bubble: false,
            app_creator: None,
        };
        queue::send_message(tx, &hub_after, &message, now)
    });
    assert!(written.await.unwrap());
}
