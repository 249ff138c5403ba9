//! A setting that is replaced while the service runs. It must not know what is set, nor by
//! whom.

use std::sync::Arc;

use arc_swap::ArcSwap;

/// Readers take the value of the moment and never wait for whoever replaces it.
pub struct Setting<T>(ArcSwap<T>);

impl<T> Setting<T> {
    pub fn new(value: T) -> Self {
        Self(ArcSwap::from_pointee(value))
    }

    pub fn get(&self) -> Arc<T> {
        self.0.load_full()
    }

    /// In place for whoever reads from now on.
    pub fn set(&self, value: T) {
        self.0.store(Arc::new(value));
    }
}
