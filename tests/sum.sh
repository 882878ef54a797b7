#!/bin/sh
# Adds the closing lines collected by tests/run.sh; the last line printed is the whole's. The lines before the last:
# - how much was drawn, executed, killed, refused: the lines `volume N WHAT` of the logs, added by WHAT;
# - why anything was skipped, a line per reason. A reason that tests/skips.txt does not expect here fails, as a condition
#   that broke must not look like a skip;
# - the name of each golden that is known to miss,
# - what failed, with the first lines of each failure: last, since a log that is cut keeps its end.
# Status 1 when something failed. usage: tests/sum.sh LOGDIR
logs=$1; here=$(dirname "$0")
absent() {                                               # does WHEN hold?
    case $1 in
    always) true;;
    !*) ! command -v "${1#!}" >/dev/null 2>&1;;
    /*) ! [ -e "$1" ];;
    -*) ! grep -qw "${1#-}" /proc/cpuinfo 2>/dev/null;;
    *) eval "[ -z \"\${$1:-}\" ]";;
    esac
}
awk '/^volume [0-9]+ / { n = $2; sub(/^volume [0-9]+ /, ""); if (!($0 in sum)) what[++k] = $0; sum[$0] += n }
    END { for (i = 1; i <= k; i++) printf "volume %9d  %s\n", sum[what[i]], what[i] }' "$logs"/*.log
{ grep -v '^#' "$here/skips.txt" | while IFS='	' read -r when reason; do absent "$when" && printf 'may\t%s\n' "$reason"; done
  for log in "$logs"/*.log; do
      sed -n "s|^skip: |$(basename "$log" .log)	1	|p; s|^skipped *\([0-9]*\)  |$(basename "$log" .log)	\1	|p" "$log"
      grep -qE '^skip(:|ped )' "$log" || ! grep -qE ' [1-9][0-9]* skipped$' "$log" || printf '%s\t1\tit does not say why\n' "$(basename "$log" .log)"
  done; } | awk -F'\t' '
    $1 == "may" { may[++n] = $2; next }
    {
        for (k = 1; k <= n; k++) if ($3 ~ "^(" may[k] ")$") {
            if ($3 ~ /^known to miss: /) { if (!missed[$3]++) printf "skipped %5d  %s\n", $2, $3 } else seen[k] += $2
            next
        }
        bad[++b] = sprintf("skipped %5d  NOT EXPECTED: %s (%s)", $2, $3, $1)
    }
    END {
        for (k = 1; k <= n; k++) if (seen[k]) printf "skipped %5d  %s\n", seen[k], may[k]
        for (k = 1; k <= b; k++) print bad[k]
        exit b > 0
    }'
unexpected=$?
[ ! -f "$logs/.failed" ] || cat "$logs/.failed"
awk -F'[ ,]+' -v bad=$unexpected '{ p += $1; f += $3; s += $5 }
    END { printf "%d passed, %d failed, %d skipped\n", p, f + bad, s; exit f + bad > 0 || p == 0 }' "$logs/.sum"
