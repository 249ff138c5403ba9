//! Connected services as an operator handles them for a person, by the person's public id. What
//! an operator changes is noted in the audit log, in the same transaction.

use serde_json::{Value, json};

use super::{Credentials, Initiator, ServiceView, Services};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::store::{Change, Operator, ServiceRow, Tx, UserId, View};

/// A person's services, oldest first. `user_id`: a UUID. `day`: today's in UTC.
pub fn list_of(view: &View, user_id: &str, day: i64) -> Result<Vec<ServiceView>> {
    let row = view.user(&user_id.to_ascii_lowercase(), day)?;
    let user = row.ok_or_else(Error::user_not_found)?.user.id;
    super::list(view, user)
}

impl Services {
    pub async fn list_of(&self, user_id: &str) -> Result<Vec<ServiceView>> {
        let (user_id, day) = (user_id.to_owned(), self.clock.now().utc_day());
        self.store
            .read(move |view| list_of(view, &user_id, day))
            .await
    }

    /// Tries a service, and keeps it when it answers.
    pub async fn connect_for(
        &self,
        user_id: &str,
        credentials: Credentials,
        name: Option<String>,
        operator: Operator,
    ) -> Result<ServiceView> {
        let user = self.person(user_id).await?;
        let by = Initiator::Operator {
            operator,
            user_id: user_id.to_owned(),
        };
        self.connect_as(user, credentials, name, by).await
    }

    /// Asks the server now, and shows the service as it is then.
    pub async fn test_of(&self, user_id: &str, service_id: &str) -> Result<ServiceView> {
        self.sync_now(self.person(user_id).await?, service_id).await
    }

    pub async fn disconnect_for(
        &self,
        user_id: &str,
        service_id: &str,
        operator: Operator,
    ) -> Result<()> {
        let user = self.person(user_id).await?;
        let by = Initiator::Operator {
            operator,
            user_id: user_id.to_owned(),
        };
        self.disconnect_as(user, service_id, by).await
    }

    async fn person(&self, user_id: &str) -> Result<UserId> {
        let (user_id, day) = (user_id.to_ascii_lowercase(), self.clock.now().utc_day());
        let row = self
            .store
            .read(move |view| view.user(&user_id, day))
            .await?;
        Ok(row.ok_or_else(Error::user_not_found)?.user.id)
    }
}

impl Initiator {
    pub(super) fn note_connected(
        &self,
        tx: &Tx,
        service: &ServiceRow,
        now: Timestamp,
    ) -> Result<()> {
        self.note(tx, "service.add", (Value::Null, description(service)), now)
    }

    pub(super) fn note_disconnected(
        &self,
        tx: &Tx,
        service: &ServiceRow,
        now: Timestamp,
    ) -> Result<()> {
        self.note(
            tx,
            "service.remove",
            (description(service), Value::Null),
            now,
        )
    }

    fn note(
        &self,
        tx: &Tx,
        action: &'static str,
        (before, after): (Value, Value),
        now: Timestamp,
    ) -> Result<()> {
        let Self::Operator { operator, user_id } = self else {
            return Ok(());
        };
        let change = Change {
            action,
            subject: user_id.clone(),
            before,
            after,
        };
        tx.insert_audit(operator, &change, now)
    }
}

/// A service for the operator. It has only the host of an address, and no name, which may be a
/// person's.
fn description(service: &ServiceRow) -> Value {
    json!({"service_id": service.service_id, "kind": service.kind, "host": service.host})
}
