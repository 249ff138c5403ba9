//! Waits for notices of new mail (IDLE, RFC 2177) from some mailboxes, and has them fetched at
//! once. A mailbox without IDLE is fetched on schedule. The number of connections is limited.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::inbox::MailboxAccess;
use super::{Credentials, Services};
use crate::clock::Monotonic;
use crate::error::Result;
use crate::mailbox::{self, IdleEnd};
use crate::metrics::JobMetrics;
use crate::store::{ServiceId, ServiceRow};

/// Maximum number of waiting connections. Each uses a sleeping thread.
const CONNECTIONS_MAX: usize = 64;
const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// The pause before a connection that ended is opened again.
const REOPEN_PAUSE_MS: u64 = 5 * 60_000;
/// The pause before a server without IDLE is asked again whether it has it.
const UNSUPPORTED_PAUSE_MS: u64 = 6 * 3_600_000;
/// Notices that were not taken up yet.
const NOTICES_MAX: usize = 1_000;

/// A connection that waits.
struct IdleConnection {
    is_ended: Arc<AtomicBool>,
    waiting: JoinHandle<IdleEnd>,
}

impl Drop for IdleConnection {
    fn drop(&mut self) {
        self.is_ended.store(true, Ordering::Relaxed);
    }
}

/// Runs until the service ends.
pub async fn run(services: Arc<Services>, metrics: Arc<JobMetrics>) {
    let (notify, mut notices) = mpsc::channel(NOTICES_MAX);
    let mut connections = IdleConnections {
        services: services.clone(),
        notify,
        open: HashMap::new(),
        not_before: HashMap::new(),
    };
    loop {
        let outcome = connections.update().await;
        metrics.ran(&outcome, services.clock.now().0);
        if let Err(error) = outcome {
            log::warn!("mail watches can't be updated: {error}");
        }
        let pause = tokio::time::sleep(POLL_INTERVAL);
        tokio::pin!(pause);
        loop {
            tokio::select! {
                () = &mut pause => break,
                () = services.connected.notified() => break,
                Some(id) = notices.recv() => {
                    let services = services.clone();
                    tokio::spawn(async move {
                        if let Err(error) = services.fetch_soon(id).await {
                            log::warn!("service {}: fetching new mail failed: {error}", id.0);
                        }
                    });
                }
            }
        }
    }
}

struct IdleConnections {
    services: Arc<Services>,
    notify: mpsc::Sender<ServiceId>,
    open: HashMap<ServiceId, IdleConnection>,
    /// When a connection that ended may be opened again.
    not_before: HashMap<ServiceId, Monotonic>,
}

impl IdleConnections {
    /// Closes connections that are not wanted and opens others, up to the maximum.
    async fn update(&mut self) -> Result<()> {
        let now = self.services.clock.monotonic();
        self.take_ended(now).await;
        self.not_before.retain(|_, from| *from > now);
        let read = self
            .services
            .store
            .read(|view| view.mailboxes(CONNECTIONS_MAX));
        let mailboxes = read.await?;
        let is_wanted = |id: &ServiceId| mailboxes.iter().any(|row| row.id == *id);
        self.open.retain(|id, _| is_wanted(id));
        for service in mailboxes {
            let id = service.id;
            if !self.open.contains_key(&id) && !self.not_before.contains_key(&id) {
                let connection = self.open_connection(&service)?;
                self.open.insert(id, connection);
            }
        }
        Ok(())
    }

    async fn take_ended(&mut self, now: Monotonic) {
        let open = self.open.iter();
        let ended = open.filter(|(_, connection)| connection.waiting.is_finished());
        let ended: Vec<ServiceId> = ended.map(|(id, _)| *id).collect();
        for id in ended {
            let Some(mut connection) = self.open.remove(&id) else {
                continue;
            };
            let pause_ms = match (&mut connection.waiting).await {
                Ok(IdleEnd::Unsupported) => UNSUPPORTED_PAUSE_MS,
                _ => REOPEN_PAUSE_MS,
            };
            self.not_before.insert(id, now.plus_ms(pause_ms));
        }
    }

    fn open_connection(&self, service: &ServiceRow) -> Result<IdleConnection> {
        let (id, credentials) = (service.id, self.services.open(service)?);
        let (network, notify) = (self.services.network.clone(), self.notify.clone());
        let is_ended = Arc::new(AtomicBool::new(false));
        let ends = is_ended.clone();
        let waiting = tokio::task::spawn_blocking(move || {
            let Ok(address) = credentials.address() else {
                return IdleEnd::Unsupported;
            };
            let Credentials::Imap {
                port,
                username,
                password,
                tls,
                ..
            } = &credentials
            else {
                return IdleEnd::Unsupported;
            };
            let access = MailboxAccess {
                host: &address.host,
                port: *port,
                username,
                password,
                tls: *tls,
                network: &network,
            };
            let Ok(addresses) = access.resolve() else {
                return IdleEnd::Ended;
            };
            // One notice too many is no loss: the mailbox is fetched anyway.
            let on_mail = || {
                let _ = notify.try_send(id);
            };
            let is_ended = || ends.load(Ordering::Relaxed);
            mailbox::wait(&access.server(&addresses), &on_mail, &is_ended)
        });
        Ok(IdleConnection { is_ended, waiting })
    }
}

impl Services {
    /// Makes a service's sync due, after the one that may be under way.
    async fn fetch_soon(&self, id: ServiceId) -> Result<()> {
        let lock = self.lock_of(id);
        let _held = lock.lock().await;
        let now = self.clock.now();
        let written = self.store.write(move |tx| tx.begin_sync(id, now).map(drop));
        written.await
    }
}
