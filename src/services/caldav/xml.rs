//! Reads what WebDAV servers answer: a tree of elements with their namespaces, bounded in depth
//! and size. Entities of a document's own are not expanded.

use quick_xml::NsReader;
use quick_xml::events::Event;
use quick_xml::name::ResolveResult;

const DEPTH_MAX: usize = 40;
const ELEMENTS_MAX: usize = 200_000;

pub(super) const DAV: &str = "DAV:";
pub(super) const CALDAV: &str = "urn:ietf:params:xml:ns:caldav";
pub(super) const CALENDAR_SERVER: &str = "http://calendarserver.org/ns/";

/// An element with what is inside.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    namespace: String,
    name: String,
    attributes: Vec<(String, String)>,
    pub(super) text: String,
    children: Vec<Element>,
}

impl Element {
    /// The document's root; `None`: it is no XML, or too much of it.
    pub(super) fn parse(document: &str) -> Option<Self> {
        let mut reader = NsReader::from_str(document);
        let mut open: Vec<Self> = vec![Self::default()];
        let mut count = 0;
        loop {
            let (namespace, event) = reader.read_resolved_event().ok()?;
            match event {
                Event::Start(ref start) | Event::Empty(ref start) => {
                    count += 1;
                    let namespace = match namespace {
                        ResolveResult::Bound(namespace) => namespace.as_ref().to_owned(),
                        _ => String::new(),
                    };
                    let attributes = start.attributes().flatten().map(|attribute| {
                        let name = attribute.key.local_name().as_ref().to_owned();
                        (name, attribute.value.into_owned())
                    });
                    let element = Self {
                        namespace,
                        name: start.local_name().as_ref().to_owned(),
                        attributes: attributes.collect(),
                        ..Self::default()
                    };
                    if count > ELEMENTS_MAX || open.len() > DEPTH_MAX {
                        return None;
                    }
                    match event {
                        Event::Empty(_) => open.last_mut()?.children.push(element),
                        _ => open.push(element),
                    }
                }
                Event::End(_) => {
                    let element = open.pop()?;
                    open.last_mut()?.children.push(element);
                }
                Event::Text(text) => open.last_mut()?.text.push_str(&text.xml10_content()),
                Event::CData(text) => open.last_mut()?.text.push_str(&text.xml10_content()),
                Event::GeneralRef(reference) => {
                    let character = match reference.resolve_char_ref().ok()? {
                        Some(character) => character,
                        None => match reference.xml10_content().as_ref() {
                            "amp" => '&',
                            "lt" => '<',
                            "gt" => '>',
                            "quot" => '"',
                            "apos" => '\'',
                            _ => return None,
                        },
                    };
                    open.last_mut()?.text.push(character);
                }
                Event::Eof => break,
                _ => {}
            }
        }
        match (open.pop(), open.pop()) {
            (Some(mut document), None) if document.children.len() == 1 => document.children.pop(),
            _ => None,
        }
    }

    pub(super) fn is(&self, namespace: &str, name: &str) -> bool {
        self.namespace == namespace && self.name == name
    }

    /// The children of that name.
    pub(super) fn all<'a>(
        &'a self,
        namespace: &'a str,
        name: &'a str,
    ) -> impl Iterator<Item = &'a Self> {
        let children = self.children.iter();
        children.filter(move |child| child.is(namespace, name))
    }

    /// The first child of that name.
    pub(super) fn child(&self, namespace: &str, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.is(namespace, name))
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        let (_, value) = attributes.find(|(known, _)| known == name)?;
        Some(value)
    }

    /// The element's text without the white space around it.
    pub(super) fn trimmed(&self) -> &str {
        self.text.trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_namespaces_whatever_their_prefix() {
        let document = "<?xml version='1.0'?><D:a xmlns:D='DAV:'><b xmlns='DAV:'> x &amp; &#65; \
                        <![CDATA[<y>]]></b><c:b xmlns:c='urn:ietf:params:xml:ns:caldav' name='VEVENT'/></D:a>";
        let root = Element::parse(document).unwrap();
        assert!(root.is(DAV, "a"));
        assert_eq!(root.child(DAV, "b").unwrap().trimmed(), "x & A <y>");
        let other = root.child(CALDAV, "b").unwrap();
        assert_eq!(other.attribute("name"), Some("VEVENT"));
        assert_eq!(root.all(DAV, "b").count(), 1);
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let deep = format!("{}{}", "<a>".repeat(100), "</a>".repeat(100));
        let bomb = "<!DOCTYPE a [<!ENTITY b 'bbbb'><!ENTITY c '&b;&b;'>]><a>&c;</a>";
        for document in ["", "no", "<a>", "<a></b>", "<a/><a/>", &deep, bomb] {
            assert_eq!(Element::parse(document), None, "{document}");
        }
    }
}
