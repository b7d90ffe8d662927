#!/usr/bin/env bash
# gpu_check.sh -- what only a GPU can show: every kernel on the GPU against the CPU and against itself, products by
# cuSPARSE against both, every linear solver (ctest -L gpu), under compute-sanitizer where it is installed, gradient
# checks of scenes and the speed of the solvers. Needs an NVIDIA GPU, its driver and nvcc; installs nothing. Where HDF5,
# NLopt, libyaml or cmocka are missing (tools/check.sh installs them), the kernels alone are compared.
# Ends with a block of Markdown for tests/gpu_results.md, also written to build/gpu/gpu_results.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/install.sh
build=build/gpu
results=$build/gpu_results.md
failures=0

unavailable() {
    printf 'gpu_check.sh: %s\n' "$*" >&2
    exit 69
}

# query FIELD: what the driver says of the first GPU.
query() { nvidia-smi --id=0 --query-gpu="$1" --format=csv,noheader; }

# tried WHAT COMMAND...: runs it, and notes in the results how it ended.
tried() {
    local what=$1 start=$SECONDS
    shift
    say "$what"
    if "$@" 2>&1 | tee "$build/last.log"; then
        printf '| %s | passed | %d s |\n' "$what" $((SECONDS - start)) >>"$results"
    else
        printf '| %s | FAILED | %d s |\n' "$what" $((SECONDS - start)) >>"$results"
        failures=$((failures + 1))
    fi
}

not_tried() {
    say "not checked: $1: $2"
    printf '| %s | not checked: %s | |\n' "$1" "$2" >>"$results"
}

# A test that was skipped has shown nothing about this GPU.
compare_kernels() {
    OMP_WAIT_POLICY=passive ctest --test-dir "$build" -L gpu --no-tests=error --output-on-failure \
        >"$build/ctest.log" 2>&1 ||
        { cat "$build/ctest.log" && return 1; }
    cat "$build/ctest.log"
    ! grep -q 'Skipped' "$build/ctest.log"
}

# Whole solves would take hours there, and their kernels are among those of the others.
programs() { find "$build" -type f -perm -u+x -name 'test_*gpu*' ! -name 'test_pairings*' | sort; }

# sanitize TOOL: every GPU program under it.
sanitize() {
    local program
    for program in $(programs); do
        compute-sanitizer --tool "$1" --error-exitcode 1 "$program" || return 1
    done
}

query name >/dev/null 2>&1 || unavailable "no NVIDIA GPU with a driver here (nvidia-smi)"
find_nvcc || unavailable "no nvcc; install the CUDA Toolkit"
command -v cmake >/dev/null || unavailable "no cmake"

missing=()
for library in hdf5 nlopt yaml-0.1 cmocka zlib; do
    pkg-config --exists "$library" 2>/dev/null || missing+=("$library")
done
command -v python3 >/dev/null || missing+=(python3)
host=ON
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

commit=$(git rev-parse --short HEAD 2>/dev/null || echo "unknown commit")
if [ -n "$(git status --porcelain 2>/dev/null)" ]; then commit+=" with changes"; fi
{
    printf '## %s, %s\n\n' "$(query name)" "$(date -u +%F)"
    printf 'Commit %s; driver %s; CUDA %s; compute capability %s; %s.\n\n' "$commit" "$(query driver_version)" \
        "$(nvcc --version | sed -n 's/.*release \([^,]*\).*/\1/p')" "$(query compute_cap)" "$(query memory.total)"
    printf '| check | outcome | time |\n| --- | --- | --- |\n'
} >"$results"

tried "kernels, products, linear solves: GPU against CPU, GPU against itself" compare_kernels
for tool in memcheck racecheck; do
    if command -v compute-sanitizer >/dev/null; then
        tried "compute-sanitizer $tool" sanitize $tool
    else
        not_tried "compute-sanitizer $tool" "compute-sanitizer is not installed"
    fi
done
if [ $host = ON ]; then
    tried "piola doctor" "$build/piola" doctor
    tried "scenes/mpm_throw.yaml: gradient check on the GPU" "$build/piola" check scenes/mpm_throw.yaml --device cuda \
        -o "$build/check"
    for product in own cusparse; do
        tried "scenes/fem_cook.yaml: gradient check on the GPU, products: $product" "$build/piola" check \
            scenes/fem_cook.yaml --device cuda --set solver.linear=pcg --set solver.product=$product \
            -o "$build/check_$product"
    done
    tried "piola bench fem" "$build/piola" bench fem --device cuda
    cp "$build/last.log" "$build/bench_fem.log"
    for precision in f32 f64; do
        tried "piola bench mpm --precision $precision" "$build/piola" bench mpm --device cuda --precision $precision
        cp "$build/last.log" "$build/bench_$precision.log"
    done
    for name in f32 f64 fem; do
        printf '\nBench, %s:\n\n' $name
        sed 's/^/    /; s/ *$//' "$build/bench_$name.log"
    done >>"$results"
else
    not_tried "piola doctor, check and bench" "libraries are missing: ${missing[*]}"
fi

say "for tests/gpu_results.md"
cat "$results"
[ $failures -eq 0 ]
