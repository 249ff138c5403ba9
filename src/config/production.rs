//! Rules for `server.environment`: production refuses to start without configured secrets.

use std::path::Path;

use super::report::Report;
use super::{Billing, BillingProvider, Config, Secret, SettingValues};
use crate::files::is_readable_by_others;

/// Minimum length of secrets that authenticate a caller.
const SECRET_BYTES_MIN: usize = 32;
/// How a URL begins that only this machine reaches.
const LOCAL_URL: &str = "http://127.0.0.1:";
const SECRET_ADVICE: &str = "`openssl rand -hex 32` makes one";

pub(super) fn check(config: &Config, report: &mut Report) {
    if config.is_production() {
        refuse(config, report);
    }
    warn(config, report);
}

/// A file with secrets must not be readable by other users of the machine.
pub(super) fn check_file(
    path: &Path,
    production: bool,
    settings: &SettingValues,
    report: &mut Report,
) {
    if !settings.holds_secrets || !is_readable_by_others(path) {
        return;
    }
    let file = path.display().to_string();
    let message = format!(
        "contains secrets, and every user of this machine may read it: run chmod o-rwx {file}, or \
         store each secret in a separate file (<key>_file)"
    );
    if production {
        report.problem(&file, message);
    } else {
        report.warning(format!("{file} {message}."));
    }
}

fn refuse(config: &Config, report: &mut Report) {
    let (edge, identity) = (&config.edge, &config.identity);
    for (key, secret) in [
        ("edge.secret", &edge.secret),
        ("admin.token", &config.admin.token),
    ] {
        if secret.is_none() {
            let message = format!(
                "is required in production, at least {SECRET_BYTES_MIN} bytes; {SECRET_ADVICE}"
            );
            report.problem(key, message);
        }
    }
    for (key, secret) in [
        ("edge.secret", &edge.secret),
        ("edge.previous_secret", &edge.previous_secret),
        ("edge.legacy_secret", &edge.legacy_secret),
        ("admin.token", &config.admin.token),
        ("identity.hs256_secret", &identity.hs256_secret),
    ] {
        if let Some(secret) = secret {
            require_long_secret(key, secret, report);
        }
    }
    if identity.jwks_url.is_none() && identity.hs256_secret.is_none() {
        let message = "is required in production: set the URL of your identity provider's keys, \
                       or set identity.hs256_secret to issue tokens yourself";
        report.problem("identity.jwks_url", message);
    }
    let billing = &config.billing;
    if billing.provider == BillingProvider::Stripe && billing.webhook_secret.is_none() {
        let message = "is required in production with billing.provider = \"stripe\": \
                       payment events can't be verified without it";
        report.problem("billing.webhook_secret", message);
    }
    if billing.provider == BillingProvider::Stripe && billing.is_at_stripe() {
        refuse_invalid_stripe_keys(billing, report);
    }
}

/// Only for Stripe's own server: a test server's keys may have any form.
fn refuse_invalid_stripe_keys(billing: &Billing, report: &mut Report) {
    let has_prefix = |secret: &Secret, prefixes: &[&str]| {
        let text = secret.expose();
        prefixes.iter().any(|prefix| text.starts_with(prefix))
    };
    for (key, secret) in [
        ("billing.secret_key", &billing.secret_key),
        ("billing.test_secret_key", &billing.test_secret_key),
    ] {
        if secret
            .as_ref()
            .is_some_and(|s| !has_prefix(s, &["sk_", "rk_"]))
        {
            let message = "is no secret key of Stripe; these begin with sk_ or rk_, and \
                           Stripe's dashboard shows them under API keys";
            report.problem(key, message);
        }
    }
    for (key, secret) in [
        ("billing.webhook_secret", &billing.webhook_secret),
        ("billing.test_webhook_secret", &billing.test_webhook_secret),
    ] {
        let Some(secret) = secret else { continue };
        if !has_prefix(secret, &["whsec_"]) || secret.len_bytes() < SECRET_BYTES_MIN {
            let message = format!(
                "is no signing secret of Stripe; these begin with whsec_ and have at least \
                 {SECRET_BYTES_MIN} bytes, and Stripe's dashboard shows one per webhook endpoint"
            );
            report.problem(key, message);
        }
    }
}

fn warn(config: &Config, report: &mut Report) {
    let production = config.is_production();
    match (&config.edge.legacy_secret, production) {
        (Some(_), _) => {}
        // As it should be without older relays; a call of that route is warned about.
        (None, true) => report.note(
            "RELAY_WEBHOOK_SECRET (edge.legacy_secret) is not set: POST /orchestrator/message answers 401.",
        ),
        (None, false) => {
            let listen = config.server.listen;
            let network = match listen.ip().is_loopback() {
                true => String::new(),
                false => format!(" who reaches {listen} over the network"),
            };
            report.warning(format!(
                "RELAY_WEBHOOK_SECRET (edge.legacy_secret) is not set: POST /orchestrator/message is \
                 open to anyone{network}. In production it answers 401."
            ));
        }
    }
    if config.server.public_url.starts_with("https://") && config.server.trusted_proxies.is_empty()
    {
        report.warning(
            "server.public_url is https, so a proxy stands before this service, but \
             server.trusted_proxies is empty: all callers have the proxy's address and share its \
             limits. Set it to the proxy's address, [\"127.0.0.1\", \"::1\"] for one on this machine.",
        );
    }
    let url = &config.server.public_url;
    let is_reached_from_elsewhere = production || !config.server.listen.ip().is_loopback();
    if is_reached_from_elsewhere && url.starts_with(LOCAL_URL) {
        report.warning(format!(
            "server.public_url is {url}, so links sent to people don't lead to this service."
        ));
    }
    if production && config.storage.path.is_relative() {
        report.warning(
            "storage.path is relative; commands find the database only from the service's working directory.",
        );
    }
}

fn require_long_secret(key: &str, secret: &Secret, report: &mut Report) {
    let bytes = secret.len_bytes();
    if bytes < SECRET_BYTES_MIN {
        let variable = match key {
            "edge.legacy_secret" => " (RELAY_WEBHOOK_SECRET)",
            _ => "",
        };
        report.problem(
            key,
            format!(
                "has {bytes} bytes{variable}; production needs at least {SECRET_BYTES_MIN}; {SECRET_ADVICE}"
            ),
        );
    }
}
