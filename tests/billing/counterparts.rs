//! Real counterparts.
