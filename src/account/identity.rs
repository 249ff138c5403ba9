//! From a token to the person: who signs in.

use std::sync::Arc;

use crate::auth::jwt::{Claims, DevelopmentKey};
use crate::clock::{Clock, Timestamp};
use crate::error::{Error, Result};
use crate::store::{SharedStore, Tx, UserId};

/// Who calls.
#[derive(Debug, Clone)]
pub struct Who {
    pub id: UserId,
    /// The public id, a UUID.
    pub user_id: Arc<str>,
}

/// Signs people in.
pub struct Identity {
    pub store: SharedStore,
    pub clock: Clock,
    pub development_key: Option<DevelopmentKey>,
    pub leeway_s: u64,
}

impl Identity {
    /// 401 for anything but a token that is accepted now.
    pub async fn sign_in(&self, bearer: Option<&str>) -> Result<Who> {
        let (token, now) = (bearer.unwrap_or_default(), self.clock.now());
        let key = self.development_key.as_ref();
        let key = key.ok_or_else(|| Error::unauthorized("no key is configured"))?;
        let claims = key
            .verify(token, self.leeway_s, now)
            .map_err(Error::unauthorized)?;
        self.store.write(move |tx| person(tx, &claims, now)).await
    }
}

/// The token's user, made when it has none yet.
fn person(tx: &mut Tx<'_>, claims: &Claims, now: Timestamp) -> Result<Who> {
    let id = match tx.user_id(&claims.sub)? {
        Some(id) => id,
        None if tx.view().erased_at(&claims.sub)?.is_some() => {
            return Err(Error::unauthorized("the account was erased"));
        }
        None => tx.insert_user_without_phone(&claims.sub, now)?,
    };
    Ok(Who {
        id,
        user_id: claims.sub.as_str().into(),
    })
}
