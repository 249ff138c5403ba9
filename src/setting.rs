//! A setting that can be replaced while the service runs. It must not know the setting's meaning
//! nor who replaces it.

use std::sync::Arc;

use arc_swap::ArcSwap;

/// A reader gets the current value and never waits for a writer.
pub struct Setting<T>(ArcSwap<T>);

impl<T> Setting<T> {
    pub fn new(value: T) -> Self {
        Self(ArcSwap::from_pointee(value))
    }

    pub fn get(&self) -> Arc<T> {
        self.0.load_full()
    }

    /// Replaces the value for every later `get`.
    pub fn set(&self, value: T) {
        self.0.store(Arc::new(value));
    }
}
