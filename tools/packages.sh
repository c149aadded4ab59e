# Debian packages the project needs, by what they are for. Sourced by ./demo and ./test; the only list there is.

# To build the program.
BUILD_PACKAGES='gcc libc6-dev make pkg-config libjansson-dev libzstd-dev liblz4-dev'

# To run every test: unit tests (cmocka), reference results (mpfr), the second compiler with its sanitizers and
# fuzzer, function lengths (ctags), objects for the other machine.
TEST_PACKAGES='libcmocka-dev libmpfr-dev clang libclang-rt-14-dev universal-ctags gcc-aarch64-linux-gnu
libc6-dev-arm64-cross'

# For `make bench` alone: the simulator it compares with.
BENCH_PACKAGES='oclgrind'

# Installs those of the given Debian packages that are missing. Off Debian it lists them and goes on.
# root installs at once, others through sudo; without sudo the command to type is printed and the script stops.
packages_install()
{
    if ! grep -q -E '^ID(_LIKE)?=.*debian' /etc/os-release 2>/dev/null || ! command -v apt-get >/dev/null; then
        echo "This is not Debian: if the build fails, install what these Debian packages hold:"
        echo "  $*"
        return 0
    fi
    missing=
    for package in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    become=
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "Missing packages. As root, type:"
            echo "  apt-get update && apt-get install --no-install-recommends$missing"
            exit 1
        fi
        become=sudo
    fi
    echo "Installing:$missing"
    # Empty lists know no package; old ones may name files that are gone, hence the second try.
    [ -n "$(find /var/lib/apt/lists -name '*Packages*' 2>/dev/null | head -n 1)" ] || $become apt-get update -q || exit 1
    # shellcheck disable=SC2086 # a list of words
    packages_apt $missing || { $become apt-get update -q && packages_apt $missing; } || exit 1
}

packages_apt()
{
    $become env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}
