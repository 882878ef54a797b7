#!/bin/sh
# Installs what Tutti builds with, or says what is missing. Debian's names; other systems get the list.
# Indispensable: a C compiler, zlib, jansson. The rest makes it faster (oneDNN, LLVM, LAPACK) or is used by tests.
# As root, or where CI=true, it installs at once; on a terminal with sudo it asks; else it prints the one line and goes on.
# usage: tools/setup.sh [demo|check|check-long]
set -u
CC=${CC:-gcc}
need= want=
have() { printf '#include <%s>\nint main(void){return 0;}\n' "$1" | $CC -x c -fsyntax-only - >/dev/null 2>&1; }

command -v "${CC%% *}" >/dev/null 2>&1 || command -v cc >/dev/null 2>&1 || need="$need gcc libc6-dev"
if [ -n "$need" ]; then need="$need zlib1g-dev libjansson-dev"
else
    have zlib.h || need="$need zlib1g-dev"
    have jansson.h || need="$need libjansson-dev"
fi
have dnnl.h || have oneapi/dnnl/dnnl.h || want="$want libdnnl-dev"
# LLVM 16 to 22 compiles elementwise loops; named only where the package surely exists.
llvm='libLLVM(-1[6-9]\.so|\.so\.(18|19|2[0-2])\.)'
if grep -Eqs '^VERSION_ID="1[23]"' /etc/os-release && grep -qs '^ID=debian' /etc/os-release; then
    /sbin/ldconfig -p 2>/dev/null | grep -Eq "$llvm" || want="$want libllvm19"
fi
# Compressed checkpoints of others; opened at run time.
/sbin/ldconfig -p 2>/dev/null | grep -q 'libzstd\.so\.1' || want="$want libzstd1"
# Regular expressions and normal forms of tokenizers; opened at run time.
/sbin/ldconfig -p 2>/dev/null | grep -q 'libpcre2-8\.so\.0' || want="$want libpcre2-8-0"
if ! /sbin/ldconfig -p 2>/dev/null | grep -Eq 'libunistring\.so\.[25]'; then
    if grep -qs '^VERSION_ID="12"' /etc/os-release; then want="$want libunistring2"; else want="$want libunistring5"; fi
fi
# Linear algebra; opened at run time. OpenBLAS is what makes it fast.
/sbin/ldconfig -p 2>/dev/null | grep -q 'liblapacke\.so\.3' || want="$want liblapacke libopenblas0-pthread"
# wants PROGRAM [PACKAGES]: adds the packages when there is no such program.
wants() { command -v "$1" >/dev/null 2>&1 || want="$want ${2:-$1}"; }
wants curl
certificates=ca-certificates                             # which curl needs and does not bring
for f in /etc/ssl/certs/ca-certificates.crt /etc/ssl/cert.pem /etc/pki/tls/certs/ca-bundle.crt; do [ -s $f ] && certificates=; done
want="$want${certificates:+ $certificates}"
case ${1:-demo} in check*)
    wants python3
    wants clang++ clang
    wants g++
    command -v clang-format-14 >/dev/null 2>&1 || wants clang-format
    wants pkg-config
    wants cmake
    wants abidiff abigail-tools
    wants zsh
    wants fish
    wants mpicc.openmpi "libopenmpi-dev openmpi-bin" ;;
esac
case ${1:-demo} in check-long)
    wants valgrind
    wants qemu-aarch64 qemu-user
    wants musl-gcc musl-tools
    [ "$(id -u)" = 0 ] && wants sshd openssh-server && wants ip iproute2   # tests/hosts.sh
    wants aarch64-linux-gnu-gcc "gcc-aarch64-linux-gnu libc6-dev-arm64-cross" ;;
esac
[ -z "$need$want" ] && exit 0

line="apt-get install -y --no-install-recommends$need$want"
# No word of the installer's unless it fails.
try()
{
    echo "tutti: installing$need$want"
    log=$(mktemp)
    if { $1 apt-get update -qq && $1 env DEBIAN_FRONTEND=noninteractive $line; } >"$log" 2>&1; then rm -f "$log"; return 0; fi
    grep -m 1 '^E:' "$log" || tail -n 1 "$log"
    rm -f "$log"
    return 1
}
done=1
if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then try "" && done=0
    elif [ "${CI:-}" = true ] && command -v sudo >/dev/null 2>&1; then try "sudo -n" && done=0
    elif [ -t 0 ] && command -v sudo >/dev/null 2>&1; then
        printf 'tutti: may I install%s with sudo? [y/N] ' "$need$want"
        read -r answer
        case $answer in y|Y|yes) try sudo && done=0 ;; esac
    fi
fi
[ $done = 0 ] && exit 0
[ "$(id -u)" = 0 ] || line="sudo $line"
echo "tutti: missing; to install it: $line"
if [ -n "$need" ]; then
    echo "tutti: cannot build without:$need"
    exit 1
fi
echo "tutti: going on without:$want"
exit 0
