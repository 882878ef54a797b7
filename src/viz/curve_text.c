/* viz/curve_text.c - curves in the terminal: Braille dots, 2 x 4 in each cell, with axes of box-drawing characters.
 *
 * Successive points are joined by lines; a point without neighbours is a square of four dots. Several series have a
 * colour each, and a cell that several series cross has the colour of the first; without colours a cell is the letter
 * of the series. */
#include "viz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned char dots, series; } cell;     /* series: 1 + the number of the first; 0: none */
typedef struct { int width, height; cell *at; } canvas;

/* ---- dots ---- */

static void dot(canvas *c, int x, int y, int series)     /* y from the bottom */
{
    static const unsigned char bit[4][2] = { { 0x40, 0x80 }, { 0x04, 0x20 }, { 0x02, 0x10 }, { 0x01, 0x08 } };
    if (x < 0 || y < 0 || x >= 2 * c->width || y >= 4 * c->height) return;
    cell *at = &c->at[(c->height - 1 - y / 4) * c->width + x / 2];
    at->dots |= bit[y % 4][x % 2];
    if (!at->series) at->series = (unsigned char)(series + 1);
}

/* Bresenham's line */
static void line(canvas *c, int x, int y, int to_x, int to_y, int series)
{
    const int dx = abs(to_x - x), dy = -abs(to_y - y), step_x = x < to_x ? 1 : -1, step_y = y < to_y ? 1 : -1;
    for (int error = dx + dy;;) {
        dot(c, x, y, series);
        if (x == to_x && y == to_y) return;
        const int twice = 2 * error;
        if (twice >= dy) error += dy, x += step_x;
        if (twice <= dx) error += dx, y += step_y;
    }
}

static void draw_series(canvas *c, const viz_plot *p, const viz_axis *ax, const viz_axis *ay, int k)
{
    const viz_series *s = &p->series[k];
    int x = 0, y = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const bool before = viz_has_place(p, s, s->y, i - 1);
        if (!viz_has_place(p, s, s->y, i)) continue;
        const int to_x = (int)lrint(viz_place(ax, s->x[i]) * (2 * c->width - 1));
        const int to_y = (int)lrint(viz_place(ay, s->y[i]) * (4 * c->height - 1));
        if (before) line(c, x, y, to_x, to_y, k);
        else if (!viz_has_place(p, s, s->y, i + 1))
            for (int d = 0; d < 4; d++) dot(c, (to_x & ~1) + d % 2, to_y + (to_y ? -1 : 1) * (d / 2), k);
        x = to_x, y = to_y;
    }
}

/* ---- texts ---- */

/* The columns of a UTF-8 text, one per character. */
static int columns_of(const char *text)
{
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void put_text(FILE *t, const char *text)          /* on one line: control characters as blanks */
{
    for (; *text; text++) putc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, t);
}

static void put_cell(FILE *t, const viz_plot *p, cell at, int *color)
{
    const int series = p->n > 1 && at.dots ? at.series - 1 : -1;
    const bool colors = tt_colors();
    char code[48];
    if (colors && series != *color) {
        if (*color >= 0) fputs(viz_color_end, t);
        if (series >= 0) viz_color(code, series, false), fputs(code, t);
        *color = series;
    }
    if (series >= 0 && !colors) fprintf(t, "%c", 'a' + series);
    else fprintf(t, "\xe2%c%c", 0xa0 | at.dots >> 6, 0x80 | (at.dots & 63));    /* U+2800 + dots */
}

static void put_legend(FILE *t, const viz_plot *p, int margin)
{
    const bool colors = tt_colors(), letters = p->n > 1 && !colors;
    int at = 0;
    fprintf(t, "%*s", margin, "");
    for (int k = 0; k < p->n; k++) {
        const int n = columns_of(p->series[k].name) + (letters ? 2 : 3);
        char code[48];
        if (at && at + 2 + n > p->width) fprintf(t, "\n%*s", margin, ""), at = 0;
        if (at) fputs("  ", t), at += 2;
        if (colors && p->n > 1) viz_color(code, k, false), fputs(code, t);
        if (letters) fprintf(t, "%c ", 'a' + k);
        else fprintf(t, "\u2500\u2500%s ", colors && p->n > 1 ? viz_color_end : "");
        put_text(t, p->series[k].name);
        at += n;
    }
    putc('\n', t);
}

static void put_left_out(FILE *t, const viz_plot *p, int margin)
{
    for (const viz_series *s = p->series; s < p->series + p->n; s++) {
        if (!s->left_out) continue;
        fprintf(t, "%*s%lld %s", margin, "", (long long)s->left_out, s->left_out == 1 ? "value" : "values");
        if (p->named) fputs(" of ", t), put_text(t, s->name);
        fprintf(t, " left out: not finite%s\n", p->log_y || p->log_x ? ", or without a logarithm" : "");
    }
}

/* ---- the axes ---- */

static int tick_column(const viz_plot *p, const viz_axis *a, int k)
{
    return (int)lrint(viz_place(a, a->tick[k].at) * (2 * p->width - 1)) / 2;
}

/* The line below the plot with ticks and labels; a label that would touch the label before it is left out. */
static void put_x_axis(FILE *t, const viz_plot *p, const viz_axis *a, int margin)
{
    char *label = malloc((size_t)(margin + p->width + 40));
    if (!label) return;
    memset(label, ' ', (size_t)(margin + p->width + 40));
    int used = 0, k = 0;
    fprintf(t, "%*s\u2514", margin - 1, "");
    for (int c = 0; c < p->width; c++) {
        while (k < a->n && tick_column(p, a, k) < c) k++;
        const bool tick = k < a->n && tick_column(p, a, k) == c;
        fputs(tick ? "\u252c" : "\u2500", t);
        if (!tick) continue;
        const int n = (int)strlen(a->tick[k].label), half = margin + c - n / 2;
        int at = half + n > margin + p->width ? margin + p->width - n : half;
        if (at < 0) at = 0;
        if (used && at < used + 1) continue;
        memcpy(label + at, a->tick[k].label, (size_t)n);
        used = at + n;
    }
    fprintf(t, "\n%.*s\n", used, label);
    free(label);
    const int n = columns_of(p->xlabel), left = margin + (p->width - n) / 2;
    if (!n) return;
    fprintf(t, "%*s", left > 0 ? left : 0, "");
    put_text(t, p->xlabel);
    putc('\n', t);
}

static int row_of_tick(const viz_plot *p, const viz_axis *a, int k)
{
    return p->height - 1 - (int)lrint(viz_place(a, a->tick[k].at) * (4 * p->height - 1)) / 4;
}

void viz_plot_text(FILE *t, const viz_plot *p)
{
    const int ticks_x = p->width / 10 + 2, ticks_y = p->height > 3 ? p->height / 3 + 2 : 2;
    const viz_axis ax = viz_axis_of(p->lo[0], p->hi[0], p->log_x, ticks_x, false, p->whole);
    const viz_axis ay = viz_axis_of(p->lo[1], p->hi[1], p->log_y, ticks_y, true, false);
    canvas c = { p->width, p->height, calloc((size_t)p->width * (size_t)p->height, sizeof *c.at) };
    int wide = 0, color = -1;
    if (!c.at) return;
    for (int k = 0; k < p->n; k++) draw_series(&c, p, &ax, &ay, k);
    for (int k = 0; k < ay.n; k++) wide = (int)strlen(ay.tick[k].label) > wide ? (int)strlen(ay.tick[k].label) : wide;
    const int margin = wide + 2;
    if (*p->title) fprintf(t, "%*s", margin, ""), put_text(t, p->title), putc('\n', t);
    if (*p->ylabel) put_text(t, p->ylabel), putc('\n', t);
    for (int i = 0; i < p->height; i++) {
        int k = 0;
        while (k < ay.n && row_of_tick(p, &ay, k) != i) k++;
        fprintf(t, "%*s %s", wide, k < ay.n ? ay.tick[k].label : "", k < ay.n ? "\u2524" : "\u2502");
        for (int j = 0; j < p->width; j++) put_cell(t, p, c.at[i * p->width + j], &color);
        if (color >= 0) fputs(viz_color_end, t);
        color = -1;
        putc('\n', t);
    }
    free(c.at);
    put_x_axis(t, p, &ax, margin);
    if (p->named) put_legend(t, p, margin);
    put_left_out(t, p, margin);
}
