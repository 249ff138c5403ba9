//! Makes one reply: reads the context, chooses the class, checks the cache, calls the model, and
//! measures how long each step took. Every failure ends in a text of the assistant. Nothing is
//! committed here.

use std::sync::Arc;

use super::context::{self, ReplyContext};
use super::model_turn::ModelTurn;
use super::plan;
use super::remote_calls;
use super::result::ReplyResult;
use crate::error::Result;
use crate::ingest::Ingest;
use crate::store::PendingReply;

/// After this many service starts without a finished reply it is abandoned, because making it may
/// crash the service.
const STARTS_MAX: i64 = 3;

/// Makes a reply. `None` when its message was removed.
pub(super) async fn make(
    ingest: &Arc<Ingest>,
    pending: PendingReply,
) -> Result<Option<ReplyResult>> {
    let failed = |why| ReplyResult::failed(pending.unprompted, why);
    let Some(model) = &ingest.replies.settings.model else {
        return Ok(Some(failed("no model")));
    };
    if pending.starts > STARTS_MAX {
        return Ok(Some(failed("given up")));
    }
    let mono = || ingest.clock.monotonic();
    let started_at = mono();
    let Some(mut context) = read(ingest, pending).await? else {
        return Ok(None);
    };
    let elapsed_ms = ingest.clock.now().0 - context.message.received_at.0;
    let queued_ms = (elapsed_ms.max(0) as u64).saturating_sub(mono().since(started_at));
    // A greeting must wait neither for other messages nor for memories.
    let greeted = |context: &ReplyContext| {
        let text = plan::small_talk(ingest, context, &pending, ingest.clock.now())?;
        Some(ReplyResult::small_talk(text).after(queued_ms, mono().since(started_at), 0))
    };
    if model.is_busy()
        && let Some(result) = greeted(&context)
    {
        return Ok(Some(result));
    }
    read_external_facts(ingest, &mut context, &pending).await?;
    let context_ms = mono().since(started_at);
    let mut waited_ms = 0;
    let permit = match model.try_acquire_permit() {
        Some(permit) => permit,
        None => {
            if let Some(result) = greeted(&context) {
                return Ok(Some(result));
            }
            // A cached reply needs no call, and a waiting reply should use little memory.
            let (memories, tools) = (context.known.memories.clone(), context.remote_tools.clone());
            if let Some(result) = ModelTurn::of(ingest, model, context, pending).cached_result() {
                return Ok(Some(result.after(queued_ms, context_ms, 0)));
            }
            let waits = mono();
            let permit = model.acquire_permit().await;
            waited_ms = mono().since(waits);
            let Some(again) = read(ingest, pending).await? else {
                return Ok(None);
            };
            context = again;
            (context.known.memories, context.remote_tools) = (memories, tools);
            permit
        }
    };
    let photos = &ingest.replies.settings.photos;
    // Uploaded photos are large, so few are in memory at once.
    let _showing = match context.photos.iter().any(|url| photos.id_in(url).is_some()) {
        true => Some(photos.showing_permit().await?),
        false => None,
    };
    context::load_photos(photos, &mut context, pending.agent).await?;
    let turn = ModelTurn::of(ingest, model, context, pending);
    let result = turn.ask(&permit).await;
    let result = result.after(queued_ms, context_ms, waited_ms);
    if turn.plan.detailed_logging {
        result.log(pending.message_id);
    }
    Ok(Some(result))
}

/// Adds what others know: memories, and the tools of other servers.
async fn read_external_facts(
    ingest: &Ingest,
    context: &mut ReplyContext,
    pending: &PendingReply,
) -> Result<()> {
    let (memories, tools) = tokio::join!(
        context::memories(ingest, context),
        remote_calls::tools(ingest, context, pending)
    );
    context.known.memories = memories?;
    context.remote_tools = tools;
    Ok(())
}

async fn read(ingest: &Ingest, pending: PendingReply) -> Result<Option<ReplyContext>> {
    let id = pending.message_id;
    let _turn = ingest.replies.reads.acquire().await; // the semaphore is never closed
    let read = ingest.store.read(move |view| context::read(view, id));
    read.await
}
