//! The executable: runs the command line and returns its exit code.

use std::process::ExitCode;

/// The allocator, also for SQLite; see Cargo.toml.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    chatkeep::cli::main()
}
