//! The schema of a database file, its version, and the steps from older versions.

/// "CHKP", the application_id in the header of our files.
pub(in crate::store) const APPLICATION_ID: i32 = 0x4348_4B50;

/// A database schema, and the steps from older ones to it.
pub(in crate::store) struct Schema {
    /// `PRAGMA user_version` of files with this schema.
    pub(in crate::store) version: i32,
    /// Creates all tables of a new file.
    pub(in crate::store) sql: &'static str,
    /// Upgrade steps: the first makes version 2 from version 1.
    pub(in crate::store) steps: &'static [&'static str],
}

const SCHEMA: Schema = Schema {
    version: 1,
    sql: include_str!("../../../schema.sql"),
    steps: &[],
};

/// The schema of this program.
pub(in crate::store) fn schema() -> &'static Schema {
    #[cfg(test)]
    if let Some(made_up) = SCHEMA_OF_TEST.get() {
        return made_up;
    }
    &SCHEMA
}

#[cfg(test)]
thread_local! {
    /// Takes the place of the schema in a test of upgrades.
    pub(in crate::store) static SCHEMA_OF_TEST: std::cell::Cell<Option<&'static Schema>> =
        const { std::cell::Cell::new(None) };
}
