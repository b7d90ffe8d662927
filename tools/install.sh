# shellcheck shell=bash
# install.sh -- what quickstart.sh, check.sh and gpu_check.sh share; they source it.

say() { printf '\n== %s\n' "$*"; }

# as_root COMMAND...: as root, or with sudo; fails where there is neither.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        printf 'this needs root or sudo: %s\n' "$*" >&2
        return 1
    fi
}

# install_missing PACKAGE...: Debian packages that are not there yet.
install_missing() {
    local missing=() package
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "not a Debian system: going on with what is installed; needed are $*, by their Debian names"
        return 0
    fi
    for package in "$@"; do
        if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -eq 0 ]; then
        say "packages: all ${#} are installed"
        return 0
    fi
    say "packages: installing ${missing[*]}"
    as_root apt-get update -q || say "apt-get update failed; trying with the lists that are here"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# cache_compilations: whatever was compiled before from the same text by the same compiler with the same options comes
# from the folder of ccache, wherever the clone is that it was compiled in.
cache_compilations() {
    local language
    if ! command -v ccache >/dev/null; then
        return 0
    fi
    export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
    for language in C CXX CUDA; do
        export "CMAKE_${language}_COMPILER_LAUNCHER=ccache"
    done
}

# nvcc is often installed where no path leads.
find_nvcc() {
    if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
        PATH="$PATH:/usr/local/cuda/bin"
    fi
    if command -v nvcc >/dev/null; then
        say "CUDA: $(command -v nvcc), $(nvcc --version | sed -n 's/.*release \([^,]*\).*/\1/p')"
    else
        say "CUDA: no nvcc; CPU engines only"
        return 1
    fi
}

# shellcheck disable=SC2034 # those who source this use it
BUILD_PACKAGES=(gcc g++ cmake fonts-dejavu-core ninja-build pkg-config libarpack2-dev libcairo2-dev libhdf5-dev
    libmumps-seq-dev libnlopt-dev libopenmpi-dev libvpx-dev libyaml-dev libcmocka-dev zlib1g-dev python3)
# shellcheck disable=SC2034
TEST_PACKAGES=(ccache libcminpack-dev libhypre-dev munge openmpi-bin python3-torch python3-venv qemu-user slurm-client
    slurmctld slurmd valgrind)
