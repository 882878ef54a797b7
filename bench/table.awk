# Rows (program, work, devices, number, unit) of several rounds -> medians side by side, and bench.json: one object per work,
# devices and peer. The ratio is ours by the peer's: below 1 is faster, or less. Milliseconds where no unit is said. Work that
# is there on one device and on several is a row against itself, too: eight devices share the processors of one. A sixth column
# marks work whose products of float32 were made of bfloat16 parts on a matrix unit, with a star and a line that says so.
BEGIN { FS = "\t" }
{
    key = $2 FS $3
    if (!(key in seen)) { seen[key] = 1; keys[++nkeys] = key }
    if ($5 != "") unit[key] = $5
    if ($6 == "parts") parts[key] = 1
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
function quotient(a, b) { return (b > 0) ? sprintf("%.4g", a / b) : "null" }
function row(part, ours, peer, theirs, by, of) {
    printf "%s\n  {\"work\": \"%s\", \"devices\": %d, \"ours_ms\": %s, \"peer\": %s, \"peer_ms\": %s, \"ratio\": %s%s%s}",
        rows++ ? "," : "", part[1], part[2], ours, peer, theirs, by, (of == "ms") ? "" : ", \"unit\": \"" of "\"",
        ((part[1] FS part[2]) in parts) ? ", \"bf16_parts\": true" : "" > json
}
END {
    printf "%-38s %7s %14s %6s", "work", "devices", "tutti ms", "of one"
    for (p = 1; p <= npeers; p++) printf "  %24s", peers[p] " (ratio)"
    printf "\n"
    printf "[" > json
    for (k = 1; k <= nkeys; k++) {
        split(keys[k], part, FS)
        if (!((keys[k], "tutti") in count)) continue
        ours = median(keys[k], "tutti")
        of = keys[k] in unit ? unit[keys[k]] : "ms"
        printf "%-38s %7d %14s", part[1], part[2], sprintf("%.5g%s", ours, of == "ms" ? (keys[k] in parts) ? "*" : "" : " " of)
        starred += keys[k] in parts
        compared = 0
        alone = part[1] FS 1
        if (part[2] > 1 && of == "ms" && part[1] !~ /^first/ && (alone, "tutti") in count) {
            one = median(alone, "tutti")
            compared = 1
            printf " %6.2f", (one > 0 ? ours / one : 0)
            row(part, sprintf("%.6g", ours), "\"tutti on one device\"", sprintf("%.6g", one), quotient(ours, one), of)
        } else printf " %6s", ""
        for (p = 1; p <= npeers; p++) {
            if (!((keys[k], peers[p]) in count)) { printf "  %24s", ""; continue }
            theirs = median(keys[k], peers[p])
            compared = 1
            printf "  %24s", (theirs > 0 ? sprintf("%.5g (%.2f)", theirs, ours / theirs) : "0")
            row(part, sprintf("%.6g", ours), "\"" peers[p] "\"", sprintf("%.6g", theirs), quotient(ours, theirs), of)
        }
        printf "\n"
        if (!compared) row(part, sprintf("%.6g", ours), "null", "null", "null", of)
    }
    if (starred) print "* products of float32 as six of bfloat16 parts, on the matrix unit; TUTTI=no-amx does without"
    printf "\n]\n" > json
}
