//! A mail server that speaks as much SMTP (RFC 5321) as a client needs, and does what it is
//! told: takes mails, puts them off, or refuses them.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// How it answers the end of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailResponse {
    Takes,
    PutsOff,
    Refuses,
    /// Breaks the connection off.
    Hangs,
}

pub struct MailServer {
    pub port: u16,
    mood: Arc<Mutex<MailResponse>>,
    mails: Arc<Mutex<Vec<String>>>,
    tries: Arc<Mutex<usize>>,
}

impl MailServer {
    pub async fn start(mood: MailResponse) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            mood: Arc::new(Mutex::new(mood)),
            mails: Arc::default(),
            tries: Arc::default(),
        };
        let (mood, mails, tries) = (
            server.mood.clone(),
            server.mails.clone(),
            server.tries.clone(),
        );
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mood = *mood.lock().unwrap();
                *tries.lock().unwrap() += 1;
                let mails = mails.clone();
                tokio::spawn(async move {
                    let _ = converse(stream, mood, &mails).await;
                });
            }
        });
        server
    }

    pub fn set(&self, mood: MailResponse) {
        *self.mood.lock().unwrap() = mood;
    }

    /// Envelope and content of what was taken.
    pub fn mails(&self) -> Vec<String> {
        self.mails.lock().unwrap().clone()
    }

    /// Connections so far.
    pub fn tries(&self) -> usize {
        *self.tries.lock().unwrap()
    }
}

async fn converse(
    stream: TcpStream,
    mood: MailResponse,
    mails: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 stub\r\n").await?;
    let mut mail = String::new();
    let mut in_mail = false;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        if in_mail && line != ".\r\n" {
            mail += &line;
            continue;
        }
        let answer = match (
            in_mail,
            line.split([' ', ':', '\r']).next().unwrap_or_default(),
        ) {
            (true, _) => {
                in_mail = false;
                match mood {
                    MailResponse::Takes => {
                        mails.lock().unwrap().push(std::mem::take(&mut mail));
                        "250 taken"
                    }
                    MailResponse::PutsOff => "451 not now",
                    MailResponse::Refuses => "554 no",
                    MailResponse::Hangs => return Ok(()),
                }
            }
            (_, "DATA") => {
                in_mail = true;
                "354 go on"
            }
            (_, "EHLO") => "250 stub",
            (_, "MAIL" | "RCPT") => {
                mail += &line;
                "250 fine"
            }
            (_, "QUIT") => "221 bye",
            _ => "502 what",
        };
        stream.write_all(format!("{answer}\r\n").as_bytes()).await?;
    }
}
