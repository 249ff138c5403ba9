#!/bin/sh
# Builds the release executable with a profile of the benchmark in examples/load: a message then
# takes about a fifth less CPU. It needs rustup (for llvm-profdata), 3 GB of memory, 6 GB of disk
# and two release builds' time. Run it anywhere; the result is target/profiled/chatkeep.
set -eu

cd "$(dirname "$0")/../.."
out=$PWD/target/profiled
target=$(rustc -vV | sed -n 's/^host: //p')
profdata=$(rustc --print sysroot)/lib/rustlib/$target/bin/llvm-profdata
[ -x "$profdata" ] || rustup component add llvm-tools
[ -x "$profdata" ] || { echo "there is no $profdata: install rustup's llvm-tools" >&2; exit 1; }

# --target keeps the flags from build scripts and procedural macros.
build() { # $1: the folder, $2: flags
    RUSTFLAGS="${RUSTFLAGS:-} $2" cargo build --release --bin chatkeep --target "$target" \
        --target-dir "$out/$1"
}

rm -rf "$out/raw"
build recording "-Cprofile-generate=$out/raw"
cargo build --release --example load
for mode in ingest webhook read; do
    echo "recording: $mode"
    # Its figures mean nothing here: the recording executable is slow.
    target/release/examples/load "$mode" --rounds 1 --seconds 10 --stop-politely --json \
        --binary "$out/recording/$target/release/chatkeep" >/dev/null || echo "the benchmark reports a failure; what it recorded is used" >&2
done
ls "$out"/raw/*.profraw >/dev/null # ends the script where nothing was recorded
"$profdata" merge -o "$out/profile.profdata" "$out/raw"
build optimized "-Cprofile-use=$out/profile.profdata"
cp "$out/optimized/$target/release/chatkeep" "$out/chatkeep"
echo "built $out/chatkeep"
