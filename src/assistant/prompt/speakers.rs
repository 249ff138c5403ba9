//! Names of people in a group's prompt: each person has one name, distinct from others. Text by
//! anybody but the asker is quoted as data. Handles (phone numbers, addresses) are never given to a
//! model.

use super::{Author, RoomMessage, clean, in_marks};

/// Marks around another person's text.
pub(super) const QUOTED: (&str, &str) = ("<quoted>", "</quoted>");

/// Characters of a name.
const NAME_CHARS_MAX: usize = 40;

#[derive(Default)]
pub(super) struct Speakers {
    /// Names already given to people.
    names: Vec<(i64, String)>,
}

impl Speakers {
    /// A message as the model reads it. In a group, text by others is JSON between two marks, which
    /// no text can close; further lines of the asker are indented, so that no line can look like
    /// another person's.
    pub(super) fn line(
        &mut self,
        message: &RoomMessage,
        text: &str,
        group: bool,
        asker: &Author,
    ) -> String {
        match &message.by {
            Author::Person { id, name } if group => {
                let name = self.name(*id, name.as_deref());
                if !message.by.is_same(asker) {
                    let quote = serde_json::json!({"from": name, "text": text});
                    return format!("{}{}{}", QUOTED.0, in_marks(&quote), QUOTED.1);
                }
                let lines: Vec<&str> = text.split(['\n', '\r', '\u{2028}', '\u{2029}']).collect();
                format!("{name}: {}", lines.join("\n  "))
            }
            _ => text.to_owned(),
        }
    }

    fn name(&mut self, id: i64, name: Option<&str>) -> String {
        if let Some((_, name)) = self.names.iter().find(|(known, _)| *known == id) {
            return name.clone();
        }
        let own: String = clean(name.unwrap_or_default())
            .chars()
            .filter(|c| *c != ':')
            .take(NAME_CHARS_MAX)
            .collect();
        let own = match own.trim() {
            "" => format!("Person {}", self.names.len() + 1),
            own => own.to_owned(),
        };
        let is_taken = |name: &str| {
            let mut names = self.names.iter();
            names.any(|(_, other)| other.to_lowercase() == name.to_lowercase())
        };
        let mut unique = own.clone();
        let mut number = 2;
        while is_taken(&unique) {
            unique = format!("{own} ({number})");
            number += 1;
        }
        self.names.push((id, unique.clone()));
        unique
    }
}
