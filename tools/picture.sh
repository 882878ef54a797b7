#!/bin/sh
# Terminal text from standard input -> an SVG of it, as README.md shows the demo. usage: build/examples/ensemble | tools/picture.sh > demo.svg
LC_ALL=C exec awk '
    function columns(t) { gsub(/[\200-\277]/, "", t); return length(t) }   # bytes that begin a character of UTF-8
    # Blanks do not break, since browsers join others in a row, whatever xml:space and white-space say.
    function escaped(t) { gsub(/&/, "\\&amp;", t); gsub(/</, "\\&lt;", t); gsub(/>/, "\\&gt;", t); gsub(/ /, "\302\240", t); return t }
    { sub(/^.*\r/, ""); gsub(/\033\[[0-9;]*[A-Za-z]/, ""); sub(/[ ]+$/, ""); line[NR] = $0; if (columns($0) > wide) wide = columns($0) }
    END {
        high = 17; w = int(wide * 8.43) + 32; h = NR * high + 28
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", w, h, w, h
        printf "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#10141c\"/>\n"
        printf "<g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" fill=\"#d6deeb\">\n"
        for (i = 1; i <= NR; i++) if (line[i] != "")
            printf "<text x=\"16\" y=\"%d\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\">%s</text>\n", i * high + 12, columns(line[i]) * 8.43, escaped(line[i])
        printf "</g>\n</svg>\n"
    }'
