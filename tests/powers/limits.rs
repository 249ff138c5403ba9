//! How often superpowers may be used in a minute.

use super::{MINUTE_MS, noon, reply, service_at, sessions, subscriber};

const TOO_MANY: &str = "a lot at once";

#[tokio::test(flavor = "multi_thread")]
async fn invocations_count_as_commands() {
    let clock = noon();
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    service.set_flag("rate_limit.enabled", true).await;
    service.set_flag("rate_limit.commands_per_minute", 2).await;
    let answer = async |text: &str| reply(&service, "ana", text).await;
    assert!(answer("add milk to my list").await.contains("Added"));
    assert!(answer("status").await.contains("subscribed"));
    assert!(answer("add tea to my list").await.contains(TOO_MANY));
    // A turn that goes on with what is being used is no command.
    assert!(answer("add bread").await.contains("Added bread"));
    clock.advance(MINUTE_MS);
    let list = answer("my list").await;
    assert!(list.contains("bread") && !list.contains("tea"), "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_have_a_limit_of_their_own() {
    let clock = noon();
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    service.set_flag("rate_limit.enabled", true).await;
    let key = "rate_limit.miniapp_actions_per_minute";
    service.set_flag(key, 3).await;
    let answer = async |text: &str| reply(&service, "ana", text).await;
    for text in ["add milk to my list", "add tea", "I feel great today"] {
        assert!(!answer(text).await.contains(TOO_MANY), "{text}");
    }
    for text in ["mood 3", "undo", "done"] {
        assert!(answer(text).await.contains(TOO_MANY), "{text}");
    }
    assert!(answer("status").await.contains("subscribed"), "no turn");
    assert_eq!(sessions(&service).len(), 2);
    assert_eq!(sessions(&service)[1][1], "active", "nothing was done");
    service
        .set_flag("rate_limit.strict_mode_enabled", true)
        .await;
    clock.advance(MINUTE_MS);
    assert!(!answer("mood 3").await.contains(TOO_MANY));
    assert!(answer("mood 4").await.contains(TOO_MANY), "3 halved is 1");
}
