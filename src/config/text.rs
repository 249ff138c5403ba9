//! Parsers of plain texts in the configuration: lines, names, prompts, mail addresses.

const LINE_BYTES_MAX: usize = 512;
const PROMPT_BYTES_MAX: usize = 32 * 1024;
const NAME_BYTES_MAX: usize = 64;

/// One line, such as an identifier, a path or an address.
pub(super) fn line(text: &str) -> Result<String, String> {
    one_line(text, LINE_BYTES_MAX)
}

/// The path of a file.
pub(super) fn file_path(text: &str) -> Result<String, String> {
    let path = line(text)?;
    if path.starts_with("~/") {
        return Err("must be a whole path, because no shell writes out \"~\"".to_owned());
    }
    if path.ends_with('/') || std::path::Path::new(&path).file_name().is_none() {
        return Err("must name a file, like \"data/chatkeep.db\"".to_owned());
    }
    Ok(path)
}

/// A displayed name.
pub(super) fn name(text: &str) -> Result<String, String> {
    let name = one_line(text.trim(), NAME_BYTES_MAX)?;
    if name.is_empty() {
        return Err("must not be blank".to_owned());
    }
    Ok(name)
}

/// A text of several lines.
pub(super) fn prompt(text: &str) -> Result<String, String> {
    if text.len() > PROMPT_BYTES_MAX {
        return Err(format!("must be at most {PROMPT_BYTES_MAX} bytes long"));
    }
    Ok(text.to_owned())
}

/// An ISO 4217 code, in lower case as payment providers write it.
pub(super) fn currency(text: &str) -> Result<String, String> {
    if text.len() == 3 && text.bytes().all(|b| b.is_ascii_alphabetic()) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("must be a currency code of three letters, like \"usd\"".to_owned())
    }
}

/// `a@b.example` or `Name <a@b.example>`.
pub(super) fn mail_address(text: &str) -> Result<String, String> {
    let line = line(text)?;
    let address = match line.split_once('<') {
        Some((_, rest)) => rest.strip_suffix('>').unwrap_or_default(),
        None => line.as_str(),
    };
    let valid = address.split_once('@').is_some_and(|(local, domain)| {
        let is_forbidden = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '@' | ',');
        !local.is_empty()
            && !domain.is_empty()
            && !local.contains(is_forbidden)
            && !domain.contains(is_forbidden)
    });
    if valid {
        Ok(line)
    } else {
        Err("must be a mail address, \"a@b.example\" or \"Name <a@b.example>\"".to_owned())
    }
}

fn one_line(text: &str, bytes_max: usize) -> Result<String, String> {
    if text.len() > bytes_max {
        return Err(format!("must be at most {bytes_max} bytes long"));
    }
    if text.chars().any(char::is_control) {
        return Err("must be one line without control characters".to_owned());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_addresses() {
        for valid in ["a@b", "a.b+c@d.example", "Juno <juno@chat.example>"] {
            assert_eq!(mail_address(valid).as_deref(), Ok(valid));
        }
        for invalid in [
            "a", "@b", "a@", "a b@c", "Juno <juno@chat.example", "a@b\r\nBcc: c@d", "<>",
        ] {
            assert!(mail_address(invalid).is_err(), "{invalid:?}");
        }
    }

    #[test]
    fn currencies() {
        assert_eq!(currency("EUR").as_deref(), Ok("eur"));
        for invalid in ["eu", "euro", "e€", "12a"] {
            assert!(currency(invalid).is_err(), "{invalid:?}");
        }
    }
}
