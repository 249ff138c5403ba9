//! Against a real program that speaks chat completions.
