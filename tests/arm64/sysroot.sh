#!/usr/bin/env bash
# sysroot.sh FOLDER -- the libraries of Debian for 64-bit ARM that Piola is built and run with, unpacked into FOLDER.
# The packages of this machine and what it knows of other architectures stay as they are, and root is not needed. A
# folder that this script completed, as it is now, is left as it is; any other is made anew.
set -euo pipefail
packages=(libc6-dev libgomp1 libstdc++6 libarpack2-dev libcairo2-dev libhdf5-dev libmumps-seq-dev libnlopt-dev
    libopenmpi-dev libvpx-dev libyaml-dev libcmocka-dev zlib1g-dev)
mkdir -p "$1"
root=$(cd "$1" && pwd)
if cmp -s "${BASH_SOURCE[0]}" "$root/made-by"; then
    printf 'arm64 libraries: %s has them\n' "$root"
    exit
fi
rm -rf "$root"
apt=$root/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
options=(-q -y -o APT::Architecture=arm64 -o APT::Architectures=arm64
    -o "Dir::State=$apt" -o "Dir::State::lists=$apt/lists"
    -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache")
apt-get "${options[@]}" update
apt-get "${options[@]}" install --no-install-recommends --download-only "${packages[@]}"

# /lib is a link, as in a system; of the packages, libraries, headers and what pkg-config reads are needed. Compilers
# for arm64 are not.
mkdir -p "$root/usr/lib"
ln -s usr/lib "$root/lib"
for package in "$apt"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink --wildcards \
        --exclude='./usr/lib/aarch64-linux-gnu/perl*' './lib/*' './usr/lib/aarch64-linux-gnu/*' './usr/include/*' \
        './usr/share/pkgconfig/*' 2>/dev/null || true # most have not all of these
done
# What installing libblas3, liblapack3 and libhdf5-dev would link.
libraries=$root/usr/lib/aarch64-linux-gnu
ln -s blas/libblas.so.3 lapack/liblapack.so.3 "$libraries/"
ln -s hdf5-serial.pc "$libraries/pkgconfig/hdf5.pc"
# Links that name a path from the root lead into the folder.
find "$root" -lname '/*' | while read -r link; do
    ln -sfn "$root$(readlink "$link")" "$link"
done
# What Linux says of two different processors; an emulator has the text of the machine that it runs on otherwise.
mkdir "$root/proc"
for part in 0xd0c 0xd05; do
    printf 'processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\n'
    printf 'CPU variant\t: 0x3\nCPU part\t: %s\nCPU revision\t: 1\n\n' $part
done >"$root/proc/cpuinfo"
rm -rf "$apt"
cp "${BASH_SOURCE[0]}" "$root/made-by"
printf 'arm64 libraries: %s in %s\n' "$(du -sh "$root" | cut -f1)" "$root"
