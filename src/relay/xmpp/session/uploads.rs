//! Finds where the files of the server's upload service are (XEP-0363): photos are fetched from
//! there even where it has no public address.

use tokio::time::timeout;
use tokio_xmpp::jid::Jid;
use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::http_upload::SlotRequest;
use tokio_xmpp::parsers::iq::Iq;
use tokio_xmpp::parsers::ns;

use super::{ANSWER_MAX, SessionResult, XmppSession};
use crate::relay::download::Origin;

/// Services of the server that are asked whether they take uploads.
const SERVICES_MAX: usize = 20;

impl XmppSession {
    /// Stores the place of uploads. Without an answer the last known one remains.
    pub(super) async fn find_uploads(&mut self) -> SessionResult<()> {
        let found = match timeout(ANSWER_MAX, self.place_of_uploads()).await {
            Ok(found) => found?,
            Err(_) => None,
        };
        if found.is_some() {
            *self.uplink.network().uploads.lock() = found;
        }
        Ok(())
    }

    async fn place_of_uploads(&mut self) -> SessionResult<Option<Origin>> {
        let Ok(server) = Jid::new(self.own.domain().as_str()) else {
            return Ok(None);
        };
        let items = Element::bare("query", ns::DISCO_ITEMS);
        let items = self.get_from(&server, items).await?;
        let items = items.iter().flat_map(Element::children);
        let named = items.filter_map(|item| Jid::new(item.attr("jid")?).ok());
        let services: Vec<Jid> = named.take(SERVICES_MAX).collect();
        for service in [server].into_iter().chain(services) {
            let info = Element::bare("query", ns::DISCO_INFO);
            let info = self.get_from(&service, info).await?;
            let mut features = info.iter().flat_map(Element::children);
            if !features.any(|feature| feature.attr("var") == Some(ns::HTTP_UPLOAD)) {
                continue;
            }
            // Only an upload's address tells where the files are. Nothing is uploaded.
            let request = SlotRequest {
                filename: "photo.jpg".to_owned(),
                size: 1,
                content_type: Some("image/jpeg".to_owned()),
            };
            let slot = self.get_from(&service, request.into()).await?;
            let file = slot.and_then(|slot| {
                let url = slot.get_child("get", ns::HTTP_UPLOAD)?.attr("url")?;
                Origin::of(url)
            });
            if file.is_some() {
                return Ok(file);
            }
        }
        Ok(None)
    }

    /// The answer to a query; `None` where it is refused.
    async fn get_from(&mut self, to: &Jid, query: Element) -> SessionResult<Option<Element>> {
        let id = self.question_id();
        let iq = Iq::Get {
            from: None,
            to: Some(to.clone()),
            id: id.clone(),
            payload: query,
        };
        Ok(self.ask(&id, iq, |_| false).await?.ok().flatten())
    }
}
