#!/usr/bin/env bash
# quickstart.sh -- from a fresh clone to an optimised scene: installs what is missing (Debian packages, as root or with
# sudo), builds, improves the throw of a soft ball, draws the result, and builds the other engines. Runs from any
# folder, any number of times.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/install.sh

install_missing "${BUILD_PACKAGES[@]}"
find_nvcc || true

case "$(uname -m)" in
x86_64) if grep -q avx512vl /proc/cpuinfo; then isa=x86-64-v4; else isa=x86-64-v3; fi ;;
*) isa=$(uname -m) ;;
esac
say "build: build/release/piola and the engine of the first scene; the other engines follow in the end"
cmake --preset release
cmake --build --preset release --target piola "piola_engine_cpu_f64_2d_$isa"

out=out/mpm-throw # of the scene's name
say "optimise: scenes/mpm_throw.yaml into $out (a run that was cut off goes on)"
build/release/piola optimize scenes/mpm_throw.yaml --device cpu

say "draw: the last frame"
build/release/piola render "$out/states.vtkhdf" -o "$out/last.png"

say "done after $SECONDS s"
python3 - "$out/result.json" <<'END'
import json
import sys

result = json.load(open(sys.argv[1]))
print(f"objective     {result['objective']:.6g}: {result['message']}")
for path, p in result["parameters"].items():
    print(f"optimised     {path} = {p['value']} {p['unit']} (started at {p['initial']})")
END
printf 'snapshot      %s   for ParaView, h5py, NumPy\npicture       %s\nresult        %s\n' \
    "$PWD/$out/states.vtkhdf" "$PWD/$out/last.png" "$PWD/$out/result.json"

say "build: the other engines that this machine loads (3D, single precision and, with nvcc, CUDA)"
cmake --build --preset release --target "engines_$isa"
say "ready after $SECONDS s: build/release/piola --help"
