//! Reads an HTML part: the visible text, links, and schema.org markup. The tokenizer's tokens
//! suffice; a tree would grow with hostile nesting.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use serde_json::Value;

use super::microdata::{Microdata, attribute};
use super::{plain_text, visible};

const HTML_BYTES_MAX: usize = 512 * 1024;
const TEXT_BYTES_MAX: usize = 256 * 1024;
/// Bytes of the line that says whose mail is quoted.
const ANNOUNCEMENT_BYTES_MAX: usize = 300;
const LINKS_MAX: usize = 200;
const LINK_BYTES_MAX: usize = 2_000;
const SCRIPTS_MAX: usize = 20;
/// Elements that are open at once. Those inside belong to the last of them.
const OPEN_MAX: usize = 256;
/// How far up an end tag looks for its start tag.
const CLOSE_DEPTH_MAX: usize = 64;
/// A tag with more than that is no tag.
const TAG_BYTES_MAX: usize = 16 * 1024;

#[rustfmt::skip]
const VOID: [&str; 13] = ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];
#[rustfmt::skip]
const BLOCKS: [&str; 24] = ["p", "div", "br", "tr", "li", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "blockquote", "pre", "section", "article", "header", "footer", "dl", "dt", "center"];
/// Elements whose start tag ends the sibling before.
const SIBLINGS: [&str; 6] = ["p", "li", "tr", "dt", "dd", "option"];
const UNSHOWN: [&str; 7] = [
    "script", "style", "head", "template", "title", "object", "svg",
];
const HIDING: [&str; 7] = [
    "display:none", "visibility:hidden", "font-size:0", "max-height:0", "mso-hide:all",
    "opacity:0;", "line-height:0;",
];

/// The content of an HTML part.
#[derive(Default)]
pub(super) struct HtmlContent {
    pub(super) text: String,
    /// The lines that announce quotations, each with a quotation as plain text has it.
    pub(super) quoted: String,
    /// Links of `a` elements to web pages.
    pub(super) links: Vec<String>,
    /// JSON-LD, and microdata in its form.
    pub(super) markup: Vec<Value>,
}

pub(super) fn read(html: &str) -> HtmlContent {
    let html = &html[..html.floor_char_boundary(HTML_BYTES_MAX.min(html.len()))];
    let html = without_endless_tags(html);
    let tokenizer = Tokenizer::new(HtmlTokens::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(&html));
    while !matches!(tokenizer.feed(&input), html5ever::TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.state.into_inner().finish()
}

/// The tokenizer compares each attribute with the tag's others: tags are capped before it.
fn without_endless_tags(html: &str) -> String {
    let mut cleaned = String::with_capacity(html.len());
    for (at, piece) in html.split('<').enumerate() {
        let end = piece.find('>').unwrap_or(piece.len());
        let starts_tag = piece.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        if at > 0 && starts_tag && end > TAG_BYTES_MAX {
            cleaned.push_str(piece.get(end..).unwrap_or_default());
            continue;
        }
        if at > 0 {
            cleaned.push('<');
        }
        cleaned.push_str(piece);
    }
    cleaned
}

#[derive(Default)]
struct HtmlTokens {
    state: RefCell<HtmlReader>,
}

#[derive(Default)]
struct HtmlReader {
    page: HtmlContent,
    microdata: Microdata,
    open: Vec<Element>,
    /// Start tags beyond `OPEN_MAX`, which end tags take back first.
    deeper: usize,
    /// The JSON-LD script that is being read.
    script: Option<String>,
    scripts: usize,
}

struct Element {
    name: String,
    is_hidden: bool,
}

impl TokenSink for HtmlTokens {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut reading = self.state.borrow_mut();
        match token {
            Token::CharacterTokens(text) => reading.add_text(&text),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return reading.start(&tag),
            Token::TagToken(tag) => reading.end(&tag.name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl HtmlReader {
    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name = &*tag.name;
        if SIBLINGS.contains(&name) && self.open.last().is_some_and(|open| open.name == name) {
            self.end(name);
        }
        if name == "p" || BLOCKS.contains(&name) {
            if self.open.last().is_some_and(|open| open.name == "p") && name != "br" {
                self.end("p");
            }
            self.break_line();
        }
        if matches!(name, "td" | "th") {
            self.add_shown(" ");
        }
        let hidden_above = self.open.last().is_some_and(|open| open.is_hidden);
        let is_hidden = hidden_above || hides(tag);
        if name == "blockquote" && is_hidden && !hidden_above {
            self.announce_quotation();
        }
        if name == "a" && !is_hidden {
            self.add_link(tag);
        }
        let is_void = VOID.contains(&name);
        let is_pushed = !is_void && self.open.len() < OPEN_MAX;
        self.microdata
            .start(tag, is_pushed.then_some(self.open.len()));
        if is_pushed {
            self.open.push(Element {
                name: name.to_owned(),
                is_hidden,
            });
        } else if !is_void {
            self.deeper += 1;
        }
        match name {
            "script" => {
                let kind = attribute(tag, "type").unwrap_or_default().to_lowercase();
                if kind.trim().starts_with("application/ld+json") && self.scripts < SCRIPTS_MAX {
                    self.scripts += 1;
                    self.script = Some(String::new());
                }
                TokenSinkResult::RawData(RawKind::ScriptData)
            }
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => {
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }

    fn end(&mut self, name: &str) {
        if name == "script"
            && let Some(script) = self.script.take()
        {
            self.page.markup.extend(json(&script));
        }
        if BLOCKS.contains(&name) {
            self.break_line();
        }
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let from = self.open.len().saturating_sub(CLOSE_DEPTH_MAX);
        let found = self.open[from..].iter().rposition(|open| open.name == name);
        if let Some(found) = found {
            self.open.truncate(from + found);
            self.microdata.close(self.open.len());
        }
    }

    fn add_text(&mut self, text: &str) {
        if let Some(script) = &mut self.script {
            script.push_str(text);
            return;
        }
        self.microdata.add_text(text);
        if !self.open.last().is_some_and(|open| open.is_hidden) {
            self.add_shown(text);
        }
    }

    /// White space is one space, but for line breaks of elements.
    fn add_shown(&mut self, text: &str) {
        let shown = &mut self.page.text;
        for c in text.chars() {
            if shown.len() > TEXT_BYTES_MAX {
                return;
            }
            match c.is_whitespace() {
                true if shown.ends_with([' ', '\n']) || shown.is_empty() => {}
                true => shown.push(' '),
                false => shown.push(c),
            }
        }
    }

    fn break_line(&mut self) {
        let shown = &mut self.page.text;
        while shown.ends_with(' ') {
            shown.pop();
        }
        if !shown.is_empty() && !shown.ends_with('\n') {
            shown.push('\n');
        }
    }

    /// Takes the line before a quotation out of the text.
    fn announce_quotation(&mut self) {
        let shown = self.page.text.trim_end();
        let start = shown.floor_char_boundary(shown.len().saturating_sub(ANNOUNCEMENT_BYTES_MAX));
        let line = shown[start..].lines().next_back().unwrap_or_default();
        if !line.ends_with(':') || self.page.quoted.len() > TEXT_BYTES_MAX {
            return;
        }
        self.page.quoted.push_str(line);
        self.page.quoted.push_str("\n> \n");
        let length = shown.len() - line.len();
        self.page.text.truncate(length);
    }

    fn add_link(&mut self, tag: &Tag) {
        let link = attribute(tag, "href").unwrap_or_default().trim();
        let is_web = link.starts_with("https://") || link.starts_with("http://");
        if is_web && link.len() <= LINK_BYTES_MAX && self.page.links.len() < LINKS_MAX {
            self.page.links.push(link.to_owned());
        }
    }

    fn finish(mut self) -> HtmlContent {
        // A script that a cap cut off is none.
        self.microdata.close(0);
        self.page.markup.extend(self.microdata.items);
        self.page.text = plain_text::without_quotes(&visible(&self.page.text));
        self.page
    }
}

/// Quoted mails count as hidden, too: they are somebody else's words.
fn hides(tag: &Tag) -> bool {
    let name = &*tag.name;
    if UNSHOWN.contains(&name) || attribute(tag, "hidden").is_some() {
        return true;
    }
    if name == "blockquote" {
        let class = attribute(tag, "class").unwrap_or_default();
        let kind = attribute(tag, "type").unwrap_or_default();
        return kind == "cite" || class.contains("gmail_quote");
    }
    attribute(tag, "style").is_some_and(|style| {
        let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
        let style = style.to_lowercase() + ";";
        HIDING.iter().any(|hiding| hides_by(&style, hiding))
    })
}

/// `font-size:0` hides, `font-size:0.9em` does not.
fn hides_by(style: &str, hiding: &str) -> bool {
    style.match_indices(hiding).any(|(at, _)| {
        let rest = &style[at + hiding.len()..];
        !rest.starts_with('.') && !rest.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Parses JSON as senders write it: with comments or entities round it, and line breaks inside
/// strings.
fn json(script: &str) -> Option<Value> {
    let text = script.trim();
    let text = text.trim_start_matches("//").trim_start();
    let text = text.strip_prefix("<![CDATA[").unwrap_or(text);
    let text = text.strip_prefix("<!--").unwrap_or(text);
    let text = text.strip_suffix("-->").unwrap_or(text);
    let text = text.strip_suffix("]]>").unwrap_or(text).trim();
    let text = text.trim_end_matches("//").trim_end();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let plain = plain.replace("&quot;", "\"").replace("&amp;", "&");
    serde_json::from_str(plain.trim_end().trim_end_matches(';')).ok()
}
