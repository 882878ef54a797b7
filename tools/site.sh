#!/bin/sh
# Makes the documentation site, BUILD/site/index.html: pages of docs/ and of the public headers, by Sphinx in a virtual
# environment, BUILD/site-venv. All its links are checked. docs/dev/site.md. usage: tools/site.sh BUILD VERSION
set -eu
B=$1 version=$2 V=$1/site-venv
fail() { printf 'make docs: %s\n' "$1" >&2; exit 1; }
# The environment is made again when the versions change.
if ! cmp -s tools/site/requirements.txt "$V/made"; then
    python3 -c 'import ensurepip, venv' 2>/dev/null || fail "needs python3 with venv (Debian: python3-venv)"
    mkdir -p "$B"
    rm -rf "$V"
    python3 -m venv "$V" || fail "python3 makes no virtual environment in $V"
    "$V/bin/pip" install -q --disable-pip-version-check --retries 1 --timeout 15 --only-binary :all: \
        -r tools/site/requirements.txt >"$B/site.log" 2>&1 || {
        said=$(grep -m 1 '^ERROR' "$B/site.log" || tail -n 1 "$B/site.log")
        rm -rf "$V"
        fail "no package index, or nothing in it for this Python, and so no Sphinx: $said"
    }
    cp tools/site/requirements.txt "$V/made"
fi
"$V/bin/python" -B tools/site/stage.py "$B" "${CC:-cc}"
TUTTI_VERSION=$version "$V/bin/sphinx-build" -q -W --keep-going -c tools/site -d "$B/site-source/.trees" \
    "$B/site-source" "$B/site" || fail "Sphinx has warnings"
rm -rf "$B/site/.buildinfo" "$B/site/objects.inv"
"$V/bin/python" -B tools/site/links.py "$B/site" || fail "links are wrong"
echo "$B/site/index.html"
