//! `chatkeep chat` with a service elsewhere: over TLS, and where its connection is refused.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::support::{Service, eventually, token};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const AGENT: &str = "terminal";

fn chat(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.arg("chat").args(arguments).env_clear();
    command.env("CHATKEEP_EDGE_TOKEN", token(AGENT));
    command.current_dir(folder);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The output of a conversation with one line of input.
fn run_with_line(mut command: Command, line: &str) -> Output {
    let mut child = command.spawn().unwrap();
    // One that has refused already reads no more.
    let _ = writeln!(child.stdin.take().unwrap(), "{line}");
    child.wait_with_output().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_is_joined_over_tls_whose_certificate_is_trusted() {
    let service = Service::start().await;
    let (url, pem) = crate::support::tls::proxy(service.address).await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own.pem"), pem).unwrap();
    let url = format!("{url}/");

    // The reminder comes over the WebSocket, after the input has ended.
    let reminder = "remind me in 1 second to stretch";
    for by_variable in [true, false] {
        let arguments: &[&str] = match by_variable {
            true => &["--url", &url],
            false => &["--url", &url, "--ca-file", "own.pem"],
        };
        let mut command = chat(folder.path(), arguments);
        if by_variable {
            command.env("SSL_CERT_FILE", "own.pem");
        }
        let output = tokio::task::spawn_blocking(move || run_with_line(command, reminder))
            .await
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        let bubbles: Vec<&str> = printed.lines().collect();
        assert!(bubbles.len() >= 2, "{printed}");
        assert!(bubbles.last().unwrap().contains("stretch"), "{printed}");
        assert_eq!(errors, "");
    }
}

#[test]
fn without_a_configuration_file_a_superpower_works_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut answers = Vec::new();
    for settings in [&[][..], &[("CHATKEEP_ACCESS_CHARGE_NOBODY", "false")]] {
        let mut command = chat(folder.path(), &[]);
        command.env("CHATKEEP_SERVER_LISTEN", "127.0.0.1:0");
        command
            .env_remove("CHATKEEP_EDGE_TOKEN")
            .envs(settings.iter().copied());
        let output = run_with_line(command, "add milk to my list");
        assert!(output.status.success(), "{output:?}");
        answers.push(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    assert!(answers[0].contains("milk"), "{answers:?}");
    assert!(answers[1].contains("superpowers"), "{answers:?}");
}

#[test]
fn an_address_or_a_file_of_no_use_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty.pem"), "nothing").unwrap();
    for (arguments, part) in [
        (&["--url", "ftp://a.example"][..], "http:// or https://"),
        (
            &["--url", "https://a.example", "--ca-file", "no.pem"],
            "can't read no.pem",
        ),
        (
            &["--url", "https://a.example", "--ca-file", "empty.pem"],
            "no certificate in PEM form",
        ),
    ] {
        let output = run_with_line(chat(folder.path(), arguments), "hi");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(part), "{errors}");
    }
}

/// A service that takes messages and refuses WebSockets.
async fn without_sockets(status: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = Vec::new();
                let mut bytes = [0; 4096];
                while !request.windows(4).any(|w| w == b"\r\n\r\n") {
                    match stream.read(&mut bytes).await {
                        Ok(n @ 1..) => request.extend_from_slice(&bytes[..n]),
                        _ => return,
                    }
                }
                let (status, body) = match request.starts_with(b"POST") {
                    true => ("200 OK", json!({"reply_bubbles": ["Hello."]}).to_string()),
                    false => (status, "{}".to_owned()),
                };
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nRetry-After: 60\r\n\
                     Connection: close\r\n\r\n{body}"
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    address
}

/// Ends when dropped.
struct ChatProcess(Child);

impl Drop for ChatProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_connection_is_told_while_the_conversation_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let address = without_sockets("429 Too Many Requests").await;
    let url = format!("http://{address}");
    let mut talking = ChatProcess(chat(folder.path(), &["--url", &url]).spawn().unwrap());
    let mut errors = BufReader::new(talking.0.stderr.take().unwrap());
    let message = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        line
    });
    let message = message.await.unwrap();
    assert!(
        message.contains("(429): this terminal has connected too often"),
        "{message}"
    );
    let mut stdin = talking.0.stdin.take().unwrap();
    writeln!(stdin, "hi").unwrap();
    drop(stdin);
    let mut stdout = talking.0.stdout.take().unwrap();
    let printed = tokio::task::spawn_blocking(move || {
        let mut printed = String::new();
        stdout.read_to_string(&mut printed).unwrap();
        printed
    });
    assert_eq!(printed.await.unwrap(), "Juno: Hello.\n");
    eventually("the end", async || talking.0.try_wait().unwrap().is_some()).await;
}

/// What the chat prints when a service refuses its token.
async fn refused(token: Option<&str>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let address = without_sockets("401 Unauthorized").await;
    let url = format!("http://{address}");
    let mut command = chat(folder.path(), &["--url", &url]);
    command.envs(token.map(|token| ("CHATKEEP_EDGE_TOKEN", token)));
    let mut child = command.spawn().unwrap();
    let typing = child.stdin.take().unwrap();
    let output = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap());
    let output = output.await.unwrap();
    drop(typing);
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    printed
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_ends_the_conversation_before_anything_is_typed() {
    let printed = refused(None).await;
    assert_eq!(printed.lines().count(), 1, "{printed}");
    assert!(
        printed.contains("does not accept this token (401)"),
        "{printed}"
    );
    assert!(
        printed.contains("chatkeep token edge --agent-id terminal"),
        "{printed}"
    );
    // That of another relay, from the environment.
    let printed = refused(Some(&token("my-relay"))).await;
    let whose = "(401): it is of the agent my-relay (is CHATKEEP_EDGE_TOKEN set?), and the chat needs one of the agent terminal; make one";
    assert!(printed.contains(whose), "{printed}");
}

#[test]
fn a_mistyped_variable_is_named_before_the_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = chat(folder.path(), &[]);
    command.env_remove("CHATKEEP_EDGE_TOKEN");
    command.env("CHATKEEP_RELPY_ENGINE", "openai");
    let output = run_with_line(command, "hi");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    let expected = "CHATKEEP_RELPY_ENGINE: is set and has no effect; the nearest known name is \
                    CHATKEEP_REPLY_ENGINE";
    assert!(errors.contains(expected), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

#[test]
fn a_service_elsewhere_needs_a_token_and_nothing_is_made_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = chat(folder.path(), &["--url", "http://127.0.0.1:1"]);
    command.env_remove("CHATKEEP_EDGE_TOKEN");
    let output = run_with_line(command, "hi");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("set it as CHATKEEP_EDGE_TOKEN"), "{errors}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Variables that are set to nothing count as unset, and a line that is refused doesn't end the
/// conversation.
#[test]
fn empty_variables_and_refused_lines_end_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = chat(folder.path(), &[]);
    command
        .env("CHATKEEP_EDGE_TOKEN", "")
        .env("SSL_CERT_FILE", "");
    let long = "x".repeat(40_000);
    let output = run_with_line(command, &format!("{long}\nmy name is Ada"));
    let (said, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert!(said.contains("Nice to meet you, Ada!"), "{said}{errors}");
}
