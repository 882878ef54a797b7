#!/bin/sh
# Says how far the build is, and runs one of its commands. On a terminal each line replaces the one before, and what the
# command says stands below; elsewhere lines follow each other. usage: tools/progress.sh N/ALL WHAT COMMAND...
at=$1 what=$2
shift 2
if [ ! -t 1 ] || [ "${TERM:-dumb}" = dumb ]; then
    echo "[$at] $what"
    exec "$@"
fi
said=$(mktemp) || exit 1
printf '\r\033[K[%s] %s' "$at" "$what"
"$@" 2>"$said"
status=$?
if [ -s "$said" ]; then
    printf '\r\033[K'
    cat "$said" >&2
fi
rm -f "$said"
[ "${at%/*}" != "${at#*/}" ] || echo
exit $status
