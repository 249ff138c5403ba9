//! Reads a secret from a file, from the terminal without echo, or from standard input. Every user
//! of the machine could see a secret in an argument.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Read, Write as _};
use std::path::Path;

use rustix::termios::{self, LocalModes, OptionalActions};

/// Longest secret that is read.
const SECRET_BYTES_MAX: u64 = 4_096;

/// Returns the first line. `what` names the secret in the prompt and in errors.
pub(super) fn read(what: &str, file: Option<&Path>) -> Result<String, String> {
    let line = match file {
        Some(file) => {
            let failed = |e: io::Error| format!("can't read {}: {e}", file.display());
            first_line(File::open(file).map_err(failed)?).map_err(failed)?
        }
        None if io::stdin().is_terminal() => {
            prompt(what).map_err(|e| format!("can't read the {what}: {e}"))?
        }
        None => first_line(io::stdin().lock())
            .map_err(|e| format!("can't read the {what} from standard input: {e}"))?,
    };
    match line.trim_matches(['\r', '\n']) {
        "" => Err(format!(
            "no {what} was entered; type it at the prompt, or name a file with --secret-file"
        )),
        line => Ok(line.to_owned()),
    }
}

fn prompt(what: &str) -> io::Result<String> {
    let stdin = io::stdin();
    let initial = termios::tcgetattr(&stdin)?;
    let mut without_echo = initial.clone();
    without_echo.local_modes -= LocalModes::ECHO;
    eprint!("The {what}: ");
    io::stderr().flush()?;
    termios::tcsetattr(&stdin, OptionalActions::Flush, &without_echo)?;
    let line = first_line(stdin.lock());
    termios::tcsetattr(&stdin, OptionalActions::Flush, &initial)?;
    eprintln!();
    line
}

fn first_line(from: impl Read) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(from.take(SECRET_BYTES_MAX)).read_line(&mut line)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_file_is_the_secret() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        for (text, expected) in [
            ("quixotic", Ok("quixotic")),
            (" a b \r\nmore", Ok(" a b ")),
            ("", Err(())),
            ("\nsecond", Err(())),
        ] {
            std::fs::write(&file, text).unwrap();
            let read = read("password", Some(&file)).map_err(|_| ());
            assert_eq!(read.as_deref(), expected.as_deref(), "{text:?}");
        }
        assert!(read("password", Some(&folder.path().join("no"))).is_err());
    }
}
