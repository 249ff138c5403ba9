//! Places for connections: so many in all, so many of one address. It must not know whose
//! addresses are counted; the caller's function says so.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::numbers::ServerMetrics;

/// As what an address is counted, such as its network; `None`: it is not counted.
pub type AddressGroup = Arc<dyn Fn(IpAddr) -> Option<IpAddr> + Send + Sync>;

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Full {
    All,
    OfAddress,
}

pub(super) struct Slots {
    all: Arc<Semaphore>,
    of_address_max: usize,
    counted_as: AddressGroup,
    taken: TakenSlots,
    gauge: ServerMetrics,
}

type TakenSlots = Arc<Mutex<HashMap<IpAddr, usize>>>;

impl Slots {
    pub(super) fn new(
        max: usize,
        of_address_max: usize,
        counted_as: AddressGroup,
        gauge: ServerMetrics,
    ) -> Self {
        Self {
            all: Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS))),
            of_address_max,
            counted_as,
            taken: TakenSlots::default(),
            gauge,
        }
    }

    pub(super) fn take(&self, peer: IpAddr) -> Result<Slot, Full> {
        let permit = self.all.clone().try_acquire_owned();
        let permit = permit.map_err(|_| Full::All)?;
        let share = match (self.counted_as)(peer) {
            None => None,
            Some(address) => Some(self.share(address).ok_or(Full::OfAddress)?),
        };
        self.gauge.connection_began();
        Ok(Slot {
            _permit: permit,
            _share: share,
            gauge: Some(self.gauge.clone()),
        })
    }

    fn share(&self, address: IpAddr) -> Option<Share> {
        let mut taken = self.taken.lock();
        let count = taken.entry(address).or_default();
        if *count >= self.of_address_max {
            return None;
        }
        *count += 1;
        Some(Share {
            taken: self.taken.clone(),
            address,
        })
    }
}

/// A place among all connections and those of its address, given back when dropped.
pub(super) struct Slot {
    _permit: OwnedSemaphorePermit,
    _share: Option<Share>,
    /// Where it is counted; `None` for a connection that is turned away.
    gauge: Option<ServerMetrics>,
}

impl Slot {
    /// Of a connection that is turned away.
    pub(super) fn uncounted(permit: OwnedSemaphorePermit) -> Self {
        Self {
            _permit: permit,
            _share: None,
            gauge: None,
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(gauge) = &self.gauge {
            gauge.connection_ended();
        }
    }
}

/// One of an address's places.
struct Share {
    taken: TakenSlots,
    address: IpAddr,
}

impl Drop for Share {
    /// Addresses without a connection are forgotten: there are no more entries than
    /// connections.
    fn drop(&mut self) {
        let mut taken = self.taken.lock();
        if let Some(count) = taken.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_places_and_gives_them_back() {
        let counted: AddressGroup = Arc::new(|peer: IpAddr| (!peer.is_loopback()).then_some(peer));
        let slots = Slots::new(5, 2, counted, ServerMetrics::default());
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let (one, other) = (address("192.0.2.1"), address("192.0.2.2"));
        let first = slots.take(one).ok().unwrap();
        let _second = slots.take(one).ok().unwrap();
        assert_eq!(slots.take(one).err(), Some(Full::OfAddress));
        let _others = [
            slots.take(other).ok(),
            slots.take(address("127.0.0.1")).ok(),
        ];
        drop(first);
        let _again = slots.take(one).ok().unwrap();
        let _last = slots.take(address("127.0.0.1")).ok().unwrap();
        assert_eq!(slots.take(address("127.0.0.1")).err(), Some(Full::All));
        assert_eq!(slots.take(one).err(), Some(Full::All));
        drop((_second, _again));
        assert_eq!(
            slots.taken.lock().len(),
            1,
            "only the other address is left"
        );
    }
}
