//! "Connect my calendar", "connect my mail": the answer with the link to the page.

use super::turn::MessageTurn;
use crate::assistant::wording;
use crate::error::Result;
use crate::services::links;
use crate::store::Tx;

pub(super) fn link(turn: &MessageTurn, tx: &Tx, is_for_mail: bool) -> Result<String> {
    if turn.in_group() {
        return Ok(wording::CONNECT_ALONE.to_owned());
    }
    let room = Some(turn.room.id);
    let path = links::create(tx, turn.user.id, room, is_for_mail, turn.now)?;
    let link = format!("{}{path}", turn.persona.public_url);
    Ok(wording::connect_service(
        is_for_mail,
        &link,
        links::LINK_MINUTES,
    ))
}
