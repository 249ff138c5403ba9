//! The generator. Closed loop: each connection sends its next message when the last is answered.
//! Open loop: messages are due at a fixed rate whatever the service does, and latency counts
//! from when one was due, so that a stall is seen in all that wait behind it.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::calls::Calls;
use crate::client::{Connection, find};
use crate::latency::Latencies;
use crate::message::Templates;
use crate::{Failure, Result};

/// Connections are all open before anything is sent.
const LEAD: Duration = Duration::from_millis(100);
const OPEN_LOOP_WAITING_MAX: usize = 100_000;

/// Whom to load, and as whom.
#[derive(Clone)]
pub(crate) struct Load {
    pub(crate) address: SocketAddr,
    pub(crate) connections: usize,
    pub(crate) threads: usize,
    pub(crate) senders: u64,
    pub(crate) script: Script,
    pub(crate) tokens: Arc<Vec<String>>,
    /// Goes on over rounds, so that senders take turns evenly.
    pub(crate) serial: Arc<AtomicU64>,
}

/// What is sent.
#[derive(Clone)]
pub(crate) enum Script {
    Messages,
    Calls(Box<Calls>),
    /// Whole requests, sent in turn.
    Prepared(Arc<Vec<Vec<u8>>>),
}

#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) latencies: Latencies,
    /// How many answers had which status.
    pub(crate) statuses: BTreeMap<u16, u64>,
    /// Answers with an access code: 200, but cheaper than a reply.
    pub(crate) denied: u64,
    pub(crate) elapsed: Duration,
    /// Open loop: how late the pacer itself was.
    pub(crate) pacer: Latencies,
}

impl Outcome {
    pub(crate) fn per_second(&self) -> f64 {
        self.latencies.count() as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    pub(crate) fn ok(&self) -> u64 {
        self.statuses.get(&200).copied().unwrap_or(0)
    }

    fn absorb(&mut self, other: Self) {
        self.latencies.absorb(other.latencies);
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.denied += other.denied;
        self.elapsed = self.elapsed.max(other.elapsed);
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Until {
    Elapsed(Duration),
    Sent(u64),
}

pub(crate) async fn closed(load: &Load, until: Until) -> Result<Outcome> {
    let begin = Instant::now() + LEAD;
    let last = match until {
        Until::Sent(count) => load.serial.load(Ordering::Relaxed) + count,
        Until::Elapsed(_) => u64::MAX,
    };
    let deadline = match until {
        Until::Elapsed(time) => Some(begin + time),
        Until::Sent(_) => None,
    };
    on_threads(load, move |load| async move {
        let mut sender = Sender::open(&load).await?;
        tokio::time::sleep_until(begin.into()).await;
        let mut now = Instant::now();
        while deadline.is_none_or(|deadline| now < deadline) {
            let serial = load.serial.fetch_add(1, Ordering::Relaxed);
            if serial >= last {
                break;
            }
            sender.send(serial, now).await?;
            now = Instant::now();
        }
        sender.outcome.elapsed = begin.elapsed();
        Ok(sender.outcome)
    })
    .await
}

pub(crate) async fn open(load: &Load, rate: u64, time: Duration) -> Result<Outcome> {
    let begin = Instant::now() + LEAD;
    let due = Arc::new(DueMessages::new());
    let pacer = {
        let due = due.clone();
        std::thread::spawn(move || due.pace(begin, rate, time))
    };
    let waiting = due.clone();
    let outcome = on_threads(load, move |load| {
        let due = waiting.clone();
        async move {
            let mut sender = Sender::open(&load).await?;
            while let Some(intended) = due.next().await {
                let serial = load.serial.fetch_add(1, Ordering::Relaxed);
                sender.send(serial, intended).await?;
            }
            sender.outcome.elapsed = begin.elapsed();
            Ok(sender.outcome)
        }
    })
    .await;
    due.end();
    let paced = pacer.join().map_err(|_| "the pacer panicked")?;
    let mut outcome = outcome?;
    outcome.pacer = paced?;
    Ok(outcome)
}

/// One connection with its templates, one for each relay that messages come from.
struct Sender {
    connection: Connection,
    templates: Vec<Templates>,
    script: Script,
    senders: u64,
    outcome: Outcome,
}

impl Sender {
    async fn open(load: &Load) -> Result<Self> {
        let templates = load
            .tokens
            .iter()
            .map(|token| Templates::new(load.address, token));
        Ok(Self {
            connection: Connection::open(load.address).await?,
            templates: templates.collect::<Result<_>>()?,
            script: load.script.clone(),
            senders: load.senders.max(1),
            outcome: Outcome::default(),
        })
    }

    async fn send(&mut self, serial: u64, intended: Instant) -> Result<()> {
        let request = match &mut self.script {
            Script::Calls(calls) => calls.call(serial),
            Script::Prepared(requests) => &requests[(serial % requests.len() as u64) as usize],
            Script::Messages => {
                let sender = serial % self.senders;
                // A chat keeps its relay.
                let template = (sender % self.templates.len() as u64) as usize;
                self.templates[template].message(sender, serial)
            }
        };
        let answer = self.connection.exchange(request).await?;
        let outcome = &mut self.outcome;
        outcome.latencies.record(intended.elapsed());
        *outcome.statuses.entry(answer.status).or_default() += 1;
        if find(answer.body, b"\"access\":{").is_some() {
            outcome.denied += 1;
        }
        Ok(())
    }
}

/// Runs `each` once per connection, spread over threads with a runtime each: nothing is stolen
/// or woken across threads, which keeps the generator cheap.
async fn on_threads<F, T>(load: &Load, each: F) -> Result<Outcome>
where
    F: Fn(Load) -> T + Clone + Send + 'static,
    T: Future<Output = Result<Outcome>> + Send + 'static,
{
    let threads = load.threads.max(1);
    let mut workers = JoinSet::new();
    for thread in 0..threads {
        let connections = (thread..load.connections).step_by(threads).count();
        let (load, each) = (load.clone(), each.clone());
        workers.spawn_blocking(move || -> Result<Outcome> {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(async move {
                let mut tasks = JoinSet::new();
                for _ in 0..connections {
                    tasks.spawn(each(load.clone()));
                }
                collect(tasks).await
            })
        });
    }
    collect(workers).await
}

async fn collect(mut tasks: JoinSet<Result<Outcome>>) -> Result<Outcome> {
    let mut all = Outcome::default();
    while let Some(outcome) = tasks.join_next().await {
        all.absorb(outcome.map_err(Failure::from)??);
    }
    Ok(all)
}

/// Messages that are due and not taken by a connection yet.
struct DueMessages {
    intended: Mutex<VecDeque<Instant>>,
    waiting: Semaphore,
}

impl DueMessages {
    fn new() -> Self {
        Self {
            intended: Mutex::new(VecDeque::new()),
            waiting: Semaphore::new(0),
        }
    }

    /// Runs on a thread of its own, because tokio's timer is too coarse (1 ms). It sleeps, never
    /// spins: a core that spins is missing to the service. Its lateness is in the latencies, and
    /// reported.
    fn pace(&self, begin: Instant, rate: u64, time: Duration) -> Result<Latencies> {
        let mut lateness = Latencies::default();
        let interval = Duration::from_secs(1).div_f64(rate.max(1) as f64);
        let mut intended = begin;
        while intended < begin + time {
            std::thread::sleep(intended.saturating_duration_since(Instant::now()));
            lateness.record(intended.elapsed());
            let waiting = {
                let mut queue = self.intended.lock().unwrap_or_else(PoisonError::into_inner);
                queue.push_back(intended);
                queue.len()
            };
            if self.waiting.is_closed() {
                break;
            }
            if waiting > OPEN_LOOP_WAITING_MAX {
                self.end();
                return Err(format!("{rate} messages/s are too many: the queue only grows").into());
            }
            self.waiting.add_permits(1);
            intended += interval;
        }
        // One that connections find no message behind ends them, after all that are due.
        self.waiting.add_permits(Semaphore::MAX_PERMITS / 2);
        Ok(lateness)
    }

    async fn next(&self) -> Option<Instant> {
        self.waiting.acquire().await.ok()?.forget();
        self.intended
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
    }

    fn end(&self) {
        self.waiting.close();
    }
}
