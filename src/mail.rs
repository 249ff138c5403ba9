//! The SMTP client, the only user of lettre: plain text mails, one at a time, each on its own
//! connection. It blocks, so callers run it on the blocking pool. It must not know what it sends,
//! and never puts addresses or texts into errors.

use std::fmt;
use std::time::Duration;

use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, SmtpTransport, Transport};

use crate::config::{Mail, Secret, SmtpUrl};

/// Timeout for connecting, and for each answer of the server.
const ANSWER_MAX: Duration = Duration::from_secs(15);
/// Status codes about the client's authentication, not about the mail (RFC 4954).
const AUTHENTICATION_CODES: [u16; 4] = [530, 534, 535, 538];

pub struct Mailer {
    transport: SmtpTransport,
    from: Mailbox,
}

pub struct OutgoingLetter<'a> {
    /// The Message-ID's first part. Every attempt uses the same one, so that a duplicate can be
    /// recognised.
    pub id: &'a str,
    pub to: &'a str,
    pub subject: &'a str,
    pub text: &'a str,
}

/// Why the server didn't accept a mail.
#[derive(Debug)]
pub struct MailRefusal {
    /// Another attempt would fail in the same way.
    pub is_final: bool,
    /// For the log, without addresses.
    pub cause: String,
}

impl fmt::Display for MailRefusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl MailRefusal {
    pub fn temporary(cause: impl fmt::Display) -> Self {
        Self {
            is_final: false,
            cause: cause.to_string(),
        }
    }

    fn permanent(cause: &str) -> Self {
        Self {
            is_final: true,
            cause: cause.to_owned(),
        }
    }
}

impl Mailer {
    /// `None` without a configured server. The error is a sentence for the operator.
    pub fn new(config: &Mail) -> Result<Option<Self>, String> {
        let (Some(url), Some(from)) = (&config.smtp_url, &config.from) else {
            return Ok(None);
        };
        let from: Mailbox = from.parse().map_err(|e| format!("mail.from: {e}"))?;
        let mut builder = SmtpTransport::builder_dangerous(&url.host)
            .port(url.port)
            .timeout(Some(ANSWER_MAX))
            .hello_name(ClientId::Domain(from.email.domain().to_owned()))
            .tls(tls(url, config.certificates()?.as_deref())?);
        if let Some(user) = &url.user {
            let password = url.password.as_ref().map_or("", Secret::expose);
            let credentials = Credentials::new(user.clone(), password.to_owned());
            builder = builder.credentials(credentials);
        }
        let transport = builder.build();
        Ok(Some(Self { transport, from }))
    }

    pub fn send(&self, letter: &OutgoingLetter) -> Result<(), MailRefusal> {
        let message = self.message(letter)?;
        match self.transport.send(&message) {
            Ok(_) => Ok(()),
            Err(error) => Err(refusal(&error)),
        }
    }

    fn message(&self, letter: &OutgoingLetter) -> Result<Message, MailRefusal> {
        let to: Address = letter
            .to
            .parse()
            .map_err(|_| MailRefusal::permanent("the recipient's address is invalid"))?;
        // Suppresses automatic answers (RFC 3834).
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        let id = format!("<{}@{}>", letter.id, self.from.email.domain());
        Message::builder()
            .message_id(Some(id))
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(letter.subject)
            .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()))
            .header(ContentType::TEXT_PLAIN)
            .body(letter.text.to_owned())
            .map_err(|_| MailRefusal::permanent("the mail could not be composed"))
    }
}

/// `smtps`: TLS from the first byte. `smtp` with a user: STARTTLS is required, so that the password
/// is never sent in clear text. `smtp` without a user: STARTTLS if offered, with any certificate,
/// because a server without TLS is accepted too.
fn tls(url: &SmtpUrl, ca: Option<&str>) -> Result<Tls, String> {
    let trusts_any_certificate = !url.tls && url.user.is_none();
    let mut parameters = TlsParameters::builder(url.host.clone());
    if let Some(ca) = ca {
        let invalid = || "mail.ca_file: contains no certificate in PEM form".to_owned();
        // The parser accepts a text without certificates.
        if !ca.contains("-----BEGIN CERTIFICATE-----") {
            return Err(invalid());
        }
        let certificates = Certificate::from_pem(ca.as_bytes()).map_err(|_| invalid())?;
        parameters = parameters.add_root_certificate(certificates);
    }
    let parameters = parameters
        .dangerous_accept_invalid_certs(trusts_any_certificate)
        .dangerous_accept_invalid_hostnames(trusts_any_certificate)
        .build()
        .map_err(|e| format!("mail.smtp_url: {e}"))?;
    Ok(match (url.tls, trusts_any_certificate) {
        (true, _) => Tls::Wrapper(parameters),
        (false, false) => Tls::Required(parameters),
        (false, true) => Tls::Opportunistic(parameters),
    })
}

/// The server's text may name the recipient, so only its code is used.
fn refusal(error: &lettre::transport::smtp::Error) -> MailRefusal {
    match error.status().map(u16::from) {
        Some(code) => MailRefusal {
            is_final: is_final(code),
            cause: format!("the mail server answered {code}"),
        },
        None => MailRefusal::temporary(error),
    }
}

fn is_final(code: u16) -> bool {
    code >= 500 && !AUTHENTICATION_CODES.contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_about_the_mail_are_final() {
        for (code, expected) in [
            (421, false),
            (451, false),
            (530, false),
            (535, false),
            (550, true),
            (554, true),
        ] {
            assert_eq!(is_final(code), expected, "{code}");
        }
    }
}
