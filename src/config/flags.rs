//! `[flags]`: where the values of feature flags come from.

use std::ops::RangeInclusive;

use super::report::Report;
use super::secret::Secret;
use super::section::{Choice, Section};
use super::url;

pub(super) const ABOUT: &str = "Where the values of feature flags come from.";

const POLL_S: RangeInclusive<u64> = 1..=86_400;
const KILL_SWITCH_POLL_S: RangeInclusive<u64> = 1..=3600;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagsProvider {
    None,
    LaunchDarkly,
    Ofrep,
}

#[derive(Debug, Clone)]
pub struct Flags {
    pub provider: FlagsProvider,
    /// Without a trailing slash. With `FlagsProvider::Ofrep`, it is there.
    pub base_url: Option<String>,
    /// Without one, `FlagsProvider::LaunchDarkly` is never asked.
    pub sdk_key: Option<Secret>,
    pub poll_s: u64,
    pub kill_switch_poll_s: u64,
}

impl Choice for FlagsProvider {
    const VALUES: &'static [(&'static str, Self)] = &[
        ("none", Self::None),
        ("launchdarkly", Self::LaunchDarkly),
        ("ofrep", Self::Ofrep),
    ];
}

pub(super) fn read(s: &mut Section<'_>) -> Flags {
    let chosen = s.choice_if_set(
        "provider",
        "none",
        "With \"none\" every flag has its default. An SDK key alone means \"launchdarkly\"; \
         \"launchdarkly\" without a key is as \"none\", with a warning.",
    );
    let base_url = s.parsed_if_set(
        "base_url",
        "https://flags.example.com",
        "Address of the provider; \"launchdarkly\" has one of its own.",
        url::base,
    );
    let sdk_key = s.secret("sdk_key", "The provider's key. Also FLAGS_SDK_KEY.");
    let implied = if sdk_key.is_some() {
        FlagsProvider::LaunchDarkly
    } else {
        FlagsProvider::None
    };
    Flags {
        provider: chosen.unwrap_or(implied),
        base_url,
        sdk_key,
        poll_s: s.number(
            "poll_s",
            60,
            POLL_S,
            "Seconds between two looks at all flags.",
        ),
        kill_switch_poll_s: s.number(
            "kill_switch_poll_s",
            5,
            KILL_SWITCH_POLL_S,
            "Seconds between two looks at the flags that switch things off in an emergency.",
        ),
    }
}

pub(super) fn check(flags: &Flags, report: &mut Report) {
    match flags.provider {
        FlagsProvider::LaunchDarkly if flags.sdk_key.is_none() => {
            report.warning(
                "flags.provider is \"launchdarkly\" and flags.sdk_key is not set: no provider is \
                 asked, and every flag has its default. Set flags.sdk_key or FLAGS_SDK_KEY.",
            );
        }
        FlagsProvider::Ofrep if flags.base_url.is_none() => {
            report.problem(
                "flags.base_url",
                "is needed with flags.provider = \"ofrep\"",
            );
        }
        _ => {}
    }
}
