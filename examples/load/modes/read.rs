//! `GET /api/v1/usage/limits/{user_id}` with RS256 tokens of an identity provider that this
//! program plays, beside bare hyper. Nobody may ask 100 times a minute, so many people do.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::ingest::{self, Target};
use crate::drive::{self, Load, Script, Until};
use crate::report::Report;
use crate::service::Service;
use crate::signer::Signer;
use crate::{Durability, Result, Settings, baseline, client, service};

const ISSUER: &str = "https://id.example.com/";
const AUDIENCE: &str = "chatkeep";
const TTL_S: u64 = 24 * 3600;
/// Who come with another token: with all of them the service would make room by forgetting.
const AGAIN_PEOPLE_MAX: u64 = 2_000;
const QUESTION_BYTES_MAX: usize = 4096;

#[derive(Args)]
pub(crate) struct Options {
    /// How long each round loads each target.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// People who ask, one token each: enough that none reaches 100 a minute.
    #[arg(long, default_value_t = 16_000)]
    people: u64,
}

pub(crate) async fn run(settings: &Settings, options: &Options) -> Result<Report> {
    service::binary(settings)?;
    let dir = super::temporary(settings)?;
    let mut report = Report::new("read", settings, dir.path())?;
    report.fact("people", options.people.to_string());
    let signer = Signer::rsa("load");
    let url = serve_keys(json!({ "keys": [signer.jwk()] }).to_string()).await?;
    let identity = [
        ("CHATKEEP_IDENTITY_JWKS_URL", url.as_str()),
        ("CHATKEEP_IDENTITY_ISSUER", ISSUER),
        ("CHATKEEP_IDENTITY_AUDIENCE", AUDIENCE),
    ];
    let service = Service::start_with(settings, dir.path(), Durability::Full, &identity).await?;
    let bare = baseline::start_bare()?;

    // A token's first use checks its signature and makes its user; its second finds both.
    let first = tokens(&signer, options.people, 0)?;
    let of_service = load(settings, service.address(), &first)?;
    let sign_ins = once(&of_service, options.people).await?;
    report.note(format!("first sign-in of each person: {sign_ins:.0}/s"));
    let people = options.people.min(AGAIN_PEOPLE_MAX);
    let again = tokens(&signer, people, 1)?;
    let again = load(settings, service.address(), &again)?;
    let checks = once(&again, people).await?;
    report.note(format!(
        "first use of another token of theirs: {checks:.0}/s"
    ));

    let of_bare = load(settings, bare.address, &first)?;
    let mut targets = [
        Target::new("bare hyper", bare, of_bare),
        Target::new("service", service.process, of_service),
    ];
    let time = Duration::from_secs(options.seconds);
    ingest::interleave(settings.rounds, &mut targets, time, None).await?;
    let title = format!("closed loop, {} connections", settings.connections);
    ingest::summarise(&mut report, &mut targets, &title, true);
    for target in &targets {
        report.check(target.others == 0, || {
            format!("{} answers of a target weren't 200", target.others)
        });
    }
    Ok(report)
}

/// Sends every request once; how many were answered in a second.
async fn once(load: &Load, requests: u64) -> Result<f64> {
    let outcome = drive::closed(load, Until::Sent(requests)).await?;
    if outcome.ok() != requests {
        return Err(format!("{requests} were sent, answered: {:?}", outcome.statuses).into());
    }
    Ok(outcome.per_second())
}

/// Each person asks with a token of their own, in turns.
pub(super) fn load(
    settings: &Settings,
    address: SocketAddr,
    tokens: &[(String, String)],
) -> Result<Load> {
    let requests = tokens.iter().map(|(user_id, token)| {
        let path = format!("/api/v1/usage/limits/{user_id}");
        client::request("GET", &path, address, token, "").into_bytes()
    });
    Ok(Load {
        script: Script::Prepared(Arc::new(requests.collect())),
        ..super::load(settings, address, settings.senders)?
    })
}

/// One for each person: their id and their token.
fn tokens(signer: &Signer, people: u64, serial: u64) -> Result<Vec<(String, String)>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let token = |person: u64| {
        let user_id = format!("00000000-0000-4000-8000-{person:012x}");
        let claims = json!({
            "iss": ISSUER, "aud": AUDIENCE, "sub": user_id, "iat": now, "exp": now + TTL_S,
            "jti": format!("{person}-{serial}"), "client_id": "load", "scope": "api",
        });
        let token = signer.token(&claims);
        (user_id, token)
    };
    Ok((0..people).map(token).collect())
}

/// Answers everybody with the keys, for as long as this program runs.
async fn serve_keys(keys: String) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/jwks", listener.local_addr()?);
    let length = keys.len();
    let answer =
        format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{keys}");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut question = [0; QUESTION_BYTES_MAX];
            // Whoever goes away asks again.
            let _ = stream.read(&mut question).await;
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    Ok(url)
}
