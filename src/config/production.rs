//! What the environment asks of the other sections: production starts with secrets of its
//! own or not at all.

use super::report::Report;
use super::server::PUBLIC_URL;
use super::{BillingProvider, Config, Secret};

const SECRET_BYTES_MIN: usize = 32;

pub(super) fn check(config: &Config, report: &mut Report) {
    if config.is_production() {
        refuse(config, report);
    }
    warn(config, report);
}

fn refuse(config: &Config, report: &mut Report) {
    long_secret("edge.secret", config.edge.secret.as_ref(), report);
    long_secret("admin.token", config.admin.token.as_ref(), report);
    let identity = &config.identity;
    if identity.jwks_url.is_none() && identity.hs256_secret.is_none() {
        let message = "is needed in production: name the keys of your identity provider, \
                       or set identity.hs256_secret to issue tokens yourself";
        report.problem("identity.jwks_url", message);
    }
    let billing = &config.billing;
    if billing.provider == BillingProvider::Stripe && billing.webhook_secret.is_none() {
        let message = "is needed in production with billing.provider = \"stripe\": \
                       payment events can't be verified without it";
        report.problem("billing.webhook_secret", message);
    }
}

fn warn(config: &Config, report: &mut Report) {
    let production = config.is_production();
    if config.edge.legacy_secret.is_none() {
        report.warning(if production {
            "RELAY_WEBHOOK_SECRET (edge.legacy_secret) is not set: POST /orchestrator/message answers 401."
        } else {
            "RELAY_WEBHOOK_SECRET (edge.legacy_secret) is not set: POST /orchestrator/message lets \
             anyone in. In production it answers 401."
        });
    }
    if production && config.server.public_url == PUBLIC_URL {
        report.warning(format!(
            "server.public_url is {PUBLIC_URL}: links that people get lead to their own machine."
        ));
    }
    let short = |secret: &Secret| secret.len_bytes() < SECRET_BYTES_MIN;
    if production && config.identity.hs256_secret.as_ref().is_some_and(short) {
        report.warning(format!(
            "identity.hs256_secret is shorter than {SECRET_BYTES_MIN} bytes: tokens can be forged by guessing it."
        ));
    }
}

fn long_secret(key: &str, secret: Option<&Secret>, report: &mut Report) {
    let advice = "`openssl rand -hex 32` makes one";
    match secret.map(Secret::len_bytes) {
        Some(bytes) if bytes >= SECRET_BYTES_MIN => {}
        Some(bytes) => report.problem(
            key,
            format!("has {bytes} bytes; production needs at least {SECRET_BYTES_MIN}; {advice}"),
        ),
        None => report.problem(
            key,
            format!("is needed in production, at least {SECRET_BYTES_MIN} bytes; {advice}"),
        ),
    }
}
