#!/usr/bin/env bash
# gpu_check.sh [--built FOLDER] [--limit SECONDS] [PART ...] -- what only a GPU can show. Needs an NVIDIA GPU and its
# driver; installs nothing. Parts, in the order that is given, by default in this one:
#
#   mpm        `piola bench mpm` at 1, 8 and 100 million particles, in f64 and in 2D
#   fem        `piola bench fem` at 31, 63 and 99 cells per edge
#   kernels    every kernel on the GPU against the CPU and against itself, products by cuSPARSE against both, and every
#              linear solver (the tests with the label gpu)
#   scenes     `piola doctor`; gradients of the small scenes against the CPU and against themselves; gradient checks
#   sanitizer  compute-sanitizer memcheck, racecheck and synccheck over every kernel, in f32: f64 has the same text
#
# The last three only compare, and run beside one another.
# Without --built it builds build/gpu, with nvcc, for the GPU that is there; where HDF5, NLopt, libyaml or cmocka are
# missing (tools/check.sh installs them), the kernels alone. --built FOLDER takes the programs, engines and modules of a
# folder that was built elsewhere. A check that takes longer than --limit (600) has failed.
# Ends with a block of Markdown for tests/gpu_results.md, also written to build/gpu/gpu_results.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/install.sh
logs=build/gpu
results=$logs/gpu_results.md
build=$logs
limit=600
parts=()

# stop CODE TEXT: by the exit codes of docs/reference/exit_codes.md
stop() {
    printf 'gpu_check.sh: %s\n' "$2" >&2
    exit "$1"
}

while [ $# -gt 0 ]; do
    case $1 in
    --built) build=${2:?--built needs a folder} && shift ;;
    --limit) limit=${2:?--limit needs seconds} && shift ;;
    kernels | scenes | mpm | fem | sanitizer) parts+=("$1") ;;
    *) stop 2 "$1 is no part; parts are kernels, scenes, mpm, fem and sanitizer" ;;
    esac
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=(mpm fem kernels scenes sanitizer)
mkdir -p "$logs"

# query FIELD: what the driver says of the first GPU.
query() { nvidia-smi --id=0 --query-gpu="$1" --format=csv,noheader; }

# tried WHAT LOG COMMAND...: runs it, and notes in the results how it ended.
tried() {
    local what=$1 log=$logs/$2 start=$SECONDS outcome=passed
    shift 2
    say "$what"
    timeout --kill-after=10 "$limit" "$@" >"$log" 2>&1 || outcome="FAILED ($?)"
    cat "$log"
    # A test that was skipped has shown nothing about this GPU.
    if grep -q '^skipped' "$log"; then outcome="FAILED (skipped)"; fi
    printf '| %s | %s | %d s |\n' "$what" "$outcome" $((SECONDS - start)) >>"$results"
}

not_tried() {
    say "not checked: $1: $2"
    printf '| %s | not checked: %s | |\n' "$1" "$2" >>"$results"
}

# programs PATTERN: those of the tests for a GPU.
programs() { find "$build" -maxdepth 1 -type f -perm -u+x -name "test_${1}_gpu_*" | sort; }

check_kernels() {
    local program
    for program in $(programs '*'); do
        OMP_NUM_THREADS=2 tried "${program##*/}" "${program##*/}.log" "$program" &
    done
    wait
}

check_scenes() {
    rm -rf "$logs/check_mpm" "$logs/check_fem"
    tried "piola doctor" doctor.log "$build/piola" doctor
    if python3 -c 'import h5py' 2>/dev/null; then
        tried "gradients of the small scenes: GPU against CPU, GPU against itself" scenes.log \
            python3 tests/system/gpu_scenes.py "$build/piola"
    else
        not_tried "gradients of the small scenes" "python3 has no h5py"
    fi
    tried "scenes/mpm_throw.yaml: gradient check" check_mpm.log "$build/piola" check scenes/mpm_throw.yaml \
        --device cuda -o "$logs/check_mpm"
    tried "scenes/fem_cook.yaml: gradient check" check_fem.log "$build/piola" check scenes/fem_cook.yaml \
        --device cuda -o "$logs/check_fem"
}

check_mpm() {
    tried "piola bench mpm" bench_mpm.log "$build/piola" bench mpm --device cuda
    tried "piola bench mpm --precision f64" bench_mpm_f64.log "$build/piola" bench mpm --device cuda --precision f64
    tried "piola bench mpm --dimension 2" bench_mpm_2d.log "$build/piola" bench mpm --device cuda --dimension 2
    tried "piola bench mpm --particles 8e6" bench_mpm_8.log "$build/piola" bench mpm --device cuda --particles 8e6
    tried "piola bench mpm --particles 1e8" bench_mpm_100.log "$build/piola" bench mpm --device cuda --particles 1e8 \
        --steps 3
}

check_fem() {
    local cells
    for cells in 31 63 99; do
        tried "piola bench fem --cells $cells" "bench_fem_$cells.log" "$build/piola" bench fem --device cuda \
            --cells $cells
    done
}

# Whole solves would take hours there, and their kernels are among those of the others.
check_sanitizer() {
    local tool program
    if ! command -v compute-sanitizer >/dev/null; then
        not_tried "compute-sanitizer" "it is not installed"
        return
    fi
    for tool in memcheck racecheck synccheck; do
        for program in $(programs every_kernel | grep f32); do
            OMP_NUM_THREADS=2 tried "compute-sanitizer $tool ${program##*/}" "$tool-${program##*/}.log" \
                compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 1 "$program" &
        done
    done
    wait
}

query name >/dev/null 2>&1 || stop 69 "no NVIDIA GPU with a driver here (nvidia-smi)"
host=ON
if [ "$build" = "$logs" ]; then
    find_nvcc || stop 69 "no nvcc; install the CUDA Toolkit"
    command -v cmake >/dev/null || stop 69 "no cmake"
    missing=()
    for library in hdf5 nlopt yaml-0.1 cmocka zlib; do
        pkg-config --exists "$library" 2>/dev/null || missing+=("$library")
    done
    command -v python3 >/dev/null || missing+=(python3)
    if [ ${#missing[@]} -gt 0 ]; then
        host=OFF
        say "missing: ${missing[*]}: comparing kernels only (PIOLA_HOST=OFF)"
    fi
    say "build: $build, PIOLA_HOST=$host"
    generator=()
    if command -v ninja >/dev/null && [ ! -e "$build/CMakeCache.txt" ]; then generator=(-G Ninja); fi
    cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DPIOLA_CUDA=ON -DPIOLA_HOST=$host \
        -DPIOLA_CUDA_ARCHITECTURES=native
    cmake --build "$build" -j "$(nproc)"
fi

commit=$(git rev-parse --short HEAD 2>/dev/null || cat "$build/commit" 2>/dev/null || echo "unknown commit")
if [ -n "$(git status --porcelain 2>/dev/null)" ]; then commit+=" with changes"; fi
export OMP_WAIT_POLICY=passive
{
    printf '## %s, %s\n\n' "$(query name)" "$(date -u +%F)"
    printf 'Commit %s; driver %s; compute capability %s; %s of memory; %s.\n\n' "$commit" "$(query driver_version)" \
        "$(query compute_cap)" "$(query memory.total)" "$(nproc) processors"
    printf '| check | outcome | time |\n| --- | --- | --- |\n'
} >"$results"

for part in "${parts[@]}"; do
    case $part in
    kernels | sanitizer) "check_$part" & ;;
    *)
        if [ $host = OFF ]; then
            not_tried "$part" "libraries are missing: ${missing[*]}"
        elif [ "$part" = scenes ]; then
            check_scenes &
        else
            wait # a benchmark runs alone
            "check_$part"
        fi
        ;;
    esac
done
wait
for log in "$logs"/bench_*.log; do
    [ -e "$log" ] || continue
    printf '\n%s:\n\n' "$(basename "$log" .log)"
    sed 's/^/    /; s/ *$//' "$log"
done >>"$results"

say "for tests/gpu_results.md"
cat "$results"
! grep -q 'FAILED' "$results"
