/* viz/curve.c - a curve over steps, for losses and accuracies: Braille dots in the terminal, and SVG.
 *
 * A cell of the terminal has 2 x 4 dots. Steps that share a column of dots are drawn from their least to their largest
 * value. Values that are not finite are left out.
 */
#include <tutti/form.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1000, PIXELS = 100000 };                  /* the largest width, the largest height */

typedef struct { double lo, hi; bool log; } range;

static double curve_scale(const range *r, double y) { return r->log ? log10(y) : y; }
static bool drawn(const range *r, double y) { return isfinite(y) && (!r->log || y > 0); }

static range range_of(int64_t n, const double *y, bool logarithmic)
{
    range r = { INFINITY, -INFINITY, logarithmic };
    for (int64_t i = 0; i < n; i++)
        if (drawn(&r, y[i])) r.lo = fmin(r.lo, curve_scale(&r, y[i])), r.hi = fmax(r.hi, curve_scale(&r, y[i]));
    if (r.lo > r.hi) r.lo = 0, r.hi = 1;
    if (r.lo == r.hi) r.hi = r.lo + (r.lo != 0 ? fabs(r.lo) : 1);
    return r;
}

static double shown(const range *r, double at) { return r->log ? pow(10, at) : at; }

/* Sets rows a to b, counted from 0 at the bottom, between which the dots of column c run. Returns false if the column
 * is empty. */
static bool column(const range *r, int64_t n, const double *y, int c, int cols, int rows, int *a, int *b)
{
    const int64_t from = n * c / cols, to = n * (c + 1) / cols > from ? n * (c + 1) / cols : from + 1;
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = from; i < to && i < n; i++)
        if (drawn(r, y[i])) lo = fmin(lo, curve_scale(r, y[i])), hi = fmax(hi, curve_scale(r, y[i]));
    if (lo > hi) return false;
    *a = (int)lrint((lo - r->lo) / (r->hi - r->lo) * (rows - 1));
    *b = (int)lrint((hi - r->lo) / (r->hi - r->lo) * (rows - 1));
    return true;
}

static void put_terminal(FILE *t, const range *r, int64_t n, const double *y, int width, int height)
{
    static const unsigned dot[4][2] = { { 0x40, 0x80 }, { 0x04, 0x20 }, { 0x02, 0x10 }, { 0x01, 0x08 } };
    const int cols = 2 * width, rows = 4 * height;
    unsigned char *cell = calloc((size_t)width * (size_t)height, 1);
    int a, b;
    for (int c = 0; cell && c < cols; c++)
        if (column(r, n, y, c, cols, rows, &a, &b))
            for (int k = a; k <= b; k++) cell[(height - 1 - k / 4) * width + c / 2] |= (unsigned char)dot[k % 4][c % 2];
    for (int i = 0; cell && i < height; i++) {
        const bool ends = i == 0 || i == height - 1;
        if (ends) tt_fprintf(t, "%10.4g \u2524", shown(r, i ? r->lo : r->hi));
        else fprintf(t, "%10s \u2502", "");
        for (int j = 0; j < width; j++) {
            const unsigned u = 0x2800u + cell[i * width + j];
            fprintf(t, "%c%c%c", (int)(0xe0 | u >> 12), (int)(0x80 | (u >> 6 & 63)), (int)(0x80 | (u & 63)));
        }
        fprintf(t, "\n");
    }
    free(cell);
    fprintf(t, "%10s \u2514", "");
    for (int j = 0; j < width; j++) fprintf(t, "\u2500");
    fprintf(t, "\n%12s%-*d%*lld\n", "", width / 2, 0, width - width / 2, (long long)(n ? n - 1 : 0));
}

static void put_svg(FILE *t, const range *r, int64_t n, const double *y, int width, int height, const char *title)
{
    const double left = 60, top = 24, w = width - left - 12, h = height - top - 28;
    bool on = false;
    fprintf(t, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
           "font-size=\"11\">\n", width, height);
    tt_fprintf(t, "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<text x=\"%.0f\" y=\"16\">", left);
    for (const char *c = title; *c; c++) {
        if (*c == '<' || *c == '>' || *c == '&') fputs(*c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&amp;", t);
        else putc(*c, t);
    }
    fprintf(t, "</text>\n");
    for (int k = 0; k <= 4; k++) {
        const double at = top + h * k / 4, v = shown(r, r->hi + (r->lo - r->hi) * k / 4);
        tt_fprintf(t, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"#dddddd\"/>\n", left, at, w);
        tt_fprintf(t, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n", left - 6, at + 4, v);
    }
    fprintf(t, "<path fill=\"none\" stroke=\"#393b79\" stroke-width=\"1.5\" d=\"");
    for (int64_t i = 0; i < n; i++) {
        const bool here = drawn(r, y[i]);
        if (here)
            tt_fprintf(t, "%s%.2f %.2f", on ? "L" : "M", left + w * (n > 1 ? (double)i / (double)(n - 1) : 0.5),
                top + h * (r->hi - curve_scale(r, y[i])) / (r->hi - r->lo));
        on = here;
    }
    tt_fprintf(t, "\"/>\n<text x=\"%.1f\" y=\"%d\">0</text>\n", left, height - 8);
    tt_fprintf(t, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"end\">%lld</text>\n</svg>\n", left + w, height - 8,
        (long long)(n ? n - 1 : 0));
}

/* True if the form, the size and the values can be drawn; else sets the error. */
static bool is_drawable(const char *site, tt_val v, const tt_curve_opts *o, bool svg)
{
    const int most = svg ? PIXELS : CELLS;
    if (o->form && !svg && strcmp(o->form, "terminal")) {
        tt_fail_at(site, TT_EARG, "curve: no form \"%s\"", o->form);
        tt_hint_choices("the forms are", o->form, -1, "terminal, svg");
    } else if (o->width > most || o->height > most)
        tt_fail_at(site, TT_EARG, "curve: .%s = %d is more than %d %s", o->width > most ? "width" : "height",
                   o->width > most ? o->width : o->height, most, svg ? "pixels" : "cells");
    else if (tt_ok() && tt_rank_at(site, v) != 1)
        tt_fail_at(site, TT_ESHAPE, "curve: %s is no row of numbers", tt_type_text_at(site, v));
    else if (tt_ok() && tt_dtype_kind(tt_dtype_of_at(site, v)) == 'c') {
        tt_fail_at(site, TT_ETYPE, "curve: %s is complex", tt_type_text_at(site, v));
        tt_hint("a curve has real numbers: draw tt_abs(), tt_real() or tt_imag() of it");
    }
    return tt_ok();
}

const char *tt_curve_at(const char *site, tt_val v, const tt_curve_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_curve_opts, site, "curve", o)) return "";
    char *made = NULL;
    size_t bytes = 0;
    const bool svg = o->form && !strcmp(o->form, "svg");
    const int64_t n = is_drawable(site, v, o, svg) ? tt_dim_at(site, v, 0) : 0;
    double *y = malloc((size_t)n * sizeof *y + 1);
    FILE *t = open_memstream(&made, &bytes);
    if (y && t && tt_ok() && tt_read_at(site, tt_cast_at(site, v, TT_F64), y, (size_t)n * sizeof *y)) {
        const range r = range_of(n, y, o->log);
        const int width = o->width > 0 ? o->width : svg ? 640 : 64, height = o->height > 0 ? o->height : svg ? 320 : 10;
        if (svg) put_svg(t, &r, n, y, width, height, o->title ? o->title : "");
        else {
            if (o->title) fprintf(t, "%12s%s\n", "", o->title);
            put_terminal(t, &r, n, y, width, height);
        }
    } else if (tt_ok()) tt_fail_at(site, TT_EMEM, "curve: out of memory");
    free(y);
    if (t && fclose(t) && tt_ok()) tt_fail_at(site, TT_EMEM, "curve: out of memory");
    const char *text = made && tt_ok() ? tt_keep_latest("curve", made, bytes + 1) : NULL;
    free(made);
    return text ? text : "";
}
