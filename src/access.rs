//! Access rules: whether a person may send a message or use a superpower, by the flags, the
//! day's count and the subscription. Used by ingest, account, exports and billing. Pure:
//! everything needed is in the arguments.

use serde_json::{Value, json};

use crate::assistant::persona::Persona;
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::flags::FlagReader;
use crate::model::subscription::SubscriptionStatus;
use crate::store::User;

/// The flags about free users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessRules {
    /// `free_tier.enabled`: the master switch; when off, nobody is restricted.
    pub free_tier: bool,
    /// `payment.paywall_enabled`: no free messages at all.
    pub paywall: bool,
    /// `free_tier.daily_message_limit`
    pub daily_limit: i64,
    /// `free_tier.superpowers_disabled`: free users have no superpowers in direct chats.
    pub superpowers_disabled: bool,
}

/// The person who asks for access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessFacts {
    pub subscribed: bool,
    /// Messages counted this UTC day, without the current one.
    pub used_today: i64,
}

/// The kinds of access that a person can be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessRequest {
    Message,
    /// An offered superpower in a direct chat.
    DirectSuperpower,
    /// A superpower in a group.
    GroupSuperpower {
        owner_subscribed: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Allow {
        /// Messages left today, including the current one; -1 for unlimited.
        remaining: i64,
    },
    Deny(Denial),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    MessageLimit,
    /// No free messages at all: the same code with another text.
    Paywall,
    SuperpowerNeedsSubscription,
    OwnerNotSubscribed,
}

/// Decides whether `caller` has access.
pub fn decide(rules: AccessRules, caller: AccessFacts, requested: AccessRequest) -> Access {
    let allowance = rules.allowance(caller.subscribed);
    let remaining = allowance.map(|allowance| (allowance - caller.used_today).max(0));
    let denial = match requested {
        AccessRequest::Message => match (allowance, remaining) {
            (Some(0), _) => Some(Denial::Paywall),
            (_, Some(0)) => Some(Denial::MessageLimit),
            _ => None,
        },
        _ if !rules.free_tier => None,
        AccessRequest::DirectSuperpower => (rules.superpowers_disabled && !caller.subscribed)
            .then_some(Denial::SuperpowerNeedsSubscription),
        AccessRequest::GroupSuperpower { owner_subscribed } => {
            (!owner_subscribed).then_some(Denial::OwnerNotSubscribed)
        }
    };
    let remaining = remaining.unwrap_or(UNLIMITED);
    denial.map_or(Access::Allow { remaining }, Access::Deny)
}

const UNLIMITED: i64 = -1;

impl AccessRules {
    pub fn read(flags: &FlagReader) -> Self {
        Self {
            free_tier: flags.free_tier_enabled(),
            paywall: flags.paywall_enabled(),
            daily_limit: flags.daily_message_limit(),
            superpowers_disabled: flags.free_superpowers_disabled(),
        }
    }

    /// Messages per day; `None` for unlimited.
    pub fn allowance(&self, subscribed: bool) -> Option<i64> {
        if subscribed || !self.free_tier {
            return None;
        }
        Some(if self.paywall {
            0
        } else {
            self.daily_limit.max(0)
        })
    }
}

impl Access {
    pub fn is_allowed(self) -> bool {
        matches!(self, Self::Allow { .. })
    }
}

impl Denial {
    /// A stable code for programs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::MessageLimit | Self::Paywall => "message_limit_reached",
            Self::SuperpowerNeedsSubscription => "superpower_requires_subscription",
            Self::OwnerNotSubscribed => "group_owner_not_subscribed",
        }
    }

    /// The refusal's text: the configured one, or else the built-in one.
    pub fn reply(self, persona: &Persona) -> String {
        let name = persona.name.as_str();
        let configured = match self {
            Self::MessageLimit | Self::Paywall => &persona.message_limit,
            Self::SuperpowerNeedsSubscription => &persona.superpower,
            Self::OwnerNotSubscribed => &persona.group_owner,
        };
        if let Some(text) = configured {
            return text.clone();
        }
        match self {
            Self::MessageLimit => wording::limit_reached(name),
            Self::Paywall => wording::paywall(name),
            Self::SuperpowerNeedsSubscription => wording::superpower_requires_subscription(name),
            Self::OwnerNotSubscribed => wording::group_owner_not_subscribed(name),
        }
    }

    /// The answer's `access` object.
    pub fn to_json(self) -> Value {
        let upgrade_message = match self {
            Self::OwnerNotSubscribed => wording::OWNER_UPGRADE_MESSAGE,
            _ => wording::UPGRADE_MESSAGE,
        };
        json!({ "code": self.code(), "upgrade_message": upgrade_message })
    }
}

/// Whether limits and superpowers treat the user as subscribed. If nobody is charged, everybody
/// counts as subscribed.
pub fn counts_as_subscribed(subscription_status: SubscriptionStatus, flags: &FlagReader) -> bool {
    flags.charges_nobody || subscription_status.is_subscribed()
}

/// The user's current subscription status, including grants.
pub fn subscription_status(user: &User, now: Timestamp) -> SubscriptionStatus<'_> {
    SubscriptionStatus::of(&user.status, user.plan.as_deref(), user.grant.as_ref(), now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Denial::{MessageLimit, OwnerNotSubscribed, Paywall, SuperpowerNeedsSubscription};

    const RULES: AccessRules = AccessRules {
        free_tier: true,
        paywall: false,
        daily_limit: 50,
        superpowers_disabled: true,
    };
    const OPEN: AccessRules = AccessRules {
        free_tier: false,
        ..RULES
    };
    const PAYWALLED: AccessRules = AccessRules {
        paywall: true,
        ..RULES
    };
    const NONE_FREE: AccessRules = AccessRules {
        daily_limit: 0,
        ..RULES
    };
    const UNGATED: AccessRules = AccessRules {
        superpowers_disabled: false,
        ..RULES
    };
    const GROUP: AccessRequest = AccessRequest::GroupSuperpower {
        owner_subscribed: false,
    };
    const GROUP_OF_SUBSCRIBER: AccessRequest = AccessRequest::GroupSuperpower {
        owner_subscribed: true,
    };

    fn free(used_today: i64) -> AccessFacts {
        AccessFacts {
            subscribed: false,
            used_today,
        }
    }

    const SUBSCRIBED: AccessFacts = AccessFacts {
        subscribed: true,
        used_today: 99,
    };

    #[test]
    fn decisions() {
        use AccessRequest::{DirectSuperpower, Message};
        let allow = |remaining| Access::Allow { remaining };
        let deny = Access::Deny;
        let cases = [
            (RULES, free(0), Message, allow(50)),
            (RULES, free(49), Message, allow(1)),
            (RULES, free(50), Message, deny(MessageLimit)),
            (RULES, free(51), Message, deny(MessageLimit)),
            (RULES, free(i64::MAX), Message, deny(MessageLimit)),
            (RULES, SUBSCRIBED, Message, allow(-1)),
            (OPEN, free(99), Message, allow(-1)),
            (OPEN, SUBSCRIBED, Message, allow(-1)),
            (PAYWALLED, free(0), Message, deny(Paywall)),
            (PAYWALLED, SUBSCRIBED, Message, allow(-1)),
            (NONE_FREE, free(0), Message, deny(Paywall)),
            (
                RULES,
                free(0),
                DirectSuperpower,
                deny(SuperpowerNeedsSubscription),
            ),
            (
                RULES,
                free(50),
                DirectSuperpower,
                deny(SuperpowerNeedsSubscription),
            ),
            (RULES, SUBSCRIBED, DirectSuperpower, allow(-1)),
            (OPEN, free(0), DirectSuperpower, allow(-1)),
            (UNGATED, free(10), DirectSuperpower, allow(40)),
            (
                PAYWALLED,
                free(0),
                DirectSuperpower,
                deny(SuperpowerNeedsSubscription),
            ),
            (RULES, free(0), GROUP, deny(OwnerNotSubscribed)),
            (RULES, SUBSCRIBED, GROUP, deny(OwnerNotSubscribed)),
            (RULES, free(7), GROUP_OF_SUBSCRIBER, allow(43)),
            (RULES, SUBSCRIBED, GROUP_OF_SUBSCRIBER, allow(-1)),
            (UNGATED, free(0), GROUP, deny(OwnerNotSubscribed)),
            (OPEN, free(0), GROUP, allow(-1)),
            (OPEN, SUBSCRIBED, GROUP, allow(-1)),
        ];
        for (rules, caller, requested, expected) in cases {
            let access = decide(rules, caller, requested);
            assert_eq!(access, expected, "{rules:?} {caller:?} {requested:?}");
        }
        // The master switch disables the paywall too.
        let both = AccessRules {
            paywall: true,
            ..OPEN
        };
        assert_eq!(decide(both, free(99), Message), allow(-1));
        let negative = AccessRules {
            daily_limit: -5,
            ..RULES
        };
        assert_eq!(decide(negative, free(0), Message), deny(Paywall));
    }

    #[test]
    fn denials_have_three_codes_and_texts() {
        let cases = [
            (MessageLimit, "message_limit_reached"),
            (Paywall, "message_limit_reached"),
            (
                SuperpowerNeedsSubscription, "superpower_requires_subscription",
            ),
            (OwnerNotSubscribed, "group_owner_not_subscribed"),
        ];
        for (denial, code) in cases {
            let json = denial.to_json();
            assert_eq!(json["code"], code);
            assert!(
                json["upgrade_message"]
                    .as_str()
                    .is_some_and(|m| !m.is_empty())
            );
            let persona = Persona {
                name: "Juno".to_owned(),
                ..Persona::default()
            };
            assert!(denial.reply(&persona).contains("Juno"), "{code}");
            let custom = || Some("Rest now.".to_owned());
            let persona = Persona {
                name: "Juno".to_owned(),
                message_limit: custom(),
                superpower: custom(),
                group_owner: custom(),
                ..Persona::default()
            };
            assert_eq!(denial.reply(&persona), "Rest now.");
        }
    }
}
