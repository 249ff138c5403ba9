//! Rules between keys of a section: which keys a choice requires. Rules for production are in
//! `production`.

use super::report::Report;
use super::sections::{BillingProvider, Engine, FlagsProvider, MemoryProvider, Reply, Tools};
use super::{Billing, Config, Edge, Flags, Identity, MatrixRelay, production};

pub(super) fn check(config: &Config, report: &mut Report) {
    check_identity(&config.identity, report);
    check_edge(&config.edge, report);
    let reply = &config.reply;
    if reply.engine == Engine::OpenAi {
        let message = "is required with reply.engine = \"openai\"";
        require(report, "reply.base_url", reply.base_url.is_some(), message);
        require(report, "reply.model", reply.model.is_some(), message);
    } else if reply.base_url.is_some() || reply.model.is_some() {
        report.warning(
            "reply.base_url and reply.model have no effect, and the builtin assistant answers: set \
             reply.engine = \"openai\" to use that model.",
        );
    }
    check_mcp(reply, report);
    check_billing(&config.billing, report);
    check_flags(&config.flags, report);
    let memory = &config.memory;
    if memory.provider == MemoryProvider::Mem0 {
        let message = "is required with memory.provider = \"mem0\"";
        require(
            report,
            "memory.base_url",
            memory.base_url.is_some(),
            message,
        );
    }
    let mail = &config.mail;
    if mail.smtp_url.is_some() {
        let message = "is required with mail.smtp_url, as the sender of mails";
        require(report, "mail.from", mail.from.is_some(), message);
    }
    let services = &config.services;
    if services.allow_private && services.allowed_hosts.is_empty() {
        report.warning(
            "services.allow_private has no effect without services.allowed_hosts: name the hosts \
             of your network there, like [\"nextcloud.lan\"].",
        );
    }
    check_matrix(&config.matrix, report);
    check_other_relays(config, report);
    production::check(config, report);
}

fn check_mcp(reply: &Reply, report: &mut Report) {
    for (at, server) in reply.mcp.iter().enumerate() {
        let mut before = reply.mcp[..at].iter();
        if before.any(|other| other.name == server.name) {
            let message = format!("two servers have the name {:?}", server.name);
            report.problem("reply.mcp", message);
        }
    }
    if !reply.mcp.is_empty() && (reply.engine == Engine::Builtin || reply.tools == Tools::None) {
        report.warning(
            "reply.mcp has no effect: its tools are offered with reply.engine = \"openai\" and \
             reply.tools = \"offered\".",
        );
    }
}

/// Warns if nobody is charged although a payment provider is configured.
pub(super) fn warn_about_free_access(config: &Config, report: &mut Report) {
    if config.access.charge_nobody && config.billing.provider != BillingProvider::None {
        report.warning(
            "access.charge_nobody is true, so nobody has a reason to pay, although \
             billing.provider is set; set it to false to charge."
                .to_owned(),
        );
    }
}

fn check_matrix(matrix: &MatrixRelay, report: &mut Report) {
    let has_account = matrix.token.is_some() || matrix.password.is_some();
    if matrix.homeserver.is_none() {
        if has_account {
            report.problem(
                "relay.matrix.homeserver", "is required for the relay's account",
            );
        } else if matrix.user.is_some() || !matrix.allow.is_empty() {
            report.warning(
                "relay.matrix is set without a homeserver, password or token, so the relay does not run.",
            );
        }
        return;
    }
    if !has_account {
        let message =
            "relay.matrix.homeserver is set without a password or token, so the relay does not run";
        report.warning(message);
    } else if matrix.token.is_none() && matrix.user.is_none() {
        report.problem(
            "relay.matrix.user", "is required with relay.matrix.password",
        );
    }
    if matrix.token.is_some() && matrix.password.is_some() {
        let message = "is set together with relay.matrix.password; remove one of them";
        report.problem("relay.matrix.token", message);
    }
}

fn check_other_relays(config: &Config, report: &mut Report) {
    if config.telegram.token.is_none() && !config.telegram.allow.is_empty() {
        report.warning("relay.telegram.allow is set without a token, so the relay does not run.");
    }
    let xmpp = &config.xmpp;
    let missing = match (&xmpp.jid, &xmpp.password) {
        (Some(_), Some(_)) => return,
        (Some(_), None) => "password",
        (None, Some(_)) => "jid",
        (None, None) if xmpp.allow.is_empty() && xmpp.server.is_none() => return,
        (None, None) => "jid and password",
    };
    report.warning(format!(
        "relay.xmpp is set without a {missing}, so the relay does not run."
    ));
}

fn require(report: &mut Report, key: &str, is_set: bool, message: &str) {
    if !is_set {
        report.problem(key, message);
    }
}

fn check_identity(identity: &Identity, report: &mut Report) {
    if identity.jwks_url.is_none() {
        return;
    }
    let message = "is required with identity.jwks_url: otherwise any token of that provider would be accepted";
    require(
        report,
        "identity.issuer",
        identity.issuer.is_some(),
        message,
    );
    require(
        report,
        "identity.audience",
        identity.audience.is_some(),
        message,
    );
    if identity.algorithms.is_empty() {
        report.problem(
            "identity.algorithms",
            "is empty: with identity.jwks_url at least one is required",
        );
    }
}

fn check_edge(edge: &Edge, report: &mut Report) {
    if edge.heartbeat_s >= edge.silence_s {
        let message = format!(
            "must be more than edge.heartbeat_s, which is {}; a relay would be dropped between two pings",
            edge.heartbeat_s
        );
        report.problem("edge.silence_s", message);
    }
}

fn check_billing(billing: &Billing, report: &mut Report) {
    let test_keys = [
        billing.test_secret_key.is_some(),
        billing.test_publishable_key.is_some(),
        billing.test_webhook_secret.is_some(),
    ];
    if test_keys.contains(&true) && test_keys.contains(&false) {
        report.warning(
            "billing.test_secret_key, test_publishable_key and test_webhook_secret belong together; \
             the payment provider's test mode won't work with only some of them.",
        );
    }
    if billing.provider != BillingProvider::Stripe {
        return;
    }
    for (key, is_set) in [
        ("billing.secret_key", billing.secret_key.is_some()),
        ("billing.publishable_key", billing.publishable_key.is_some()),
        ("billing.price_monthly", billing.price_monthly.is_some()),
        ("billing.price_annual", billing.price_annual.is_some()),
    ] {
        require(
            report,
            key,
            is_set,
            "is required with billing.provider = \"stripe\"",
        );
    }
}

fn check_flags(flags: &Flags, report: &mut Report) {
    match flags.provider() {
        FlagsProvider::LaunchDarkly if flags.sdk_key.is_none() => {
            report.warning(
                "flags.provider is \"launchdarkly\" and flags.sdk_key is not set: no provider is \
                 used, and every flag has its default. Set flags.sdk_key or FLAGS_SDK_KEY.",
            );
        }
        FlagsProvider::Ofrep => {
            let message = "is required with flags.provider = \"ofrep\"";
            require(report, "flags.base_url", flags.base_url.is_some(), message);
        }
        _ => {}
    }
}
