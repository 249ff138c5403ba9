//! Subscriptions of a payment provider, and how statements from different times are merged. Events
//! may arrive late, twice and in any order with the same result. Pure.

use super::named::named;

named! {
    /// A subscription's status. The order decides when the provider reported two at the same time
    /// and can't be asked: an ended subscription is never revived.
    #[derive(PartialOrd, Ord)]
    pub enum PaymentStatus {
        Free = "free",
        Trial = "trial",
        Active = "active",
        PastDue = "past_due",
        Canceled = "canceled",
    }
}

/// Facts about a subscription besides its status; times are Unix seconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SubscriptionDetails {
    pub began_s: Option<i64>,
    pub current_period_end_s: Option<i64>,
    pub cancel_at_period_end: bool,
    /// `monthly` or `annual`; `None` for a price that isn't sold, or not any more.
    pub plan: Option<String>,
    pub trial_started_s: Option<i64>,
    pub trial_expires_s: Option<i64>,
}

/// A stored subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSubscription {
    pub subscription_id: String,
    pub customer_id: Option<String>,
    pub status: PaymentStatus,
    /// When the provider reported the status, in Unix seconds.
    pub status_s: i64,
    /// When it reported the details; `None` if it hasn't.
    pub details_s: Option<i64>,
    pub details: SubscriptionDetails,
}

/// A statement of the provider about a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderStatement {
    pub subscription_id: String,
    pub customer_id: Option<String>,
    /// `None` for a missing or unknown status.
    pub status: Option<PaymentStatus>,
    pub details: Option<SubscriptionDetails>,
    /// In Unix seconds.
    pub at: i64,
}

/// The order of two statements of the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TieBreak {
    /// The provider must be asked.
    Ask,
    /// The provider can't be asked: the order of statuses decides.
    Rank,
    /// The provider was asked, and this is its answer.
    Settled,
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeOutcome {
    Same,
    Changed(StoredSubscription),
    /// Only the provider can decide.
    Tied,
}

/// Merges a statement into a stored subscription.
pub fn merge(
    known: Option<&StoredSubscription>,
    statement: &ProviderStatement,
    tie: TieBreak,
) -> MergeOutcome {
    let Some(known) = known else {
        return MergeOutcome::Changed(first(statement));
    };
    let mut merged = known.clone();
    if merged.customer_id.is_none() {
        merged.customer_id.clone_from(&statement.customer_id);
    }
    let tied =
        merge_status(&mut merged, statement, tie) | merge_details(&mut merged, statement, tie);
    if tied {
        MergeOutcome::Tied
    } else if merged == *known {
        MergeOutcome::Same
    } else {
        MergeOutcome::Changed(merged)
    }
}

fn first(statement: &ProviderStatement) -> StoredSubscription {
    StoredSubscription {
        subscription_id: statement.subscription_id.clone(),
        customer_id: statement.customer_id.clone(),
        status: statement.status.unwrap_or(PaymentStatus::Free),
        status_s: statement.at,
        details_s: statement.details.as_ref().map(|_| statement.at),
        details: statement.details.clone().unwrap_or_default(),
    }
}

/// True when the provider must be asked.
fn merge_status(
    merged: &mut StoredSubscription,
    statement: &ProviderStatement,
    tie: TieBreak,
) -> bool {
    let Some(status) = statement
        .status
        .filter(|_| merged.status != PaymentStatus::Canceled)
    else {
        return false;
    };
    if statement.at > merged.status_s || tie == TieBreak::Settled {
        merged.status = status;
        merged.status_s = merged.status_s.max(statement.at);
        return false;
    }
    // A cancellation older than a later statement is contradictory; the provider must be asked.
    let contradicts = statement.at < merged.status_s && status == PaymentStatus::Canceled;
    if status == merged.status || (statement.at < merged.status_s && !contradicts) {
        return false;
    }
    if tie == TieBreak::Rank && !contradicts {
        merged.status = merged.status.max(status);
    }
    tie == TieBreak::Ask
}

fn merge_details(
    merged: &mut StoredSubscription,
    statement: &ProviderStatement,
    tie: TieBreak,
) -> bool {
    let Some(details) = &statement.details else {
        return false;
    };
    let mut details = details.clone();
    // It keeps the plan under which it was sold.
    details.plan = details.plan.or_else(|| merged.details.plan.clone());
    let before = merged.details_s;
    if before.is_none_or(|at| statement.at > at) || tie == TieBreak::Settled {
        merged.details = details;
        merged.details_s = Some(before.map_or(statement.at, |at| at.max(statement.at)));
        return false;
    }
    if before != Some(statement.at) || merged.details == details {
        return false;
    }
    if tie == TieBreak::Rank && details > merged.details {
        merged.details = details;
    }
    tie == TieBreak::Ask
}

#[cfg(test)]
mod tests;
