//! The sections of an export that aren't rows of the store, and the whole document as the API
//! describes it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::access;
use crate::clock::{Timestamp, Zone};
use crate::marketplace::apps::AppView;
use crate::model::public_id::PublicId;
use crate::model::subscription::{PlanWord, StatusWord};
use crate::store::{
    Account, ConnectedService, ExportedPhoto, ExportedWebhook, InstalledApp, MiniappSession,
    PendingReminder, PersonalityProfile, PowerExport, Relationship, Trait,
};

pub(super) const VERSION: &str = "1.0";
const BILLING_NOTE: &str = "Your payments and invoices are listed at GET /billing/history.";

/// All data about one person. A section may be missing if another service could not be reached;
/// `omitted` lists such sections.
// `document` writes it section by section, so only its schema is used.
#[derive(JsonSchema)]
#[schemars(rename = "Export")]
pub struct ExportDocument {
    #[schemars(extend("const" = VERSION))]
    pub export_version: String,
    pub exported_at: Timestamp,
    pub user_id: PublicId,
    pub profile: ExportedProfile,
    pub subscription: ExportedSubscription,
    pub personality_profile: Option<PersonalityProfile>,
    pub traits: Vec<Trait>,
    pub relationships: Vec<Relationship>,
    pub connected_services: Vec<ConnectedService>,
    pub miniapp_sessions: Vec<MiniappSession>,
    /// Apps that the person installed in chats.
    pub installed_apps: Vec<InstalledApp>,
    /// Apps that the person created.
    pub apps: Vec<AppView>,
    /// The webhooks of these apps, without their secrets.
    pub webhooks: Vec<WebhookWithUrl>,
    pub memories: Vec<ExportedMemory>,
    pub billing: BillingSection,
    /// Open reminders.
    pub reminders: Vec<PendingReminder>,
    pub superpowers: Vec<PowerExport>,
    pub photos: Vec<ExportedPhoto>,
    pub messages: Vec<ExportedMessage>,
    pub omitted: Vec<OmittedSection>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ExportedProfile {
    #[schemars(example = &"+15550100")]
    pub phone: String,
    pub name: String,
    pub pronouns: String,
    /// A BCP 47 tag; empty if none was chosen.
    #[schemars(example = &"de")]
    pub language: String,
    #[schemars(example = &"ada@example.com")]
    pub email: String,
    pub display_name: String,
    /// An IANA time zone name.
    #[schemars(example = &"Europe/Berlin")]
    pub timezone: &'static str,
    pub created_at: Timestamp,
    pub last_active_at: Option<Timestamp>,
}

impl ExportedProfile {
    pub(super) fn of(account: &Account, last_active_at: Option<Timestamp>) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Self {
            phone: text(&account.phone),
            name: text(&account.user.name),
            pronouns: text(&account.pronouns),
            language: text(&account.language),
            email: text(&account.email),
            display_name: text(&account.display_name),
            // UTC is used while the zone is unknown.
            timezone: account.user.timezone.map_or("UTC", Zone::name),
            created_at: account.created_at,
            last_active_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ExportedSubscription {
    #[schemars(with = "StatusWord")]
    pub status: String,
    #[schemars(with = "Option<PlanWord>")]
    pub plan: Option<String>,
    /// In minor currency units.
    pub credit_balance: i64,
    pub trial_started_at: Option<Timestamp>,
    pub trial_expires_at: Option<Timestamp>,
}

impl ExportedSubscription {
    pub(super) fn of(account: &Account, now: Timestamp) -> Self {
        let subscription = access::subscription_status(&account.user, now);
        Self {
            status: subscription.status.to_owned(),
            plan: subscription.plan.map(str::to_owned),
            credit_balance: account.credit_balance,
            trial_started_at: account.trial_started_at,
            trial_expires_at: account.trial_expires_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct BillingSection {
    pub customer_id: String,
    pub note: &'static str,
}

impl BillingSection {
    pub(super) fn of(account: &Account) -> Self {
        Self {
            customer_id: account.customer_id.clone().unwrap_or_default(),
            note: BILLING_NOTE,
        }
    }
}

/// A missing or incomplete section.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct OmittedSection {
    pub section: &'static str,
    pub reason: &'static str,
}

/// A message of the person and its answer.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ExportedMessage {
    pub created_at: Timestamp,
    /// The relay's timestamp.
    pub sent_at: Timestamp,
    pub chat_guid: String,
    pub text: String,
    /// null without an answer.
    pub reply_text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ExportedMemory {
    pub id: String,
    pub text: String,
    pub category: String,
    pub created_at: Option<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct WebhookWithUrl {
    /// Called by outside services.
    #[schemars(extend("format" = "uri"))]
    pub url: String,
    #[serde(flatten)]
    pub webhook: ExportedWebhook,
}
