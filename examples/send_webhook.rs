//! Signs a payload and posts it to a webhook, as any service outside would: to try a webhook,
//! or to copy from. It knows nothing of this service but the signature.
//!
//!     cargo run --example send_webhook -- URL SECRET '{"title":"Parcel"}'
//!     echo '{"title":"Parcel"}' | cargo run --example send_webhook -- URL SECRET --standard

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Parser;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

#[derive(Parser)]
#[command(about = "Signs a payload and posts it to a webhook")]
struct Cli {
    /// As it was shown when the webhook was made; http: only, TLS is the proxy's.
    url: String,
    /// The webhook's 64 characters.
    secret: String,
    /// JSON; read from standard input when it is not given.
    payload: Option<String>,
    /// The call's own name: sent again under the same one it does nothing again.
    #[arg(long)]
    id: Option<String>,
    /// Signs by the Standard Webhooks scheme.
    #[arg(long)]
    standard: bool,
}

fn main() -> ExitCode {
    match send(&Cli::parse()) {
        Ok((true, answer)) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Ok((false, answer)) => {
            eprintln!("{answer}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("send_webhook: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether it was taken, and what was answered.
fn send(cli: &Cli) -> Result<(bool, String), Box<dyn std::error::Error>> {
    let body = match &cli.payload {
        Some(payload) => payload.clone(),
        None => {
            let mut body = String::new();
            std::io::stdin().read_to_string(&mut body)?;
            body
        }
    };
    let (authority, path) = cli
        .url
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .ok_or("the URL is not like http://127.0.0.1:8080/webhooks/…")?;
    let headers: String = headers(cli, body.as_bytes())?
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let head = format!(
        "POST /{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    let mut address = authority.to_owned();
    if !authority.contains(':') {
        address.push_str(":80");
    }
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("no whole answer")?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    Ok((status == "200", format!("{status} {body}")))
}

fn headers(
    cli: &Cli,
    body: &[u8],
) -> Result<Vec<(&'static str, String)>, Box<dyn std::error::Error>> {
    let key: Hmac<Sha256> = Hmac::new_from_slice(cli.secret.as_bytes())?;
    if !cli.standard {
        let signature = hex::encode(key.chain_update(body).finalize().into_bytes());
        let mut headers = vec![("X-Webhook-Signature", signature)];
        headers.extend(cli.id.clone().map(|id| ("X-Webhook-Id", id)));
        return Ok(headers);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let id = cli.id.clone();
    let id = id.unwrap_or_else(|| format!("msg_{}", now.as_nanos()));
    let signed = [format!("{id}.{}.", now.as_secs()).as_bytes(), body].concat();
    let mac = key.chain_update(signed).finalize().into_bytes();
    Ok(vec![
        ("webhook-id", id),
        ("webhook-timestamp", now.as_secs().to_string()),
        ("webhook-signature", format!("v1,{}", STANDARD.encode(mac))),
    ])
}
