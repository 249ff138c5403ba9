//! The signature of a payment provider's event: `t=SECONDS,v1=HEX[,v1=HEX]`, where each `v1` may be
//! the hex HMAC-SHA256 of `SECONDS.BODY`. Schemes other than `v1` are ignored. Pure.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::clock::Timestamp;

/// How far the signature's time may differ from ours, in both directions.
const TOLERANCE_S: i64 = 300;
/// Limit of the header's parts; a provider that rotates secrets sends fewer.
const PARTS_MAX: usize = 32;

type HmacSha256 = Hmac<Sha256>;

/// Checks the header against the body's bytes. The error is for the log only.
pub fn verify(
    header: Option<&str>,
    body: &[u8],
    secret: &str,
    now: Timestamp,
) -> Result<(), &'static str> {
    let header = header.ok_or("there is no signature")?;
    let (mut signed_at, mut signatures) = (None, Vec::new());
    for (at, part) in header.split(',').enumerate() {
        if at >= PARTS_MAX {
            return Err("the signature has too many parts");
        }
        match part.trim().split_once('=') {
            Some(("t", seconds)) if signed_at.is_none() => signed_at = Some(seconds),
            Some(("t", _)) => return Err("the signature names two times"),
            Some(("v1", signature)) => signatures.push(signature),
            _ => {}
        }
    }
    let seconds = signed_at.ok_or("the signature names no time")?;
    let is_digits = !seconds.is_empty() && seconds.bytes().all(|b| b.is_ascii_digit());
    let at: i64 = seconds
        .parse()
        .ok()
        .filter(|_| is_digits)
        .ok_or("the signature's time is no number")?;
    let key = hmac_with(secret, seconds, body);
    // All signatures are compared, so that timing doesn't tell which one is correct.
    let matching = signatures.iter().filter(|signature| {
        let bytes = hex::decode(signature).unwrap_or_default();
        key.clone().verify_slice(&bytes).is_ok()
    });
    if matching.count() == 0 {
        return Err("the signature is invalid");
    }
    if now.seconds().abs_diff(at) > TOLERANCE_S as u64 {
        return Err("the signature is too old, or from the future");
    }
    Ok(())
}

/// The header for `body`, as the provider makes it.
pub fn sign(body: &[u8], secret: &str, seconds: i64) -> String {
    let mac = hmac_with(secret, &seconds.to_string(), body).finalize();
    format!("t={seconds},v1={}", hex::encode(mac.into_bytes()))
}

fn hmac_with(secret: &str, seconds: &str, body: &[u8]) -> HmacSha256 {
    HmacSha256::new_from_slice(secret.as_bytes())
        .expect("HMAC takes keys of any length")
        .chain_update(seconds)
        .chain_update(".")
        .chain_update(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
    const SECRET: &str = "whsec_of_the_tests";
    const BODY: &[u8] = b"{\"id\":\"evt_1\"}";

    fn at(offset_s: i64) -> String {
        sign(BODY, SECRET, NOW.seconds() + offset_s)
    }

    #[test]
    fn accepted_signatures() {
        let valid = at(0);
        let (time, v1) = valid.split_once(',').unwrap();
        let other = sign(BODY, "whsec_another", NOW.seconds());
        let other = other.split_once(',').unwrap().1.to_owned();
        let v0 = v1.replace("v1=", "v0=");
        let cases = [
            (Some(valid.clone()), true),
            (Some(at(-300)), true),
            (Some(at(-301)), false),
            (Some(at(300)), true),
            (Some(at(301)), false),
            (Some(format!("{time}, {v1}")), true),
            (Some(format!("{time},{other},{v1}")), true),
            (Some(format!("{time},{v1},{v0}")), true),
            (Some(format!("{time},{v0}")), false),
            (Some(format!("{time},{other}")), false),
            (Some(format!("{time},{time},{v1}")), false),
            (Some(format!("t=+{},{v1}", NOW.seconds())), false),
            (Some(format!("t=,{v1}")), false),
            (Some(v1.to_owned()), false),
            (Some(time.to_owned()), false),
            (Some(format!("{time},v1=")), false),
            (Some(format!("{time},v1=zz")), false),
            (Some(valid[..valid.len() - 2].to_owned()), false),
            (Some(format!("{time},{}", "v1=00,".repeat(40) + v1)), false),
            (Some(String::new()), false),
            (None, false),
        ];
        for (header, expected) in cases {
            let verdict = verify(header.as_deref(), BODY, SECRET, NOW);
            assert_eq!(verdict.is_ok(), expected, "{header:?}: {verdict:?}");
        }
        assert!(verify(Some(&valid), b"{}", SECRET, NOW).is_err());
    }
}
