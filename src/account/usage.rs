//! A person's remaining allowance for today, by the same rules that decide about their messages.
//! Pure.

use schemars::JsonSchema;
use serde::Serialize;

use crate::access::{self, AccessFacts, AccessRequest, AccessRules};
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::flags::FlagReader;
use crate::model::subscription::{PlanWord, StatusWord};
use crate::store::UserRow;

/// When a free user's count starts again.
const RESETS_AT: &str = "midnight UTC";
/// Shown when buying a subscription would change nothing.
const SWITCHED_OFF: &str = "Superpowers are not available at the moment.";

#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UsageLimits<'a> {
    #[schemars(with = "StatusWord")]
    pub subscription_status: &'a str,
    #[schemars(with = "Option<PlanWord>")]
    pub subscription_plan: Option<&'a str>,
    pub messages: MessageLimits,
    pub superpowers: Superpowers,
}

/// Limits of the UTC day.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MessageLimits {
    /// null means unlimited.
    #[schemars(range(min = 0), example = 50)]
    pub limit: Option<i64>,
    #[schemars(range(min = 0), example = 49)]
    pub remaining: Option<i64>,
    pub unlimited: bool,
    /// A text; null for subscribers.
    #[schemars(example = RESETS_AT)]
    pub resets_at: Option<&'static str>,
}

/// Superpowers in direct chats.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Superpowers {
    pub enabled: bool,
    /// null when superpowers are enabled.
    pub upgrade_message: Option<&'static str>,
}

impl<'a> UsageLimits<'a> {
    /// `flags` are those of this user; `row` has the count of the day of `now`.
    pub fn of(row: &'a UserRow, flags: &FlagReader, now: Timestamp) -> Self {
        let subscription = access::subscription_status(&row.user, now);
        let rules = AccessRules::read(flags);
        let subscribed = access::counts_as_subscribed(subscription, flags);
        Self {
            subscription_status: subscription.status,
            subscription_plan: subscription.plan,
            messages: MessageLimits::of(rules, subscribed, row.day_count),
            superpowers: Superpowers::of(rules, subscribed, flags.any_superpower()),
        }
    }
}

impl MessageLimits {
    pub fn of(rules: AccessRules, subscribed: bool, used_today: i64) -> Self {
        let limit = rules.allowance(subscribed);
        Self {
            limit,
            remaining: limit.map(|limit| (limit - used_today).max(0)),
            unlimited: limit.is_none(),
            resets_at: (!subscribed).then_some(RESETS_AT),
        }
    }
}

impl Superpowers {
    /// `offered`: whether any superpower is switched on.
    pub fn of(rules: AccessRules, subscribed: bool, offered: bool) -> Self {
        let caller = AccessFacts {
            subscribed,
            used_today: 0, // superpowers aren't counted
        };
        let allowed = access::decide(rules, caller, AccessRequest::DirectSuperpower).is_allowed();
        Self {
            enabled: offered && allowed,
            upgrade_message: match (offered, allowed) {
                (true, true) => None,
                (true, false) => Some(wording::UPGRADE_MESSAGE),
                (false, _) => Some(SWITCHED_OFF),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: AccessRules = AccessRules {
        free_tier: true,
        paywall: false,
        daily_limit: 50,
        superpowers_disabled: true,
    };

    #[test]
    fn remaining_messages() {
        let open = AccessRules {
            free_tier: false,
            ..RULES
        };
        let paywalled = AccessRules {
            paywall: true,
            ..RULES
        };
        // (rules, subscribed, used, limit, remaining, whether it resets)
        let cases = [
            (RULES, false, 0, Some(50), Some(50), true),
            (RULES, false, 49, Some(50), Some(1), true),
            (RULES, false, 50, Some(50), Some(0), true),
            (RULES, false, 70, Some(50), Some(0), true),
            (RULES, true, 70, None, None, false),
            (paywalled, false, 0, Some(0), Some(0), true),
            (paywalled, true, 0, None, None, false),
            (open, false, 70, None, None, true),
            (open, true, 70, None, None, false),
        ];
        for (rules, subscribed, used, limit, remaining, resets) in cases {
            let expected = MessageLimits {
                limit,
                remaining,
                unlimited: limit.is_none(),
                resets_at: resets.then_some("midnight UTC"),
            };
            let limits = MessageLimits::of(rules, subscribed, used);
            assert_eq!(limits, expected, "{rules:?} {subscribed} {used}");
        }
    }

    #[test]
    fn superpowers_follow_the_gate_and_the_switch() {
        let ungated = AccessRules {
            superpowers_disabled: false,
            ..RULES
        };
        // (rules, subscribed, offered, enabled)
        let cases = [
            (RULES, false, true, false),
            (RULES, true, true, true),
            (RULES, true, false, false),
            (RULES, false, false, false),
            (ungated, false, true, true),
            (ungated, false, false, false),
        ];
        for (rules, subscribed, offered, enabled) in cases {
            let superpowers = Superpowers::of(rules, subscribed, offered);
            assert_eq!(
                superpowers.enabled, enabled,
                "{rules:?} {subscribed} {offered}"
            );
            assert_eq!(
                superpowers.upgrade_message.is_none(),
                enabled,
                "{superpowers:?}"
            );
        }
    }
}
