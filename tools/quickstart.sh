#!/usr/bin/env bash
# quickstart.sh -- from a fresh clone to an optimised scene: installs what is missing (Debian packages, as root or with
# sudo), builds, improves the throw of a soft ball, draws the result. Runs from any folder, any number of times.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/install.sh

install_missing "${BUILD_PACKAGES[@]}"
find_nvcc || true

say "build: build/release/piola and its engines"
cmake --preset release
cmake --build --preset release --target piola

out=out/mpm-throw # of the scene's name
say "optimise: scenes/mpm_throw.yaml into $out (a run that was cut off goes on)"
build/release/piola optimize scenes/mpm_throw.yaml

say "draw: the last frame"
build/release/piola render "$out/states.vtkhdf" -o "$out/last.png"

say "done"
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
