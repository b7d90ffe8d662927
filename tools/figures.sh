#!/usr/bin/env bash
# figures.sh -- measures the figures of README.md and docs/performance.md that stand behind `figures NAME`, and writes
# them there with machine, commit and date; --help says more. Builds nothing: it needs a built `piola` and python3.
set -euo pipefail
called_from=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
piola=$PWD/build/release/piola
options=()

usage() {
    cat <<'END'
figures.sh -- measure the figures of README.md and docs/performance.md, and write them there

Usage: tools/figures.sh [options]

  --piola PATH       the command to measure (default: build/release/piola)
  --threads N        the most threads (default: all processors that may be used)
  --only NAME,...    particles, meshes, start, ratios, readme (default: all, ratios only with --old)
  --particles N      of the benchmark of particles (default: 1000000)
  --cells N          along each side of the benchmark of meshes (default: 31)
  --runs N           of the small scene whose start is measured (default: 15)
  --old COMMIT:PATH  of ratios: an earlier commit, and the command that was built from it
  --rounds N         of ratios (default: 2)
  --dry-run          print the texts, and write no page
  --help             this help

It takes about 2 GB of memory and some minutes. Close other programs first. Exit codes: 0 done, 1 a benchmark failed, 2
the command line is wrong, 77 sources or the command are of no commit, so that the figures would be of none.
END
}

fail() {
    echo "figures.sh: $2" >&2
    exit "$1"
}

while (($#)); do
    case $1 in
    --piola) [[ $# -gt 1 ]] || fail 2 "--piola needs a path"; piola=$(cd "$called_from" && realpath -- "$2"); shift 2 ;;
    --threads | --only | --particles | --cells | --runs | --old | --rounds)
        [[ $# -gt 1 ]] || fail 2 "$1 needs a value"
        options+=("$1" "$2")
        shift 2
        ;;
    --dry-run) options+=("$1"); shift ;;
    --help | -h) usage; exit 0 ;;
    *) fail 2 "unknown option '$1'; --help lists the options" ;;
    esac
done
[[ -x $piola ]] || fail 2 "there is no $piola; build it, or name another with --piola"
commit=$(git describe --always --abbrev=8 --exclude '*' --dirty 2>/dev/null || echo none)
[[ $commit != *-dirty && $commit != none || ${options[*]} == *--dry-run* ]] ||
    fail 77 "sources differ from their commit ($commit); commit them first, or say --dry-run"
exec python3 tools/python/figures.py "$piola" "$commit" "${options[@]}"
