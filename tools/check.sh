#!/usr/bin/env bash
# check.sh -- everything that can be checked here: installs what is missing (Debian packages, as root or with sudo; Python
# packages into build/venv), builds all engines, the command and the tests, passes the tests; then again with the address
# and undefined-behaviour sanitizers. Runs from any folder, any number of times. With CI=true, nothing may stay unchecked.
#
#   tools/check.sh                   all that; the longer campaigns are not in it, but samples of them are
#   tools/check.sh --kills [N]       an optimisation killed N times (3000: an hour) at random instants, at every call that writes its record,
#                                    and cut off by 2/3 N power failures
#   tools/check.sh --mutants [N]     N damaged scenes (1000000: a quarter of an hour) with sanitizers, and 200 through the command
#   tools/check.sh --faults [N]      N failing calls of the system, of memory, HDF5 and devices (10000: an hour), and what else kills
#                                    the command or damages its files
#   tools/check.sh --resume          runs and gradients cut at every place that tests/test_resume.py knows, and gone on with
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/install.sh
jobs=$(nproc)

# build/venv, from tests/requirements.txt; made anew when that changes.
make_venv() {
    if cmp -s tests/requirements.txt build/venv/requirements.txt; then
        say "Python packages: build/venv is as tests/requirements.txt says"
        return 0
    fi
    say "Python packages: into build/venv"
    rm -rf build/venv
    if python3 -m venv build/venv && build/venv/bin/pip install -q --disable-pip-version-check -r tests/requirements.txt; then
        cp tests/requirements.txt build/venv/
        return 0
    fi
    say "Python packages: not checked: pip reaches nothing; the tests labelled files and the format are skipped"
    [ "${CI:-}" != true ]
}

# run_tests PRESET ARGUMENT...: the tests, and what ctest says in the end into build/PRESET.log
run_tests() {
    local preset=$1
    shift
    ctest --preset "$preset" -j "$jobs" "$@" 2>&1 | tee "build/$preset.log"
}

closing_lines() { sed -n '/tests passed/,$p' "build/$1.log"; }

# kills N: optimisations that are killed or lose power end with the same bits
kills() {
    cmake --preset release
    cmake --build --preset release -j "$jobs" --target piola piola_disk_log
    python3 tests/test_kills.py build/release/piola build/release/piola_disk_log.so --kills "$1" --power-cuts $((2 * $1 / 3))
}

# mutants N: every cut, every changed key and random damage of the shipped scenes
mutants() {
    cmake --preset sanitize
    cmake --build --preset sanitize -j "$jobs" --target piola test_mutants
    say "mutants: $1 in process, with sanitizers"
    build/sanitize/test_mutants --count "$1"
    say "mutants: 200 through the command, with sanitizers"
    python3 tests/test_mutants.py "$PWD/build/sanitize/piola" "$PWD/build/sanitize/test_mutants" scenes
}

# faults N: calls that fail, or at which the process is killed
faults() {
    cmake --preset release
    cmake --build --preset release -j "$jobs" --target piola fault_shim
    say "faults: $1 calls that fail"
    python3 tests/fault_campaign.py build/release/piola build/release/fault_shim.so --points "$1" --jobs "$jobs" --json build/faults.json
    if declare -F kills >/dev/null; then kills 3000; fi
}

case "${1:-}" in
'') ;;
--faults)
    install_missing "${BUILD_PACKAGES[@]}"
    mkdir -p build
    faults "${2:-10000}"
    exit
    ;;
--mutants)
    install_missing "${BUILD_PACKAGES[@]}"
    mkdir -p build
    mutants "${2:-1000000}"
    exit
    ;;
--kills)
    install_missing "${BUILD_PACKAGES[@]}"
    mkdir -p build
    kills "${2:-3000}"
    exit
    ;;
--resume)
    install_missing "${BUILD_PACKAGES[@]}" python3-venv
    mkdir -p build
    make_venv
    cmake --preset release
    cmake --build --preset release -j "$jobs" --target piola
    build/venv/bin/python tests/test_resume.py "$PWD/build/release/piola" all
    exit
    ;;
*)
    say "unknown option '$1'; see the head of tools/check.sh"
    exit 2
    ;;
esac

begin=$SECONDS
install_missing "${BUILD_PACKAGES[@]}" python3-venv valgrind
mkdir -p build
make_venv
find_nvcc || true

say "release: build"
cmake --preset release
cmake --build --preset release -j "$jobs"
say "release: tests, $((SECONDS - begin)) s after the start"
release=passed
run_tests release || release=FAILED

say "sanitize: build, $((SECONDS - begin)) s after the start"
cmake --preset sanitize
cmake --build --preset sanitize -j "$jobs"
say "sanitize: tests, $((SECONDS - begin)) s after the start"
sanitize=passed
run_tests sanitize || sanitize=FAILED

say "summary, $((SECONDS - begin)) s after the start: release $release, with sanitizers $sanitize"
grep -h '(Skipped)' build/release.log build/sanitize.log | sort -u | sed 's/^/not checked: /' || true
if [ $release = passed ]; then # what failed comes last
    closing_lines release
    closing_lines sanitize
else
    closing_lines sanitize
    closing_lines release
fi
[ $release = passed ] && [ $sanitize = passed ]
