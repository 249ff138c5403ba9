//! Builds the account eraser (`account::erasure`) and the sender of its mails from the settings.

use std::sync::Arc;

use crate::account::confirmation::DeletionMailer;
use crate::account::erasure::{Eraser, ErasureServices};
use crate::clock::Clock;
use crate::config::Config;
use crate::mail::Mailer;
use crate::metrics::CallMetrics;
use crate::setting::Setting;
use crate::store::SharedStore;

/// The eraser, and the sender of its mails; `None` without a mail server.
pub(super) fn build_eraser(
    config: &Config,
    store: &SharedStore,
    clock: &Clock,
    services: ErasureServices,
) -> Result<(Arc<Eraser>, Option<Arc<DeletionMailer>>), String> {
    let mailer = Mailer::new(&config.mail)?;
    let mut eraser = Eraser::new(store.clone(), clock.clone(), services);
    eraser.mail = mailer.is_some();
    eraser.persona.set(config.reply.persona_name.clone());
    let deletion_mailer = mailer.map(|mailer| {
        Arc::new(DeletionMailer {
            store: store.clone(),
            clock: clock.clone(),
            mailer: Setting::new(mailer),
            queued: eraser.mails_queued.clone(),
            calls: CallMetrics::of("mail"),
        })
    });
    Ok((Arc::new(eraser), deletion_mailer))
}
