//! Checks the return URL of a checkout: http or https, with our host or an allowed one. Parsed
//! strictly, so that no browser reads another host in it. Pure.

use core::net::Ipv6Addr;

use crate::config::host_of;

const URL_BYTES_MAX: usize = 2_048;

/// The error completes a sentence about the value.
pub(super) fn check(url: &str, hosts: &[&str]) -> Result<(), &'static str> {
    if url.len() > URL_BYTES_MAX {
        return Err("must be at most 2048 bytes long.");
    }
    // Browsers drop tabs and line breaks, and treat a backslash as a slash.
    if !url.bytes().all(|b| b.is_ascii_graphic()) || url.contains('\\') {
        return Err("must be a URL in ASCII, without spaces and backslashes.");
    }
    let host =
        host_of(url).ok_or("must be a URL that begins with http:// or https:// and a host.")?;
    if hosts.iter().any(|allowed| is_same_host(allowed, &host)) {
        Ok(())
    } else {
        Err("must have an allowed host.")
    }
}

/// IPv6 addresses have several spellings.
fn is_same_host(allowed: &str, host: &str) -> bool {
    let address = |text: &str| text.trim_matches(['[', ']']).parse::<Ipv6Addr>().ok();
    match (address(allowed), address(host)) {
        (Some(allowed), Some(host)) => allowed == host,
        _ => allowed.eq_ignore_ascii_case(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_hosts_are_accepted() {
        let hosts = ["chat.example", "127.0.0.1", "[2001:db8::1]"];
        let valid = [
            "https://chat.example",
            "http://chat.example/",
            "HTTPS://CHAT.example/done?session={CHECKOUT_SESSION_ID}#top",
            "https://chat.example:8443/x",
            "http://127.0.0.1:3000/plans",
            "http://[2001:db8:0::1]:80/",
            "https://chat.example?next=https://evil.example/@x",
        ];
        for url in valid {
            assert_eq!(check(url, &hosts), Ok(()), "{url}");
        }
        let invalid = [
            "", "chat.example", "//chat.example/", "/done", "javascript:alert(1)",
            "javascript://chat.example/%0aalert(1)", "data:text/html,x", "ftp://chat.example/",
            "https:/chat.example/", "https:chat.example", "https:///chat.example/",
            "https://evil.example/", "https://chat.example.evil.example/",
            "https://evilchat.example/", "https://sub.chat.example/", "https://chat.example.",
            "https://chat.example./x", "https://chat.example@evil.example/",
            "https://chat.example:pw@evil.example/", "https://evil.example@chat.example/",
            "https://evil.example\\@chat.example/", "https://chat.example\\@evil.example/",
            "https://chat.example\\.evil.example/", "https://evil.example#@chat.example/",
            "https://evil.example?@chat.example/", "https://chat.example%2eevil.example/",
            "https://chat.example%00.evil.example/", "https://chat.example:0/",
            "https://chat.example:99999/", "https://chat.example:+80/", "https://chat.example:/",
            "https://chat.example:80:80/", "https://chat.example\t.evil.example/",
            " https://chat.example/", "https://chat.example/ x", "https://ch\u{430}t.example/",
            "http://[2001:db8::2]/", "http://[2001:db8::1/", "http://[2001:db8::1].evil.example/",
            "http://[::ffff:127.0.0.1]/", "http://2130706433/", "http://0x7f.1/", "http://127.1/",
        ];
        for url in invalid {
            assert!(check(url, &hosts).is_err(), "{url}");
        }
        let long = format!("https://chat.example/{}", "x".repeat(URL_BYTES_MAX));
        assert!(check(&long, &hosts).is_err());
    }
}
