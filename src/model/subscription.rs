//! Whether a person is subscribed, from the payment provider's last status and an operator's grant.
//! Pure: every call takes `now`, so a grant ends by itself.

use schemars::JsonSchema;

use crate::clock::Timestamp;

const ACTIVE: &str = "active";
/// The plans that can be subscribed to.
pub const PLANS: [&str; 2] = ["monthly", "annual"];

/// The last moment whose year has four digits.
const LAST_END: Timestamp = Timestamp(253_402_300_799_999);

/// A subscription granted by an operator, independent of the payment provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// `monthly` or `annual`.
    pub plan: String,
    /// The first moment without it; `None` without an end.
    pub until: Option<Timestamp>,
}

impl Grant {
    pub fn holds(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// A person's subscription at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubscriptionStatus<'a> {
    /// free, active, trial, canceled or past_due.
    pub status: &'a str,
    pub plan: Option<&'a str>,
}

impl<'a> SubscriptionStatus<'a> {
    /// `status` and `plan` are the provider's; a valid grant takes precedence.
    pub fn of(
        status: &'a str,
        plan: Option<&'a str>,
        grant: Option<&'a Grant>,
        now: Timestamp,
    ) -> Self {
        match grant.filter(|grant| grant.holds(now)) {
            Some(grant) => Self {
                status: ACTIVE,
                plan: Some(&grant.plan),
            },
            None => Self { status, plan },
        }
    }

    pub fn is_subscribed(&self) -> bool {
        is_subscribed(self.status)
    }
}

/// Includes a grant by an operator.
// The words of a status, for schemas.
#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
pub enum StatusWord {
    Free,
    Active,
    Trial,
    Canceled,
    PastDue,
}

// The words of `PLANS`, for schemas.
#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
pub enum PlanWord {
    Monthly,
    Annual,
}

/// Whether somebody with this status is subscribed.
pub fn is_subscribed(status: &str) -> bool {
    matches!(status, ACTIVE | "trial")
}

/// Parses a grant's end: a date (YYYY-MM-DD) that is included, in UTC, or a moment (RFC 3339). The
/// error completes a sentence about the value.
pub fn grant_end(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let end = Timestamp::end_of_date(text)
        .or_else(|| Timestamp::parse(text))
        .map(|end| end.min(LAST_END))
        .ok_or("must be a date such as 2030-12-31, or a moment such as 2030-12-31T18:00:00Z")?;
    if end <= now {
        return Err("must be in the future".to_owned());
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: &str = "free";

    /// Wednesday, 4 March 2026, 12:00 UTC.
    const NOW: Timestamp = Timestamp(1_772_625_600_000);

    #[test]
    fn a_grant_goes_before_the_provider_while_it_holds() {
        let grant = |until: Option<i64>| Grant {
            plan: "annual".into(),
            until: until.map(Timestamp),
        };
        let granted = (ACTIVE, Some("annual"), true);
        let cases = [
            (FREE, None, None, (FREE, None, false)),
            (
                "trial",
                Some("monthly"),
                None,
                ("trial", Some("monthly"), true),
            ),
            (
                ACTIVE,
                Some("monthly"),
                None,
                (ACTIVE, Some("monthly"), true),
            ),
            (
                "past_due",
                Some("monthly"),
                None,
                ("past_due", Some("monthly"), false),
            ),
            (
                "canceled",
                Some("annual"),
                None,
                ("canceled", Some("annual"), false),
            ),
            (FREE, None, Some(grant(None)), granted),
            (FREE, None, Some(grant(Some(NOW.0 + 1))), granted),
            (FREE, None, Some(grant(Some(NOW.0))), (FREE, None, false)),
            (FREE, None, Some(grant(Some(0))), (FREE, None, false)),
            ("past_due", Some("monthly"), Some(grant(None)), granted),
            (
                "trial",
                Some("monthly"),
                Some(grant(Some(0))),
                ("trial", Some("monthly"), true),
            ),
        ];
        for (status, plan, grant, expected) in cases {
            let subscription = SubscriptionStatus::of(status, plan, grant.as_ref(), NOW);
            let actual = (
                subscription.status,
                subscription.plan,
                subscription.is_subscribed(),
            );
            assert_eq!(actual, expected, "{status} {grant:?}");
        }
    }

    #[test]
    fn a_date_lasts_to_its_end() {
        let cases = [
            ("2026-03-04", Some("2026-03-05T00:00:00.000Z")), // today
            ("2026-03-03", None),
            ("2028-02-29", Some("2028-03-01T00:00:00.000Z")),
            ("9999-12-31", Some("9999-12-31T23:59:59.999Z")),
            ("2026-03-04T12:00:01Z", Some("2026-03-04T12:00:01.000Z")),
            (
                "2026-03-04T14:00:01+02:00",
                Some("2026-03-04T12:00:01.000Z"),
            ),
            ("2026-03-04T12:00:00Z", None),
            ("2027-02-29", None),
            ("2027-2-3", None),
            (" 2027-02-03", None),
            ("+2027-02-03", None),
            ("+10000-02-03", None),
            ("tomorrow", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let end = grant_end(text, NOW).ok().map(|end| end.to_string());
            assert_eq!(end.as_deref(), expected, "{text:?}");
        }
    }
}
