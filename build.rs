//! Prepares the guide's pages for rustdoc.
//!
//! Packs the relocations of the executable where its system can read them, with glibc 2.36 or
//! later: otherwise they take 1.8 MB, in the file and in memory. It must not change what is built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The guide, as files that are readable on their own.
const GUIDE: &str = "src/guide";

/// The first glibc that reads packed relocations.
const GLIBC_MIN: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={GUIDE}");
    let out = std::env::var("OUT_DIR").expect("a folder for what is built");
    write_guide(&PathBuf::from(out).join("guide"));
    let variable = |name| std::env::var(name).unwrap_or_default();
    // Elsewhere another libc may run it.
    let is_for_here = variable("HOST") == variable("TARGET");
    let is_release = variable("PROFILE") == "release";
    let has_glibc = variable("CARGO_CFG_TARGET_ENV") == "gnu" && glibc() >= Some(GLIBC_MIN);
    // It does not mark such an executable, and glibc refuses to start it.
    let is_by_mold = variable("CARGO_ENCODED_RUSTFLAGS").contains("mold");
    if is_release && is_for_here && has_glibc && !is_by_mold {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Writes each page with links that rustdoc checks.
fn write_guide(to: &Path) {
    fs::create_dir_all(to).expect("a folder for the guide");
    for entry in fs::read_dir(GUIDE).expect("the guide's folder") {
        let path = entry.expect("a page").path();
        let text = fs::read_to_string(&path).expect("a page of text");
        let name = path.file_name().expect("a page with a name");
        fs::write(to.join(name), with_item_links(&text)).expect("a page is written");
    }
}

/// `relays.md#tokens` becomes `crate::guide::relays#tokens`, and `../store.rs` `crate::store`.
fn with_item_links(text: &str) -> String {
    let mut parts = text.split("](");
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (target, after) = part.split_once(')').unwrap_or((part, ""));
        let (file, anchor) = target.split_at(target.find('#').unwrap_or(target.len()));
        let item = match (file.strip_suffix(".md"), file.strip_prefix("../")) {
            (Some(page), None) => Some(format!("crate::guide::{page}")),
            (None, Some(source)) => source.strip_suffix(".rs").map(|s| format!("crate::{s}")),
            _ => None,
        };
        match item {
            Some(item) => linked.push_str(&format!("]({item}{anchor}){after}")),
            None => linked.push_str(&format!("]({part}")),
        }
    }
    linked
}

/// This system's version, from "glibc 2.36".
fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let said = String::from_utf8(said.ok()?.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
