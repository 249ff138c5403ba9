//! `chatkeep commands`, beside a running service and alone.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::process::Process;
use crate::support::{ADMIN_TOKEN, EDGE_SECRET, direct, eventually, post, rows, token};
use serde_json::{Value, json};

fn commands(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"))
        .env("CHATKEEP_ADMIN_TOKEN", ADMIN_TOKEN)
        .env("EDGE_SECRET", EDGE_SECRET)
        .current_dir(folder)
        .arg("commands")
        .args(arguments.split_whitespace())
        .output()
        .unwrap()
}

fn done(folder: &Path, arguments: &str) -> String {
    let output = commands(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn listed(folder: &Path) -> Vec<Value> {
    let list: Value = serde_json::from_str(&done(folder, "list --json")).unwrap();
    list["commands"].as_array().unwrap().clone()
}

async fn poll(service: &Process, body: Value) -> Value {
    let poll = post("/edge/sync", &body).bearer(&token("a"));
    service.send(&poll).await.json()["commands"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_is_listed_sent_again_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let database = folder.join("chatkeep.db");
    let missing = commands(folder, "list");
    assert_eq!(missing.status.code(), Some(1), "{missing:?}");
    let mut service = Process::start(&database, &[]).unwrap();
    let message = direct("ana", "remind me in 1 second to stretch");
    let answer = service
        .send(&post("/edge/message", &message).bearer(&token("a")))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(done(folder, "list"), "No commands.\n");
    let waiting = "SELECT count(*) FROM commands";
    eventually("the reminder", async || rows(&database, waiting) == [[1]]).await;
    let command = poll(&service, json!({})).await;
    let id = command["command_id"].as_str().unwrap().to_owned();
    let refused = json!({"acks": [{"command_id": id, "status": "failed", "retryable": false}]});
    poll(&service, refused.clone()).await;
    assert!(done(folder, "list --state failed").starts_with(&id));
    assert_eq!(done(folder, "list --state expired"), "No commands.\n");

    // Through the service, and then without one.
    done(folder, &format!("retry {id}"));
    assert_eq!(poll(&service, json!({})).await["command_id"], *id);
    poll(&service, refused.clone()).await;
    assert_eq!(listed(folder).len(), 1);
    service.kill();
    done(folder, &format!("retry {id}"));
    assert_eq!(listed(folder).len(), 0);
    let mut service = Process::start(&database, &[]).unwrap();
    assert_eq!(poll(&service, json!({})).await["command_id"], *id);
    poll(&service, refused).await;
    service.kill();
    done(folder, &format!("drop {id}"));
    assert_eq!(listed(folder).len(), 0);
    for wrong in [format!("drop {id}"), "retry nothing/else".to_owned()] {
        let output = commands(folder, &wrong);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(printed.contains("chatkeep commands list"), "{printed}");
    }
    assert_eq!(commands(folder, "list --state lost").status.code(), Some(2));
}
