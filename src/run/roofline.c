/* run/roofline.c - TUTTI=roofline:FILE: an SVG picture of the steps' rates next to the machine's limits.
 *
 * Steps with multiply-adds are circles at their flops per byte and flops per second, under the roof min(peak, flops per
 * byte x copies); the other steps, which only move and change data, are circles on the left at their bytes per second,
 * under the line of copies. A circle's area is its share of the time; the longest steps are numbered and named. Steps
 * whose data stay in a cache may be above the roof of copies. (Williams, Waterman, Patterson: Roofline, CACM 52:4,
 * 2009.) */
#include "inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { W = 1180, H = 620, LEFT = 70, STRIP = 120, GAP = 60, TOP = 50, BOTTOM = 560, RIGHT = 740, NAMED = 16 };
typedef struct { double lo, hi, from, to; } axis;        /* log10 of the ends, and their coordinates */

static double roofline_at(const axis *a, double v)
{
    const double x = log10(v), t = (x - a->lo) / (a->hi - a->lo);
    return a->from + (a->to - a->from) * (t < 0 ? 0 : t > 1 ? 1 : t);
}

/* writes text with XML's escapes, truncated to `most` characters of UTF-8 */
static void roofline_text(FILE *f, const char *s, int most)
{
    for (int i = 0; *s && (i < most || ((unsigned char)*s & 0xc0) == 0x80); i++, s++) {
        if (*s == '<' || *s == '&' || *s == '>') fputs(*s == '<' ? "&lt;" : *s == '&' ? "&amp;" : "&gt;", f);
        else if ((unsigned char)*s >= ' ') putc(*s, f);
    }
}

static void grid(FILE *f, const axis *a, bool upright, double begin, double end, const char *unit)
{
    for (int e = (int)ceil(a->lo); e <= (int)floor(a->hi); e++) {
        const double p = roofline_at(a, pow(10, e));
        if (upright) {
            base_fprintf(f, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#e4e4e4\"/>", begin, p, end);
            base_fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g %s</text>\n", begin - 6, p + 4,
                    pow(10, e), unit);
        } else {
            base_fprintf(f, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#e4e4e4\"/>", p, begin, end);
            base_fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", p, begin + 16,
                pow(10, e));
        }
    }
}

static void circle(FILE *f, double x, double y, double share, size_t number)
{
    const double r = 3 + 40 * sqrt(share);
    base_fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#3a6ea5\" fill-opacity=\"0.45\" "
                 "stroke=\"#1f3f60\"/>\n", x, y, r);
    if (number <= NAMED) base_fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%zu</text>\n", x,
                                 y + 4, number);
}

static void legend(FILE *f, const run_rate *r, size_t n, double all)
{
    for (size_t i = 0; i < n && i < NAMED; i++) {
        base_fprintf(f, "<text x=\"%d\" y=\"%zu\">%zu  %.1f %%  ", RIGHT + 30, TOP + 14 + 32 * i, i + 1,
                100 * r[i].seconds / all);
        roofline_text(f, r[i].name ? r[i].name : "?", 40);
        base_fprintf(f, "</text><text x=\"%d\" y=\"%zu\" fill=\"#777\">", RIGHT + 50, TOP + 28 + 32 * i);
        roofline_text(f, r[i].site ? r[i].site : "", 58);
        base_fprintf(f, "</text>\n");
    }
}

static void roofline_draw(FILE *f, const run_rate *r, size_t n, double peak, double copy)
{
    const axis x = { -2, 3, LEFT + STRIP + GAP + 20, RIGHT }, y = { log10(peak) - 4, log10(peak) + 0.5, BOTTOM, TOP };
    const axis b = { log10(copy) - 3, log10(copy) + 1.2, BOTTOM, TOP };
    const double low = pow(10, x.lo);
    double all = 0;
    for (size_t i = 0; i < n; i++) all += r[i].seconds;
    base_fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
                 "font-size=\"11\">\n"
                 "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", W, H);
    base_fprintf(f, "<text x=\"%d\" y=\"28\" font-size=\"14\">%.1f ms of steps on a machine of %.0f GF/s and copies of "
                 "%.1f GB/s</text>\n",
            LEFT, all * 1e3, peak, copy);
    grid(f, &b, true, LEFT, LEFT + STRIP, "GB/s");
    grid(f, &y, true, x.from, x.to, "GF/s");
    grid(f, &x, false, BOTTOM, TOP, "");
    base_fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">no multiply-adds</text>", LEFT + STRIP / 2,
                 BOTTOM + 34);
    base_fprintf(f, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">flops per byte</text>\n", (x.from + x.to) / 2,
            BOTTOM + 34);
    base_fprintf(f, "<path fill=\"none\" stroke=\"#b03030\" stroke-width=\"2\" d=\"M%d %.1fH%d", LEFT,
        roofline_at(&b, copy),
            LEFT + STRIP);
    base_fprintf(f, "M%.1f %.1fL%.1f %.1fH%.1f\"/>\n", x.from, roofline_at(&y, low * copy),
        roofline_at(&x, peak / copy), roofline_at(&y, peak),
                 x.to);
    for (size_t i = n; i-- > 0;) {                       /* longest last, on top */
        const double share = r[i].seconds / all, flops = r[i].flops / r[i].seconds * 1e-9,
            bytes = r[i].bytes / r[i].seconds * 1e-9;
        if (share < 1e-3 || bytes <= 0) continue;
        if (flops > 0) circle(f, roofline_at(&x, flops / bytes), roofline_at(&y, flops), share, i + 1);
        else circle(f, LEFT + STRIP / 2, roofline_at(&b, bytes), share, i + 1);
    }
    legend(f, r, n, all);
    base_fprintf(f, "</svg>\n");
}

void run_roofline_write(const run_rate *r, size_t n, double peak, double copy)
{
    char to[RUN_PATH];
    const char *const file = run_profile_file("roofline", to);
    if (!file) return;
    if (peak <= 0 || copy <= 0) {
        base_log("roofline: this machine's limits are not known");
        return;
    }
    run_profile_out out;
    if (!run_profile_open(&out, "the roofline", file)) return;
    roofline_draw(out.to, r, n, peak, copy);
    if (run_profile_close(&out)) base_log("roofline: %s", file);
}
