//! Tests that every order of events gives the same result.

use super::*;

fn stated(at: i64, status: PaymentStatus, plan: &str) -> ProviderStatement {
    ProviderStatement {
        subscription_id: "sub".into(),
        customer_id: Some("cus".into()),
        status: Some(status),
        details: Some(SubscriptionDetails {
            began_s: Some(1),
            plan: Some(plan.into()),
            ..SubscriptionDetails::default()
        }),
        at,
    }
}

fn failed(at: i64) -> ProviderStatement {
    ProviderStatement {
        details: None,
        ..stated(at, PaymentStatus::PastDue, "")
    }
}

fn end(statements: &[&ProviderStatement], tie: TieBreak) -> StoredSubscription {
    let mut merged = None;
    for statement in statements {
        match merge(merged.as_ref(), statement, tie) {
            MergeOutcome::Changed(now) => merged = Some(now),
            MergeOutcome::Same => {}
            MergeOutcome::Tied => panic!("tied at {}", statement.at),
        }
    }
    merged.unwrap()
}

fn permutations<T: Clone>(of: &[T]) -> Vec<Vec<T>> {
    if of.len() <= 1 {
        return vec![of.to_vec()];
    }
    let with = |at: usize| {
        let mut rest = of.to_vec();
        let first = rest.remove(at);
        let tails = permutations(&rest).into_iter();
        tails.map(move |tail| [vec![first.clone()], tail].concat())
    };
    (0..of.len()).flat_map(with).collect()
}

#[test]
fn every_order_ends_in_the_same() {
    let created = stated(10, PaymentStatus::Trial, "monthly");
    let updated = stated(20, PaymentStatus::Active, "annual");
    let failed = failed(30);
    let deleted = stated(40, PaymentStatus::Canceled, "annual");
    let lives = [
        vec![&created, &updated, &failed, &deleted, &updated],
        vec![&created, &updated, &failed, &created],
        vec![&created, &failed, &failed],
    ];
    for life in lives {
        let mut in_order = life.clone();
        in_order.sort_by_key(|statement| statement.at);
        let expected = end(&in_order, TieBreak::Ask);
        for order in permutations(&life) {
            assert_eq!(end(&order, TieBreak::Ask), expected, "{order:?}");
        }
    }
}

/// Also with several statements of the same time and a provider that can't be asked.
#[test]
fn ties_that_nobody_settles_have_an_order() {
    let all = [
        stated(10, PaymentStatus::Free, "monthly"),
        stated(10, PaymentStatus::Active, "monthly"),
        stated(10, PaymentStatus::Active, "annual"),
        failed(10),
        stated(10, PaymentStatus::Canceled, "monthly"),
    ];
    for count in 2..=all.len() {
        let statements: Vec<&ProviderStatement> = all[..count].iter().collect();
        let expected = end(&statements, TieBreak::Rank);
        for order in permutations(&statements) {
            assert_eq!(end(&order, TieBreak::Rank), expected, "{order:?}");
        }
    }
}

#[test]
fn what_one_thing_said_does_to_another() {
    use PaymentStatus::{Active, Canceled, PastDue, Trial};
    // stored at 20; statement's time and status; result by rank, by asking
    let cases = [
        (Active, 21, PastDue, Some(PastDue), Some(PastDue)),
        (Active, 19, PastDue, Some(Active), Some(Active)),
        (Active, 20, Active, Some(Active), Some(Active)),
        (Active, 20, PastDue, Some(PastDue), None),
        (PastDue, 20, Active, Some(PastDue), None),
        (Active, 19, Canceled, Some(Active), None),
        (Active, 20, Canceled, Some(Canceled), None),
        (Canceled, 21, Active, Some(Canceled), Some(Canceled)),
        (Canceled, 20, Trial, Some(Canceled), Some(Canceled)),
    ];
    for (before, at, status, by_rank, by_asking) in cases {
        let merged = end(&[&stated(20, before, "monthly")], TieBreak::Ask);
        let statement = ProviderStatement {
            details: None,
            ..stated(at, status, "")
        };
        let after = |tie| match merge(Some(&merged), &statement, tie) {
            MergeOutcome::Same => Some(merged.status),
            MergeOutcome::Changed(merged) => Some(merged.status),
            MergeOutcome::Tied => None,
        };
        assert_eq!(after(TieBreak::Rank), by_rank, "{before:?} {at} {status:?}");
        assert_eq!(
            after(TieBreak::Ask),
            by_asking,
            "{before:?} {at} {status:?}"
        );
        let settled = if before == Canceled { Canceled } else { status };
        assert_eq!(after(TieBreak::Settled), Some(settled));
    }
}

#[test]
fn words_come_back() {
    for word in ["free", "trial", "active", "past_due", "canceled"] {
        assert_eq!(PaymentStatus::named(word).unwrap().as_str(), word);
    }
    assert_eq!(PaymentStatus::named("paused"), None);
}
