//! Messages that ask for something for certain, as the builtin assistant understands them, and for
//! which the model does nothing: small models claim to have done what they did not. One that calls
//! no tool is asked once more. What was not done in the end is said by sentences after the reply:
//! that nothing was changed, or what of several things was not; that nothing was sent to the
//! person's own chat; how an account is deleted. A reply that only refuses needs none. The same goes
//! for a reply that claims a change although no request is certain.

use super::claim_words::{ALREADY, CONDITIONS, NOT_DONE, NOT_THERE, NOT_THERE_PARTS};
use super::possible_requests::CALL_OR_REPEAT;
use super::statements::{
    claims, ends_with_question, is_question, is_refusal, plain, statements, words,
};
use super::surplus_claims::CALL_OR_CORRECT;
use super::text_claims::{begins_question, claims_done, is_plain_question};
use crate::assistant::prompt::Prompt;
use crate::assistant::tools::{LINK, OfferedTool, Tool};
use crate::assistant::{AccountTask, wording};
use crate::ingest::replies::model_turn::{CallTotals, ModelTurn};
use crate::ingest::replies::remote_calls::UNKNOWN;
use crate::ingest::replies::request::CertainRequest;
use crate::ingest::replies::requested_changes::{is_any_missing, is_done_otherwise};
use crate::ingest::replies::result::CallRecord;
use crate::ingest::replies::taken_back::is_taken_back;
use crate::store::DoneCall;

/// The prompt for a model that called no tool.
const CALL_OR_DENY: &str = "[You called no tool for this message, so nothing was done, looked up \
                            or sent for it. If a tool does what it asks for, call it now. If not, \
                            write your answer again, without saying that anything was done, and \
                            without a word about this.]";
/// Words, in lower case, with which a reply to a group speaks of the person's own chat.
const OWN_CHAT_WORDS: [&str; 100] = [
    "your chat", "own chat", "direct chat", "private chat", "our chat", "to your dms", "privately",
    "direct message", "dm", "личный чат", "личном чате", "личку", "個別チャット", "個人チャット",
    "チャットに送", "私聊", "私信", "개인 채팅", "채팅으로", "دردشتك", "en privado",
    "chat privado", "tu chat", "en privé", "chat privé", "in privato", "chat privata",
    "em particular", "chat particular", "direktnachricht", "privatchat", "deinen chat",
    "deinem chat", "eigenen chat", "direktchat", "unserem chat", "unseren chat", "private message",
    "you directly", "mensaje directo", "por privado", "nuestro chat", "notre chat",
    "message privé", "nostra chat", "nosso chat", "no privado", "mensagem direta", "наш чат",
    "нашем чате", "onze chat", "privé gestuurd", "till dig privat", "dir privat", "ihnen privat",
    "unter vier augen", "privat um", "privat geschickt", "privat geschrieben",
    "privat geantwortet", "direkt geschrieben", "direkt geschickt", "dir direkt",
    "direktnachrichten", "direkte nachricht", "per pn", "private nachricht", "privaten nachricht",
    "privaten chat", "privater chat", "private messages", "direct messages", "in private",
    "al privado", "mensaje privado", "mensajes directos", "messages privés", "en mp",
    "directement à toi", "messaggio privato", "messaggi privati", "messaggio diretto",
    "mensagem privada", "em privado", "mensagens diretas", "privébericht", "privéchat",
    "persoonlijk bericht", "privat meddelande", "direktmeddelande", "privat chatt",
    "личные сообщения", "личных сообщениях", "личное сообщение", "в лс", "prywatnie",
    "prywatnej wiadomości", "özelden", "özel mesaj", "ダイレクトメッセージ",
];

/// Parts of words with which a reply says that something was sent, in lower case.
const SENT: [&str; 18] = [
    "sent", "messaged", "wrote", "written", "schick", "geschrieb", "gesend", "mand", "envi",
    "envoy", "écrit", "inviat", "scritto", "gestuurd", "geschreven", "skickat", "отправ", "wysła",
];
/// Parts of sentences by which something is there, or will be.
const THERE: [&str; 28] = [
    "is in ", "it's in ", "are in ", "is waiting", "you'll find", "you will find", "look in",
    "look at", "check your", "i'll ", "i will ", "privately", "ist in ", "steht in", "findest",
    "schau in", "ich ", "está en", "te ", "est dans", "je t", "è nella", "ti ", "staat in", "ik ",
    "jag ", "送", "チャットに",
];
/// Words of an offer.
const OFFERING: [&str; 18] = [
    "can", "could", "may", "if", "would", "kann", "kannst", "könnte", "wenn", "puedo", "puedes",
    "peux", "posso", "puoi", "kan", "kunt", "pode", "only",
];
/// Parts by which the person is to write there.
const INVITING: [&str; 16] = [
    "write to me", "write me", "message me", "text me", "dm me", "ask me", "schreib mir",
    "schreibe mir", "frag mich", "escríbeme", "écris-moi", "scrivimi", "schrijf me",
    "skriv till mig", "escreve-me", "напиши мне",
];
/// With these a message asks how people write to each other elsewhere.
const HOW: [&str; 10] = [
    "how do i", "how can i", "how to ", "wie kann ich", "wie schicke ich", "wie schreibe ich",
    "cómo puedo", "comment puis-je", "come posso", "hoe kan ik",
];

impl ModelTurn<'_> {
    /// The message asks for something, and the model has called nothing yet.
    pub(in crate::ingest::replies) fn lacks_call(&self, totals: &CallTotals) -> bool {
        self.plan.request.is_some() && !self.pending.unprompted && totals.records.is_empty()
    }

    /// The prompt by which it is asked once more, after it said `text`.
    pub(in crate::ingest::replies) fn call_or_deny(
        &self,
        prompt: &Prompt,
        text: &str,
        totals: &mut CallTotals,
    ) -> Option<Prompt> {
        let is_private = totals.records.is_empty() && self.claims_own_chat(text);
        let is_unread = totals.parts.is_empty() && self.context.sent.is_empty();
        let is_unasked = self.plan.request.is_none()
            && totals.failed_changes.is_empty()
            && is_unread
            && self.claims_unasked(text, totals);
        let is_lacking =
            self.lacks_call(totals) && !self.is_talk(text) && !self.tells_of_asked(text, totals);
        let is_claimed = is_lacking || is_private || is_unasked;
        let is_surplus = is_unread
            && (self.tells_more_than_done(text, totals)
                || self.tells_other_than_found(text, totals)
                || is_done_otherwise(&self.plan.requested_changes, &totals.records));
        let is_due =
            (is_claimed || is_surplus || is_unread && self.lacks_possible_call(text, totals))
                && !totals.is_asked_again
                && !prompt.tools.is_empty()
                && !totals.lacks_tools
                && !self.asks_back(text);
        is_due.then(|| {
            totals.is_asked_again = true;
            let mut again = prompt.clone();
            let note = match (is_claimed, is_surplus) {
                (true, _) => CALL_OR_DENY,
                (_, true) => CALL_OR_CORRECT,
                _ => CALL_OR_REPEAT,
            };
            again.add_turn(text, note);
            again
        })
    }

    /// The reply claims nothing. Where a part is lacking, it may say more than the question, or ask
    /// for it without one.
    fn asks_back(&self, text: &str) -> bool {
        let lacks_part = self.plan.request == Some(CertainRequest::Change { lacks_part: true });
        is_question(text) || lacks_part && (ends_with_question(text) || asks_for_part(text))
    }

    /// After a call that failed, or that only looked something up, the reply says that it is not
    /// there, is over or is there already, and claims nothing.
    fn tells_why(&self, answer: &str, totals: &CallTotals) -> bool {
        let lower = plain(answer);
        let mut words = words(&lower);
        let is_told = |word: &str| {
            [NOT_DONE.as_slice(), ALREADY, NOT_THERE]
                .iter()
                .any(|all| all.contains(&word))
        };
        !totals.records.is_empty()
            && !claims_done(answer)
            && (words.any(is_told) || NOT_THERE_PARTS.iter().any(|part| lower.contains(part)))
    }

    /// The message may be no request, and the reply does not take it for one.
    fn is_talk(&self, text: &str) -> bool {
        self.plan.may_be_talk && !claims(text)
    }

    /// The reply's text with sentences of what was not done, where they are due.
    pub(in crate::ingest::replies) fn with_denial(
        &self,
        text: String,
        totals: &CallTotals,
    ) -> String {
        if self.pending.unprompted || totals.failure.is_some() {
            return text;
        }
        let answer = match text.is_empty() {
            true => totals.parts.last().unwrap_or(&text),
            false => &text,
        };
        let before = self.context.sent.iter().chain(&totals.parts);
        let whole: Vec<&str> = before.chain([&text]).map(String::as_str).collect();
        let whole = whole.join("\n\n");
        let language = self.language_with(answer);
        let (text, what_is_set) = self.without_other_times(text.clone(), totals);
        let denial = self.denial(answer, totals);
        let is_nothing_sent = self.is_nothing_sent(answer, totals, denial.is_some());
        let is_part = denial == Some(wording::not_done(&[], language));
        let is_untold =
            what_is_set.is_none() && (is_part || self.tells_more_than_done(&whole, totals));
        let what_was_done = match is_untold {
            true => self.what_was_done(&whole, totals),
            false if what_is_set.is_none() => self.what_is_left_out(&whole, totals),
            false => None,
        };
        let sentences = [
            what_is_set,
            denial,
            what_was_done,
            is_nothing_sent.then(|| wording::nothing_sent(language).to_owned()),
            self.untold_account_task(&text, totals),
            self.untold_zone(&text, totals).map(str::to_owned),
        ];
        let mut all = vec![text];
        all.extend(sentences.into_iter().flatten());
        all.join("\n\n").trim_start().to_owned()
    }

    /// The reply is contradicted.
    pub(in crate::ingest::replies) fn is_denied(&self, text: &str, work: &CallTotals) -> bool {
        !self.pending.unprompted && self.denial(text, work).is_some()
    }

    /// That nothing was changed, or not all.
    fn denial(&self, answer: &str, totals: &CallTotals) -> Option<String> {
        let language = self.language_with(answer);
        let may_be_done = self.may_be_done(totals);
        let is_change_asked = matches!(self.plan.request, Some(CertainRequest::Change { .. }));
        let is_requested =
            is_change_asked && !self.is_talk(answer) && !self.tells_of_asked(answer, totals);
        if self.asks_back(answer) {
            return None;
        }
        let is_whole = totals.parts.is_empty() && self.context.sent.is_empty();
        // A look-up that was called in a way that isn't there.
        let is_only_asked = !is_change_asked
            && is_plain_question(&self.context.message.text)
            && totals.failed_changes.name_nothing();
        match may_be_done {
            false if is_whole && (is_refusal(answer) || self.tells_why(answer, totals)) => None,
            false
                if totals.failed_changes.has_own() && !is_only_asked
                    || is_requested
                    || !totals.failed_changes.is_empty() && claims_done(answer)
                    || self.tells_taken_back(answer, totals)
                    || self.claims_unasked(answer, totals) =>
            {
                Some(wording::nothing_done(language).to_owned())
            }
            true if !totals.failed_changes.is_empty() => {
                Some(wording::not_done(&totals.failed_changes.things(), language))
            }
            true if is_unknown(&totals.records) && claims_done(answer) => {
                Some(wording::not_known(language).to_owned())
            }
            true if self.context.done_calls.is_empty()
                && is_any_missing(&self.plan.requested_changes, &totals.records) =>
            {
                Some(wording::not_done(&[], language))
            }
            _ => None,
        }
    }

    /// Something was changed for the message, as far as is known: what other servers' tools did, or
    /// what was done before, is not known here.
    pub(super) fn may_be_done(&self, totals: &CallTotals) -> bool {
        let is_own = |record: &CallRecord| {
            record.is_change && !is_private(record) && !is_taken_back(record, &totals.records)
        };
        let has_failed = |record: &CallRecord| !record.is_done && record.outcome != UNKNOWN;
        let is_remote = |record: &CallRecord| record.may_change_there && !has_failed(record);
        let may_be_own = |call: &DoneCall| !call.tool.contains(LINK);
        let mut records = totals.records.iter();
        !totals.committed.is_empty()
            || self.context.done_calls.iter().any(may_be_own)
            || records.any(|record| is_own(record) || is_remote(record))
    }

    /// In a group, a private answer that was asked for or spoken of was not sent.
    /// `is_denied`: it is said already that nothing was done.
    fn is_nothing_sent(&self, answer: &str, totals: &CallTotals, is_denied: bool) -> bool {
        let is_of_group = |record: &CallRecord| {
            let reminder = record.reminder.as_ref();
            reminder.is_some_and(|reminder| reminder.is_of_group)
        };
        let mut changes = totals.records.iter().filter(|record| record.is_change);
        let is_changed = is_denied || changes.any(|record| !is_of_group(record));
        let speaks_of_chat = self.speaks_of_own_chat(answer);
        let is_claimed = speaks_of_chat || says_sent(answer) || claims_done(answer);
        let is_asked_for = self.plan.request == Some(CertainRequest::Private) && is_claimed
            || totals.records.iter().any(is_private)
            || self.claims_own_chat(answer) && !is_changed;
        let before = &mut self.context.done_calls.iter();
        let is_sent = totals
            .records
            .iter()
            .any(|record| is_private(record) && record.is_done)
            || before.any(|call| call.tool == Tool::AnswerPrivately.name());
        is_asked_for && !is_sent && self.offers_private_answer() && !is_question(answer)
    }

    fn offers_private_answer(&self) -> bool {
        let tool = OfferedTool::Own(Tool::AnswerPrivately);
        self.plan.tools.contains(&tool) || self.plan.lacks_tools && self.context.group
    }

    /// It says that something went to the person's own chat, is there, or will be.
    fn claims_own_chat(&self, text: &str) -> bool {
        let lower = plain(text);
        statements(&lower).any(|statement| {
            let mut words = words(statement);
            let is_offer = words.any(|word| OFFERING.contains(&word))
                || INVITING.iter().any(|part| statement.contains(part));
            let is_said = says_sent(statement) || THERE.iter().any(|part| statement.contains(part));
            self.speaks_of_own_chat(statement) && is_said && !is_offer
        })
    }

    fn speaks_of_own_chat(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let is_in = |word: &str| {
            let is_part = |c: char| c.is_ascii_alphanumeric();
            let mut places = text.match_indices(word);
            places.any(|(at, _)| {
                !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
            })
        };
        let request = self.context.message.text.to_lowercase();
        let asks_how = HOW.iter().any(|words| request.contains(words));
        self.offers_private_answer() && !asks_how && OWN_CHAT_WORDS.iter().any(|word| is_in(word))
    }

    /// How an account is deleted or exported, where the reply doesn't say it.
    fn untold_account_task(&self, text: &str, totals: &CallTotals) -> Option<String> {
        let is_called = |tool: Tool| {
            totals
                .records
                .iter()
                .any(|record| record.tool == tool.name())
        };
        let task = match self.plan.request {
            Some(CertainRequest::Account(task)) => task,
            _ if is_called(Tool::DeleteAccount) => AccountTask::Delete,
            _ if is_called(Tool::ExportAccount) => AccountTask::Export,
            _ => return None,
        };
        let (path, sentence): (_, fn(Option<&str>) -> &'static str) = match task {
            AccountTask::Delete => ("/account/deletion", wording::account_stays),
            AccountTask::Export => ("/account/export", wording::no_export),
        };
        let is_told = text.contains(path) || totals.parts.iter().any(|part| part.contains(path));
        let language = self.language_with(text);
        (!is_told).then(|| sentence(language).to_owned())
    }
}

/// "Tell me when and I will set it."
fn asks_for_part(text: &str) -> bool {
    const WHEN: [&str; 7] = [
        "when ", "for when", "quand ", "quando ", "cuando ", "come ", "wanneer ",
    ];
    const NEEDS: [&str; 6] = [
        "i need a", "i need the", "i'd need", "ich brauche", "necesito", "j'ai besoin",
    ];
    let text = text.to_lowercase();
    CONDITIONS.iter().any(|part| text.contains(part))
        || WHEN.iter().any(|word| text.starts_with(word))
        || NEEDS.iter().any(|words| text.starts_with(words))
        || begins_question(&text)
}

/// It is not known of a call of another server's tool whether it was carried out.
fn is_unknown(records: &[CallRecord]) -> bool {
    records.iter().any(|record| record.outcome == UNKNOWN)
}

fn says_sent(text: &str) -> bool {
    let text = text.to_lowercase();
    SENT.iter().any(|part| text.contains(part))
}

fn is_private(record: &CallRecord) -> bool {
    record.tool == Tool::AnswerPrivately.name()
}
