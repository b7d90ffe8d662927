#!/usr/bin/env bash
# compare_peers.sh -- how fast Piola's particles are beside NVIDIA Warp's, on one core of the CPU of this machine and in
# one run; --help says more. Builds nothing: it needs a built `piola`, python3 with venv, and pip for the first time.
set -euo pipefail
called_from=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/install.sh
venv=build/peers
packages=(warp-lang==1.19.0 numpy==2.4.6)
piola=$PWD/build/release/piola
options=()

usage() {
    cat <<'END'
compare_peers.sh -- compare Piola with NVIDIA Warp on one core of this machine

Usage: tools/compare_peers.sh [options]

Both compute the case of `piola bench mpm`: a block of neo-Hookean material in free flight, 3D, f32, 8 particles per
cell, MLS-MPM with APIC and quadratic B-splines; the same positions, velocities, time step and steps. Measured are the
forward run and the whole gradient, in Warp by one wp.Tape over all steps. The programs take turns on one core, and the
least CPU time of each counts.

Before that both compute a small spinning block, where stresses matter: its energy, its path and the derivatives of the
energy with respect to E, nu and the velocity must agree. So must, in the case that is timed, the particles, occupied
cells, active nodes, duration and d(mean x)/d(v0). Two Warp programs are measured: `moments` spreads and gathers affine
fields, as Piola does; `plain` is in the style of Warp's examples. The faster one counts, of each column.

Warp is installed into build/peers, by pip. A million particles and 10 steps take about 3 GB of memory, each further
step 0.2 GB, and 5 to 20 minutes for three rounds. Close other programs first.

Options:
  --particles N    about so many, a cube of whole cells (default: 1000000)
  --steps N        steps of one repetition, 1 to 100 (default: 10)
  --repeat N       rounds; in each, every program does the five repetitions of `piola bench` (default: 3)
  --kernels NAME   moments, plain, both: the Warp programs (default: both)
  --piola FILE     the command to measure (default: build/release/piola)
  -h, --help       this help

Exit codes:
   0  measured; both computed the same, and the aims are met (forward 2.7 times as fast as Warp, gradient 4.4)
   1  they did not compute the same: nothing is compared
   2  the command line is wrong
   3  measured, and both computed the same, but an aim is missed
  69  something is missing: the command, python3 with venv, or Warp, which pip could not install
  70  Piola or Warp failed
END
}

wrong() {
    printf 'compare_peers.sh: %s; see --help\n' "$*" >&2
    exit 2
}

missing() {
    printf 'compare_peers.sh: %s\n' "$*" >&2
    exit 69
}

# whole OPTION VALUE LEAST MOST: whether the value is a whole number between the two.
whole() {
    if ! [[ $2 =~ ^[0-9]{1,9}$ ]] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
        wrong "$1 takes a whole number from $3 to $4, not '$2'"
    fi
}

# make_venv: Warp and NumPy in build/peers, made anew when their versions change.
make_venv() {
    if [ "$(cat $venv/packages 2>/dev/null)" = "${packages[*]}" ]; then return 0; fi
    say "Python packages: ${packages[*]} into $venv"
    rm -rf $venv
    python3 -m venv $venv && $venv/bin/pip install -q --disable-pip-version-check "${packages[@]}" || return 1
    printf '%s\n' "${packages[*]}" >$venv/packages
}

while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage && exit 0 ;;
    --particles) whole "$1" "${2:-}" 8 100000000 ;;
    --steps) whole "$1" "${2:-}" 1 100 ;;
    --repeat) whole "$1" "${2:-}" 1 1000 ;;
    --kernels) [[ ${2:-} =~ ^(moments|plain|both)$ ]] || wrong "--kernels takes moments, plain or both" ;;
    --piola) [ -n "${2:-}" ] || wrong "--piola takes a file" ;;
    *) wrong "unknown option '$1'" ;;
    esac
    if [ "$1" = --piola ]; then
        piola=$(cd "$called_from" && realpath -m -- "$2")
    else
        options+=("$1" "$2")
    fi
    shift 2
done

if [ ! -f "$piola" ] || [ ! -x "$piola" ]; then
    missing "no command '$piola': build it (CONTRIBUTING.md), or name one with --piola"
fi
command -v python3 >/dev/null || missing "no python3"
make_venv || missing "no ${packages[*]}: python3 with venv and pip are needed"

commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
if [ -n "$(git status --porcelain 2>/dev/null)" ]; then commit+=" with changes"; fi
export WARP_CACHE_PATH=$PWD/$venv/cache PYTHONDONTWRITEBYTECODE=1
exec $venv/bin/python tools/compare_peers.py "$piola" --commit "$commit" "${options[@]}"
