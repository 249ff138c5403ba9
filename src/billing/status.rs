//! `GET /payment/status`: a person's subscription and its benefits.

use schemars::JsonSchema;
use serde::Serialize;

use super::Billing;
use crate::access::{self, AccessFacts, AccessRequest, AccessRules};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::subscription::{PlanWord, StatusWord};
use crate::store::UserId;

/// The benefits of a subscription.
const BENEFITS: [&str; 3] = [
    "Unlimited messages", "Superpowers in direct chats", "Superpowers in the groups you own",
];

#[derive(Debug, Serialize, JsonSchema)]
pub struct PaymentStatus {
    /// The last known value while the provider is down.
    pub has_payment_method: bool,
    #[schemars(with = "StatusWord")]
    pub subscription_status: String,
    #[schemars(with = "Option<PlanWord>")]
    pub subscription_plan: Option<String>,
    /// The subscription's id at the provider; null for a grant.
    pub subscription_id: Option<String>,
    pub current_period_end: Option<Timestamp>,
    pub cancel_at_period_end: bool,
    pub trial_expires_at: Option<Timestamp>,
    /// In minor currency units.
    pub credit_balance: i64,
    #[schemars(extend("enum" = ["free", "monthly", "annual"]))]
    pub tier: String,
    /// null means unlimited.
    #[schemars(range(min = 0))]
    pub daily_messages_remaining: Option<i64>,
    pub superpowers_enabled: bool,
    /// null for subscribers.
    pub upgrade_benefits: Option<[&'static str; 3]>,
}

impl Billing {
    pub async fn status(&self, user: UserId) -> Result<PaymentStatus> {
        let now = self.clock.now();
        let (payer, current, used_today) = self
            .store
            .read(move |view| {
                let payer = view.payer(user)?;
                let current = view.current_subscription(user)?;
                let row = view.user(&payer.user.public_id, now.utc_day())?;
                Ok((payer, current, row.map_or(0, |row| row.day_count)))
            })
            .await?;
        let has_payment_method = self.has_payment_method(&payer).await?;
        let subscription = access::subscription_status(&payer.user, now);
        let subscribed = subscription.is_subscribed();
        let flags = self.flags.for_user(&payer.user.public_id);
        let rules = AccessRules::read(&flags);
        let unlimited = access::counts_as_subscribed(subscription, &flags);
        let caller = AccessFacts {
            subscribed: unlimited,
            used_today,
        };
        let superpower = access::decide(rules, caller, AccessRequest::DirectSuperpower);
        let details = current.as_ref().map(|row| &row.subscription.details);
        let end = details.and_then(|details| details.current_period_end_s);
        Ok(PaymentStatus {
            has_payment_method,
            subscription_status: subscription.status.to_owned(),
            subscription_plan: subscription.plan.map(str::to_owned),
            current_period_end: end.map(Timestamp::from_seconds),
            cancel_at_period_end: details.is_some_and(|details| details.cancel_at_period_end),
            trial_expires_at: payer.trial_expires_at,
            credit_balance: payer.credit_balance,
            tier: match (subscribed, subscription.plan) {
                (true, plan) => plan.unwrap_or(subscription.status).to_owned(),
                (false, _) => "free".to_owned(),
            },
            daily_messages_remaining: rules
                .allowance(unlimited)
                .map(|allowance| (allowance - used_today).max(0)),
            superpowers_enabled: flags.any_superpower() && superpower.is_allowed(),
            upgrade_benefits: (!subscribed).then_some(BENEFITS),
            subscription_id: current.map(|row| row.subscription.subscription_id),
        })
    }
}
