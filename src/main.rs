//! The executable: hands the command line over and turns the outcome into an exit code.

use std::process::ExitCode;

/// For SQLite, too; see Cargo.toml.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    chatkeep::cli::main()
}
