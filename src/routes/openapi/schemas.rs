//! The schemas of answers, from the types that handlers send. A type's name is that of its schema
//! unless it has another by `#[schemars(rename)]`; its doc comments are the descriptions.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use crate::account::UserView;
use crate::account::erasure::PurgeOutlook;
use crate::account::exports::{ExportDocument, ExportView};
use crate::account::usage::UsageLimits;
use crate::app::BackupStatus;
use crate::billing::checkout::CheckoutPage;
use crate::billing::history::History;
use crate::billing::reconcile::Page;
use crate::billing::status::PaymentStatus;
use crate::flags::{FlagList, FlagView};
use crate::http::ProblemDetails;
use crate::ingest::explain::MessageExplanation;
use crate::marketplace::apps::AppView;
use crate::marketplace::call_preview::CallPreview;
use crate::marketplace::webhooks::{CreatedWebhook, WebhookView};
use crate::routes::marketplace::{apps, webhooks};
use crate::routes::{
    account, admin, answers, audit, backup, billing, commands, edge, flags, photos, purge, replies,
    users,
};
use crate::services::{ServiceList, ServiceView};

/// The types that operations refer to. Types of their fields need no line here.
const ANSWERS: &[fn(&mut SchemaGenerator) -> Schema] = &[
    schema_of::<account::AccountView<'_>>, schema_of::<account::ScheduledDeletion>,
    schema_of::<admin::RelayList>, schema_of::<admin::RevokedTokens>,
    schema_of::<answers::StatusAnswer>, schema_of::<answers::StatusAndMessage>,
    schema_of::<answers::MessageAnswer>, schema_of::<apps::AppList>, schema_of::<apps::RoomApps>,
    schema_of::<audit::ChangeList>, schema_of::<backup::StartedBackup>,
    schema_of::<billing::ReceivedEvent>, schema_of::<commands::CommandList>,
    schema_of::<commands::DroppedCommand>, schema_of::<commands::RetriedCommand>,
    schema_of::<edge::RegisteredRelay>, schema_of::<flags::FlagProvider>,
    schema_of::<photos::UploadedPhoto>, schema_of::<purge::StartedPurge>,
    schema_of::<replies::UsageReport>, schema_of::<users::OperatorExport>,
    schema_of::<users::UserList<'_>>, schema_of::<webhooks::RotatedSecret>,
    schema_of::<webhooks::WebhookEvents>, schema_of::<webhooks::WebhookList>, schema_of::<AppView>,
    schema_of::<BackupStatus>, schema_of::<CheckoutPage>, schema_of::<CreatedWebhook>,
    schema_of::<ExportDocument>, schema_of::<ExportView>, schema_of::<FlagList>,
    schema_of::<FlagView>, schema_of::<History>, schema_of::<MessageExplanation>,
    schema_of::<Page>, schema_of::<PaymentStatus>, schema_of::<ProblemDetails<'_>>,
    schema_of::<PurgeOutlook>, schema_of::<CallPreview>, schema_of::<ServiceList>,
    schema_of::<ServiceView>, schema_of::<UsageLimits<'_>>, schema_of::<UserView<'_>>,
    schema_of::<WebhookView>,
];

/// The schemas by name.
pub(super) fn of_answers() -> Map<String, Value> {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.definitions_path = "/components/schemas".into();
    let mut generator = settings
        .with_transform(RecursiveTransform(simplify))
        .into_generator();
    for schema_of in ANSWERS {
        schema_of(&mut generator);
    }
    generator.take_definitions(true)
}

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Descriptions are one line, and formats only those that clients know.
fn simplify(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    let is_unsigned = |format: &Value| format.as_str().is_some_and(|name| name.starts_with("uint"));
    if schema.get("format").is_some_and(is_unsigned) {
        schema.remove("format");
    }
}
