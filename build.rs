//! Packs the relocations of the executable where its system can read them, with glibc 2.36 or
//! later: otherwise they take 1.8 MB, in the file and in memory. It must not change what is built.

use std::process::Command;

/// The first glibc that reads packed relocations.
const GLIBC_MIN: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
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

/// This system's version, from "glibc 2.36".
fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let said = String::from_utf8(said.ok()?.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
