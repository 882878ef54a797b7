#!/bin/sh
# Makes the tarball of a release from the last commit: the same bytes whenever and wherever it is made.
# usage: tools/dist.sh VERSION BUILD
set -e
name=tutti-$1 to=$2/tutti-$1.tar.gz
git rev-parse --verify -q HEAD >/dev/null 2>&1 || { echo "make dist: this is no git checkout; a tarball is made of a commit" >&2; exit 2; }
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "make dist: changes that are not committed are left out" >&2
mkdir -p "$2"
git archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$to.part"
mv "$to.part" "$to"
sha256sum "$to"
