//! The guide, one page per subject. The pages are the Markdown files in this module's folder; the
//! build script turns links between them into links to these modules.

macro_rules! page {
    ($file:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/guide/", $file))
    };
}

#[doc = page!("operating.md")]
pub mod operating {}

#[doc = page!("relays.md")]
pub mod relays {}

#[doc = page!("relay_rules.md")]
pub mod relay_rules {}

#[doc = page!("http.md")]
pub mod http {}

#[doc = page!("people.md")]
pub mod people {}

#[doc = page!("services.md")]
pub mod services {}

#[doc = page!("payments.md")]
pub mod payments {}

#[doc = page!("webhooks.md")]
pub mod webhooks {}

#[doc = page!("assistant.md")]
pub mod assistant {}

#[doc = page!("models.md")]
pub mod models {}

#[doc = page!("architecture.md")]
pub mod architecture {}

#[doc = page!("testing.md")]
pub mod testing {}
