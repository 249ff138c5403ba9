//! "Connect my calendar", "connect my mail": the answer with the link to the page.

use super::turn::MessageTurn;
use crate::assistant::wording;
use crate::error::Result;
use crate::services::links;
use crate::store::Tx;

impl MessageTurn<'_> {
    pub(super) fn connect_link(&self, tx: &Tx<'_>, is_for_mail: bool) -> Result<String> {
        if self.in_group() {
            return Ok(wording::connect_alone());
        }
        let room = Some(self.room.id);
        let path = links::create(tx, self.user.id, room, is_for_mail, self.now)?;
        let link = format!("{}{path}", self.ingest.persona.get().public_url);
        Ok(wording::connect_service(
            is_for_mail,
            &link,
            links::LINK_MINUTES,
        ))
    }
}
