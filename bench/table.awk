# Rows (program, work, devices, ms) of several rounds -> medians side by side, and bench.json: one object per work, devices
# and peer. The ratio is ours by the peer's: below 1 is faster.
BEGIN { FS = "\t" }
{
    key = $2 FS $3
    if (!(key in seen)) { seen[key] = 1; keys[++nkeys] = key }
    n = ++count[key, $1]
    ms[key, $1, n] = $4
    if ($1 != "tutti" && !($1 in known)) { known[$1] = 1; peers[++npeers] = $1 }
}
function median(key, who,    n, i, j, t, v) {
    n = count[key, who]
    for (i = 1; i <= n; i++) v[i] = ms[key, who, i] + 0
    for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
END {
    printf "%-38s %7s %11s", "work", "devices", "tutti ms"
    for (p = 1; p <= npeers; p++) printf "  %24s", peers[p] " ms (ratio)"
    printf "\n"
    printf "[" > json
    for (k = 1; k <= nkeys; k++) {
        split(keys[k], part, FS)
        if (!((keys[k], "tutti") in count)) continue
        ours = median(keys[k], "tutti")
        printf "%-38s %7d %11.5g", part[1], part[2], ours
        compared = 0
        for (p = 1; p <= npeers; p++) {
            if (!((keys[k], peers[p]) in count)) { printf "  %24s", ""; continue }
            theirs = median(keys[k], peers[p])
            compared = 1
            printf "  %24s", sprintf("%.5g (%.2f)", theirs, ours / theirs)
            printf "%s\n  {\"work\": \"%s\", \"devices\": %d, \"ours_ms\": %.6g, \"peer\": \"%s\", \"peer_ms\": %.6g, \"ratio\": %.4g}",
                rows++ ? "," : "", part[1], part[2], ours, peers[p], theirs, ours / theirs > json
        }
        printf "\n"
        if (!compared)
            printf "%s\n  {\"work\": \"%s\", \"devices\": %d, \"ours_ms\": %.6g, \"peer\": null, \"peer_ms\": null, \"ratio\": null}",
                rows++ ? "," : "", part[1], part[2], ours > json
    }
    printf "\n]\n" > json
}
