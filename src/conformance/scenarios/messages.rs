//! Checks of messages that the program posts, and of replies that it sends.

use std::time::Duration;

use super::{LATER, SOON, ScenarioRun, WATCHED};
use crate::conformance::simulator::{MessageAnswer, Observations, PostedMessage};
use crate::random;

impl ScenarioRun<'_> {
    pub(super) async fn messages(&mut self) {
        let rules = [
            "brings-messages", "repeats-with-key", "drops-refused", "sends-replies", "slow-answer",
        ];
        let Some(first) = self.write("hello from conformance", 1, SOON).await.pop() else {
            return self.not_seen(&rules, "it takes no messages from its standard input");
        };
        let is_text = |name: &str| {
            first.body[name]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        };
        let is_whole = ["chat_guid", "sender", "mode", "text"]
            .into_iter()
            .all(is_text)
            && first.body["timestamp"].is_u64();
        let why = "chat_guid, sender, mode, text or timestamp is missing";
        self.conclude("brings-messages", is_whole, why);

        let faults = [MessageAnswer::Lost, MessageAnswer::Unavailable];
        self.simulator
            .change(|observed| observed.answers.extend(faults));
        let posts = self.write("repeat this one", 3, LATER).await;
        let is_same = |post: &PostedMessage| post.key == posts[0].key && post.body == posts[0].body;
        let is_kept = posts.len() == 3 && posts[0].key.is_some() && posts.iter().all(is_same);
        self.conclude(
            "repeats-with-key", is_kept, "it gave up, or key or body differ",
        );

        self.simulator
            .change(|observed| observed.answers.push_back(MessageAnswer::Refused));
        let posts = self.write("refuse this one", 2, WATCHED).await.len();
        self.conclude(
            "drops-refused",
            posts == 1,
            &format!("it was posted {posts} times"),
        );
        self.replies().await;
    }

    async fn replies(&mut self) {
        let words = ["a", "b"].map(|end| format!("reply-{}-{end}", random::uuid()));
        self.simulator
            .change(|observed| observed.bubbles = words.to_vec());
        self.write("answer this one", 1, SOON).await;
        let is_printed = self.until_printed(&words).await;
        let is_sorted = self
            .printed
            .places(&words)
            .is_some_and(|places| places.is_sorted());
        let is_kept = is_printed && is_sorted && self.printed_once(&words);
        self.conclude(
            "sends-replies",
            is_kept,
            "they were not printed once each, in order",
        );

        self.simulator.change(|observed| {
            observed.bubbles = vec!["ok".to_owned()];
            observed.answers.push_back(MessageAnswer::Slow(WATCHED));
        });
        self.write("answer this one late", 1, SOON).await;
        let (command, id, _) = self.command("chat-f");
        self.simulator.send(&[command]);
        let meanwhile = self
            .until(WATCHED, |observed| observed.completed(&id) > 0)
            .await;
        self.conclude(
            "slow-answer", meanwhile, "its commands waited for the answer",
        );
    }

    /// Writes a line in the chat, and returns what the program posted of it within a time or number
    /// of posts.
    async fn write(&mut self, text: &str, times: usize, within: Duration) -> Vec<PostedMessage> {
        let of_it = |observed: &Observations| -> Vec<PostedMessage> {
            let posts = observed
                .posts
                .iter()
                .filter(|post| post.body["text"] == text);
            posts.cloned().collect()
        };
        self.program.write(text).await;
        self.until(within, |observed| of_it(observed).len() >= times)
            .await;
        of_it(&self.simulator.observed.lock())
    }
}
