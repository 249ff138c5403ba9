//! Registration of a relay with a one-time token: the token's nonce is used up and the agent
//! created in one transaction.

use super::hub::Hub;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::random;

/// Random bytes in a new agent's name.
const NAME_BYTES: usize = 8;

/// Creates an agent for the token with this nonce; `None` when the token was used before.
pub async fn register(
    hub: &Hub,
    nonce: String,
    expires_at: Timestamp,
    now: Timestamp,
) -> Result<Option<String>> {
    let agent = format!("relay-{}", hex::encode(random::bytes::<NAME_BYTES>()));
    hub.store
        .write(move |tx| {
            if !tx.use_registration(&nonce, expires_at)? {
                return Ok(None);
            }
            tx.agent(&agent, now)?;
            Ok(Some(agent))
        })
        .await
}
