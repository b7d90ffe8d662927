#!/usr/bin/env bash
# check.sh -- everything that can be checked here: installs what is missing (Debian packages, as root or with sudo;
# Python packages into build/venv*), builds all engines, the command and the tests, passes the tests; then again with
# the address and undefined-behaviour sanitizers. Runs from any folder, any number of times. With CI=true, nothing may
# stay unchecked.
#
#   tools/check.sh                   all that, in an hour on two processors, and in half an hour where ccache has
#                                    compiled most of it before; of the campaigns below a sample
#   tools/check.sh --long            and the tests of tests/long.cmake, which takes three times as long; then --arm64,
#                                    and twelve seconds of --fuzz for each reader
#   tools/check.sh --mutants [N]     N damaged scenes (1000000: a quarter of an hour) with sanitizers, and 200 through
#                                    the command
#   tools/check.sh --faults [N]      N calls of the system, of memory, HDF5 and devices that fail or kill (10000: half
#                                    an hour), and 3/10 N more after which is looked for lost memory and descriptors
#                                    (a quarter of an hour)
#   tools/check.sh --kills [N]       an optimisation killed N times (3000: half an hour) at random instants, at every
#                                    call that writes its record, and cut off by 2/3 N power failures
#   tools/check.sh --damage          every bit of a snapshot flipped, and thousands of other damaged files
#   tools/check.sh --resume          runs and gradients cut at every place that tests/system/test_resume.py knows, and
#                                    gone on with
#   tools/check.sh --fuzz [MINUTES]  each of the eight readers under libFuzzer (60 min each, as many at a time as there
#                                    are processors)
#   tools/check.sh --arm64           cross-compiles for 64-bit ARM, runs the tests of tests/arm64/ under qemu-user, and
#                                    compares gradients with those of x86-64
#   tools/check.sh --reliability [P] P per cent (100) of all of these; their counts go into docs/reliability.md
# What a campaign prints is in build/campaigns too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/install.sh
jobs=$(nproc)

# venv FOLDER REQUIREMENTS COMMAND...: a folder of Python packages, which COMMAND makes, with what the file requires;
# made anew when that changes.
venv() {
    local folder=build/$1 file=tests/$2
    shift 2
    if cmp -s "$file" "$folder/requirements.txt"; then
        say "Python packages: $folder is as $file says"
        return 0
    fi
    say "Python packages: into $folder"
    rm -rf "$folder"
    if "$@" "$folder" && "$folder/bin/pip" install -q --disable-pip-version-check -r "$file"; then
        cp "$file" "$folder/requirements.txt"
        return 0
    fi
    say "Python packages: not checked: pip reaches nothing; the tests that need $folder are skipped"
    [ "${CI:-}" != true ]
}

make_venv() { venv venv requirements.txt python3 -m venv; }

# PyTorch and JAX in folders of their own: Debian's torch, for Debian's Python, and with --long PyPI's, which takes
# gigabytes, and Mosaic, which takes one.
make_other_venvs() {
    venv venv-torch requirements-torch.txt /usr/bin/python3 -m venv --system-site-packages
    venv venv-jax requirements-jax.txt python3 -m venv
    if [ $long = ON ]; then
        venv venv-torch-pypi requirements-torch-pypi.txt python3 -m venv
        venv venv-mosaic requirements-mosaic.txt python3 -m venv
    fi
}

# run_tests PRESET ARGUMENT...: the tests, and what ctest says in the end into build/PRESET.log
run_tests() {
    local preset=$1
    shift
    ctest --preset "$preset" -j "$jobs" "$@" 2>&1 | tee "build/$preset.log"
}

closing_lines() { sed -n '/tests passed/,$p' "build/$1.log"; }

# build_release TARGET...: what a campaign runs.
build_release() {
    cmake --preset release
    cmake --build --preset release -j "$jobs" --target "$@"
}

# mutants N: every cut, every changed key and random damage of the shipped and the small scenes
mutants() {
    cmake --preset sanitize -DPIOLA_LONG=ON
    cmake --build --preset sanitize -j "$jobs" --target piola engines test_mutants
    build/sanitize/test_mutants --count "$1" 2>&1
    python3 tests/system/test_mutants.py "$PWD/build/sanitize/piola" "$PWD/build/sanitize/test_mutants"
}

# faults N: calls that fail, or at which the process is killed; and what is not given back after them
faults() {
    build_release piola engines fault_shim
    python3 tests/system/fault_campaign.py build/release/piola build/release/fault_shim.so --points "$1" \
        --leaks "$(($1 * 3 / 10))" --jobs "$jobs" --json build/faults.json
}

# kills N: optimisations that are killed or lose power end with the same bits
kills() {
    build_release piola engines piola_disk_log
    python3 tests/system/test_kills.py build/release/piola build/release/piola_disk_log.so --kills "$1" \
        --power-cuts $((2 * $1 / 3))
}

# Damaged snapshots.
damage() {
    build_release test_snapshot_digest test_snapshot_hostile
    build/release/test_snapshot_digest --all 2>&1
    build/release/test_snapshot_hostile --all 2>&1
}

# fuzz MINUTES: what earlier runs found is kept in build/fuzz_inputs
fuzz() {
    install_missing clang llvm
    install_missing "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
    cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=Release -DPIOLA_CUDA=OFF -DPIOLA_FUZZ=ON &&
        cmake --build build/fuzz -j "$jobs" --target piola_fuzz piola_fuzz_coverage &&
        python3 tests/system/fuzz_campaign.py build/fuzz/piola_fuzz build/fuzz/piola_fuzz_coverage --minutes "$1" \
        --jobs "$jobs"
}

# What is built for 64-bit ARM, under an emulator, and compared with the release build.
arm64() {
    rm -f build/arm64.log
    if ! command -v apt-get >/dev/null ||
        ! install_missing gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user-static ||
        ! tests/arm64/sysroot.sh build/arm64-root; then
        say "arm64: not checked: Debian's packages for it cannot be had"
        arm64='not checked'
        [ "${CI:-}" != true ]
        return
    fi
    make_venv
    build_release piola engines &&
        cmake --preset arm64 &&
        cmake --build --preset arm64 -j "$jobs" &&
        run_tests arm64
}

# Interrupted runs and gradients.
resume() {
    make_venv
    build_release piola engines piola_cut
    build/venv/bin/python tests/system/test_resume.py "$PWD/build/release/piola" "$PWD/build/release/piola_cut" all 2>&1
}

# campaign NAME [N]: one of the above; what it prints is kept, below the commit and the day.
campaign() {
    say "campaign: $*"
    {
        echo "campaign $*, commit $(git describe --always --dirty), $(date -u +%F)"
        "$@"
    } | tee "build/campaigns/$1.log"
}

# reliability PERCENT: all campaigns, and the page that reports them.
reliability() {
    campaign mutants $((10000 * $1))
    campaign faults $((100 * $1))
    campaign kills $((30 * $1))
    campaign damage
    campaign resume
    campaign fuzz "$((($1 * 60 + 99) / 100))"
    python3 tools/reliability.py --write
}

long=OFF
if [ "${1:-}" = --long ]; then
    long=ON
    shift
fi
if [ $# -gt 0 ]; then
    install_missing "${BUILD_PACKAGES[@]}" python3-venv
    mkdir -p build/campaigns
    case "$1" in
    --mutants) campaign mutants "${2:-1000000}" ;;
    --faults) campaign faults "${2:-10000}" ;;
    --kills) campaign kills "${2:-3000}" ;;
    --fuzz) campaign fuzz "${2:-60}" ;;
    --damage | --resume | --arm64) campaign "${1#--}" ;;
    --reliability) reliability "${2:-100}" ;;
    *)
        say "unknown option '$1'; see the head of tools/check.sh"
        exit 2
        ;;
    esac
    exit
fi

begin=$SECONDS
install_missing "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
if [ $long = ON ]; then
    install_missing debootstrap chromium-headless-shell
fi
cache_compilations
mkdir -p build
make_venv
make_other_venvs
find_nvcc || true

say "release: build"
cmake --preset release -DPIOLA_LONG=$long -DPIOLA_ALL_ENGINES=$long
cmake --build --preset release -j "$jobs"
say "release: tests, $((SECONDS - begin)) s after the start"
release=passed
run_tests release || release=FAILED

say "sanitize: build, $((SECONDS - begin)) s after the start"
cmake --preset sanitize -DPIOLA_LONG=$long
cmake --build --preset sanitize -j "$jobs"
say "sanitize: tests, $((SECONDS - begin)) s after the start"
sanitize=passed
run_tests sanitize || sanitize=FAILED

logs=(build/release.log build/sanitize.log)
fuzzed='not run'
arm64='not run'
if [ $long = ON ]; then
    say "arm64: build and tests, $((SECONDS - begin)) s after the start"
    arm64=passed
    arm64 || arm64=FAILED
    if [ -e build/arm64.log ]; then
        logs+=(build/arm64.log)
    fi
    say "fuzz: build and run, $((SECONDS - begin)) s after the start"
    fuzzed=passed
    fuzz 0.2 || fuzzed=FAILED
fi

say "summary, $((SECONDS - begin)) s after the start: release $release, with sanitizers $sanitize, arm64 $arm64," \
    "fuzz $fuzzed"
grep -h '(Skipped)' "${logs[@]}" | sort -u | sed 's/^/not checked: /' || true
if [ $release = passed ]; then # what failed comes last
    closing_lines release
    closing_lines sanitize
else
    closing_lines sanitize
    closing_lines release
fi
if [ "$arm64" = FAILED ] && [ -e build/arm64.log ]; then
    closing_lines arm64
fi
[ $release = passed ] && [ $sanitize = passed ] && [ "$arm64" != FAILED ] && [ "$fuzzed" != FAILED ]
