//! The executable: hands the command line over and turns the outcome into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    chatkeep::cli::main()
}
