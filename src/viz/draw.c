/* viz/draw.c - the drawing of a layout: byte for byte as jax.debug.visualize_array_sharding draws it (with rich 15), or
 * in colours that differ between neighbours, or as SVG.
 *
 * Devices that hold the same part share a cell. Without colours: a box-drawing table; with colours: filled cells. The
 * widest columns of a table wider than max_width are reduced as in rich; text that no longer fits is wrapped, or
 * omitted.
 *
 * Longer than 400 lines: the forms share the table of parts and widths. */
#include "viz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4096, LABEL = 256, WORDS = 64, LEAST = 9, MOST = 80 };   /* columns of a part by default */
typedef struct { char text[LABEL]; int width, height; int left, right, top, bottom; } cell;
typedef struct { int rows, cols; cell *at; int *col; bool color, blocks, highlight; char *out; size_t n, cap; } drawing;

static void draw_write(drawing *d, const char *text, size_t n)
{
    if (d->n + n + 1 > d->cap) {
        char *more = realloc(d->out, 2 * (d->n + n) + 256);
        if (!more) return;
        d->out = more;
        d->cap = 2 * (d->n + n) + 256;
    }
    memcpy(d->out + d->n, text, n);
    d->out[d->n += n] = 0;
}

static void puts_(drawing *d, const char *text) { draw_write(d, text, strlen(text)); }
static void repeat(drawing *d, const char *text, int n) { for (int i = 0; i < n; i++) puts_(d, text); }

/* ---- colours ---- */

/* The colour of a cell: its number if there are at most eight cells; else (3 row + column) mod 8, which differs between
 * neighbours, diagonal ones too. */
static int block_of(const drawing *d, int cell)
{
    return d->rows * d->cols <= VIZ_COLORS ? cell : (3 * (cell / d->cols) + cell % d->cols) % VIZ_COLORS;
}

/* JAX's colours: matplotlib's tab20b. */
static const uint32_t tab20b[20] = {
    0x393b79, 0x5254a3, 0x6b6ecf, 0x9c9ede, 0x637939, 0x8ca252, 0xb5cf6b, 0xcedb9c, 0x8c6d31, 0xbd9e39,
    0xe7ba52, 0xe7cb94, 0x843c39, 0xad494a, 0xd6616b, 0xe7969c, 0x7b4173, 0xa55194, 0xce6dbd, 0xde9ed6,
};

static uint32_t color_of(int cell, int n)
{
    const int step = n / 2 + (n % 2 == 0), at = (int)((int64_t)cell * step % n);
    const int i = n > 1 ? (int)(20.0 * at / (n - 1)) : 0;
    return tab20b[i < 19 ? i : 19];
}

static void segment(drawing *d, int cell_number, const char *text, int n)
{
    if (!d->color || n == 0) {
        draw_write(d, text, (size_t)n);
        return;
    }
    const uint32_t c = color_of(cell_number, d->rows * d->cols);
    const int r = (int)(c >> 16), g = (int)(c >> 8 & 255), b = (int)(c & 255),
              ink = 0.299 * r + 0.587 * g + 0.114 * b > 186 ? 0 : 255;
    char code[48];
    if (d->blocks) viz_color(code, block_of(d, cell_number), true);
    else snprintf(code, sizeof code, "\033[38;2;%d;%d;%d;48;2;%d;%d;%dm", ink, ink, ink, r, g, b);
    puts_(d, code);
    draw_write(d, text, (size_t)n);
    puts_(d, "\033[0m");
}

static void blanks(drawing *d, int cell_number, int n)
{
    char spaces[512];
    if (n <= 0) return;
    n = n < (int)sizeof spaces ? n : (int)sizeof spaces;
    memset(spaces, ' ', (size_t)n);
    segment(d, cell_number, spaces, n);
}

/* A line of text padded with blanks. Digits in bold cyan, as rich highlights numbers. */
static void label(drawing *d, int cell_number, const char *text, int n, int fill)
{
    char line[2 * LABEL];
    if (!d->highlight) {
        segment(d, cell_number, line, snprintf(line, sizeof line, "%.*s%*s", n, text, fill < LABEL ? fill : LABEL, ""));
        return;
    }
    for (int i = 0; i < n;) {
        int k = i;
        while (k < n && text[k] >= '0' && text[k] <= '9') k++;
        if (k > i) puts_(d, "\033[1;36m"), draw_write(d, text + i, (size_t)(k - i)), puts_(d, "\033[0m");
        else draw_write(d, text + k++, 1);
        i = k;
    }
    repeat(d, " ", fill);
}

/* ---- a cell's text in a width ----
 *
 * Text that fits is centred. Otherwise its words are filled into left-aligned lines; a word that is longer than the
 * width ends with an ellipsis. In a width of 0 there is nothing. */

typedef struct { int n, width; struct { int at, len; bool truncated; } line[WORDS]; } wrapped;

static wrapped wrap(const char *text, int width)
{
    wrapped w = { 0 };
    const int len = (int)strlen(text);
    if (width <= 0) return w;
    w.width = len < width ? len : width;
    for (int at = 0, used = 0; at < len;) {              /* a word, and the blanks after it */
        int word = (int)strcspn(text + at, " "), whole = word + (int)strspn(text + at + word, " ");
        if (!w.n || (used + word > width && w.n < WORDS)) {
            w.line[w.n].at = at;
            w.line[w.n++].len = used = 0;
        }
        w.line[w.n - 1].len += whole;
        used += whole;
        at += whole;
    }
    for (int k = 0; k < w.n; k++) {
        while (w.line[k].len > width && text[w.line[k].at + w.line[k].len - 1] == ' ') w.line[k].len--;
        w.line[k].truncated = w.line[k].len > width;
        if (w.line[k].truncated) w.line[k].len = width - 1;
    }
    return w;
}

static wrapped wrapped_cell(const drawing *d, int i, int j)
{
    const cell *c = &d->at[i * d->cols + j];
    return wrap(c->text, d->col[j] - c->left - c->right);
}

static void cell_line(drawing *d, int i, int j, int y)
{
    const int number = i * d->cols + j, width = d->col[j];
    const cell *c = &d->at[number];
    const wrapped w = wrapped_cell(d, i, j);
    const int k = y - c->top;
    if (y >= c->top + w.n + c->bottom) repeat(d, " ", width);        /* below the cell: no colour */
    else if (k < 0 || k >= w.n) blanks(d, number, width);
    if (k < 0 || k >= w.n) return;
    const int inner = width - c->left - c->right, before = (inner - w.width) / 2;
    char text[LABEL + 4];
    const int n = snprintf(text, sizeof text, "%.*s%s", w.line[k].len, c->text + w.line[k].at,
                           w.line[k].truncated ? "\u2026" : "");
    const int fill = w.width - w.line[k].len - w.line[k].truncated;
    blanks(d, number, c->left);
    blanks(d, number, before);
    label(d, number, text, n, fill);
    blanks(d, number, inner - before - w.width);
    blanks(d, number, c->right);
}

static void rule(drawing *d, const char *left, const char *cross, const char *right)
{
    puts_(d, left);
    for (int j = 0; j < d->cols; j++) {
        repeat(d, "\u2500", d->col[j]);
        puts_(d, j + 1 < d->cols ? cross : right);
    }
    puts_(d, "\n");
}

static void render(drawing *d)
{
    const char *bar = d->color ? "" : "\u2502";
    if (!d->color) rule(d, "\u250c", "\u252c", "\u2510");
    for (int i = 0; i < d->rows; i++) {
        int height = 1;                                          /* a row has at least one line in rich */
        for (int j = 0; j < d->cols; j++) {
            const cell *c = &d->at[i * d->cols + j];
            const int h = c->top + wrapped_cell(d, i, j).n + c->bottom;
            height = h > height ? h : height;
        }
        for (int y = 0; y < height; y++) {
            puts_(d, bar);
            for (int j = 0; j < d->cols; j++) cell_line(d, i, j, y), puts_(d, bar);
            puts_(d, "\n");
        }
        if (d->color) continue;
        if (i + 1 < d->rows) rule(d, "\u251c", "\u253c", "\u2524");
        else rule(d, "\u2514", "\u2534", "\u2518");
    }
}

/* The same as SVG: 640 wide; the height follows from the array's aspect ratio, within 40 to 640; a cell is at least as
 * wide as its label. */
static void render_svg(drawing *d, double aspect)
{
    char line[400];
    int longest = 1;
    for (int k = 0; k < d->rows * d->cols; k++) {
        const int n = (int)strlen(d->at[k].text);
        longest = n > longest ? n : longest;
    }
    const double w = fmax(640.0 / d->cols, 8.0 * longest + 12);
    const double h = fmax(fmin(fmax(640 / aspect, 40), 640) / d->rows, 24);
    tt_snprintf(line, sizeof line, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
             "font-family=\"monospace\" font-size=\"13\" text-anchor=\"middle\">\n", w * d->cols, h * d->rows);
    puts_(d, line);
    for (int k = 0; k < d->rows * d->cols; k++) {
        const uint32_t c = viz_rgb(block_of(d, k));
        const double x = w * (k % d->cols), y = h * (k / d->cols),
                     bright = 0.299 * (c >> 16) + 0.587 * (c >> 8 & 255) + 0.114 * (c & 255);
        tt_snprintf(line, sizeof line, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\" "
                 "stroke=\"#ffffff\"/>\n<text x=\"%.2f\" y=\"%.2f\" fill=\"%s\">", x, y, w, h, (unsigned)c, x + w / 2,
                 y + h / 2 + 4, bright < 120 ? "#ffffff" : "#000000");
        puts_(d, line);
        puts_(d, d->at[k].text);
        puts_(d, "</text>\n");
    }
    puts_(d, "</svg>\n");
}

/* ---- widths ---- */

static double round_even(double x) { return nearbyint(x); }

/* Removes the excess columns from the widest ones, down to the next smaller width at a time, as rich's tables
 * collapse. */
static void collapse(int n, int *width, int most)
{
    for (;;) {
        int total = 0, top = 0, second = 0, widest = 0;
        for (int j = 0; j < n; j++) total += width[j], top = width[j] > top ? width[j] : top;
        for (int j = 0; j < n; j++) if (width[j] != top) second = width[j] > second ? width[j] : second;
        for (int j = 0; j < n; j++) widest += width[j] == top;
        int excess = total - most;
        if (excess <= 0 || top == second) return;
        const int limit = excess < top - second ? excess : top - second;
        for (int j = 0; j < n; j++) {
            if (width[j] != top || widest == 0) continue;
            const int share = (int)round_even((double)excess / widest--);
            const int by = share < limit ? share : limit;
            width[j] -= by;
            excess -= by;
        }
    }
}

static int floor_half(int x) { return x >= 0 ? x / 2 : -((1 - x) / 2); }

static void measure(drawing *d, const tt_draw_opts *o, double width_share, double height_share, int base_width,
                    int base_height, bool flat)
{
    const int least = o->min_width ? o->min_width : LEAST, most = o->max_width ? o->max_width : MOST;
    for (int k = 0; k < d->rows * d->cols; k++) {
        cell *c = &d->at[k];
        int width = (int)(width_share * base_width * 2.5);
        width = width > least ? width : least;
        width = width < most ? width : most;
        const int height = flat ? 1 : (int)(height_share * base_height), w = width - (int)strlen(c->text) - 2,
                  h = height - 2;
        const int pad[2] = { floor_half(w), floor_half(h) };
        c->left = pad[0] + d->color, c->right = pad[0] + (w - 2 * pad[0]) + d->color;
        c->top = pad[1] + d->color, c->bottom = pad[1] + (h - 2 * pad[1]) + d->color;
        int *all[] = { &c->left, &c->right, &c->top, &c->bottom };
        for (int i = 0; i < 4; i++) if (*all[i] < 0) *all[i] = 0;
    }
    const int capacity = most - (d->color ? 0 : d->cols + 1);    /* the frame takes the rest */
    for (int j = 0; j < d->cols; j++) {
        d->col[j] = 0;
        for (int i = 0; i < d->rows; i++) {
            const cell *c = &d->at[i * d->cols + j];
            const int w = c->left + (int)strlen(c->text) + c->right;
            d->col[j] = w > d->col[j] ? w : d->col[j];
        }
        if (d->col[j] > capacity) d->col[j] = capacity;
    }
    collapse(d->cols, d->col, capacity);
}

/* ---- the parts that the devices hold ---- */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void write_label(cell *c, int64_t *id, int n)
{
    size_t at = (size_t)snprintf(c->text, LABEL, "CPU ");
    qsort(id, (size_t)n, sizeof *id, by_number);
    for (int k = 0; k < n && at < LABEL; k++)
        at += (size_t)snprintf(c->text + at, LABEL - at, k ? ",%lld" : "%lld", (long long)id[k]);
}

static bool draw_fill(const char *site, drawing *d, tt_val v, int rank, int64_t devices)
{
    const int parts = d->rows * d->cols;
    int64_t *id = calloc((size_t)(devices * parts), sizeof *id);
    int *n = calloc((size_t)parts, sizeof *n);
    const tt_mesh mesh = tt_mesh_of_at(site, v);
    bool ok = id && n;
    for (int64_t k = 0; ok && k < devices; k++) {
        int64_t lo[12] = { 0 }, size[12] = { 0 };
        ok = tt_addressable_data(v, k, lo, size, NULL, 0);
        const int64_t r = rank == 2 && size[0] ? lo[0] / size[0] : 0,
                      c = size[rank - 1] ? lo[rank - 1] / size[rank - 1] : 0;
        const int64_t place = r * d->cols + c;
        if (ok && place < parts) id[place * devices + n[place]++] = mesh.p ? tt_device_id(mesh, k) : k;
    }
    for (int k = 0; ok && k < parts; k++) write_label(&d->at[k], id + k * devices, n[k]);
    free(id);
    free(n);
    if (!ok && tt_ok()) tt_fail_at(site, TT_EMEM, "draw: out of memory");
    return ok;
}

/* The number of parts of a dim: its size divided by the first device's part. */
static int64_t draw_parts_of(const char *site, tt_val v, int dim, int64_t devices)
{
    int64_t lo[12], first[12], n[12];
    if (!tt_addressable_data(v, 0, lo, first, NULL, 0)) return 0;
    for (int64_t k = 1; k < devices; k++)
        if (!tt_addressable_data(v, k, lo, n, NULL, 0) || n[dim] != first[dim]) {
            if (!tt_ok()) return 0;
            tt_fail_at(site, TT_ESHAPE, "draw: dim %d of %s is sharded into parts of unequal size", dim,
                tt_type_text_at(site, v));
            tt_hint("only layouts whose parts are equal are drawn");
            return 0;
        }
    return first[dim] ? tt_dim_at(site, v, dim) / first[dim] : 1;
}

static bool choose_form(const char *site, drawing *d, const tt_draw_opts *o)
{
    const char *form = o->form ? o->form : tt_colors() ? "blocks" : "plain";
    const bool known = !strcmp(form, "plain") || !strcmp(form, "svg") || !strcmp(form, "color") ||
                       !strcmp(form, "blocks");
    if (!known && strcmp(form, "highlight")) {
        tt_fail_at(site, TT_EARG, "draw: no form \"%s\"", form);
        tt_hint_choices("the forms are", form, -1, "plain, blocks, color, highlight, svg");
    }
    d->blocks = !strcmp(form, "blocks");
    d->color = d->blocks || !strcmp(form, "color");
    d->highlight = !strcmp(form, "highlight");
    return tt_ok();
}

const char *tt_drawing_at(const char *site, tt_val v, const tt_draw_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_draw_opts, site, "draw", o)) return "";
    const int rank = tt_rank_at(site, v), most = o->max_width ? o->max_width : MOST;
    drawing d = { 0 };
    if (!tt_ok()) return "";
    if (o->min_width > most) {
        tt_fail_at(site, TT_EARG, "draw: .min_width = %d; expected at most .max_width = %d", o->min_width, most);
        return "";
    }
    if (rank < 1 || rank > 2) {
        tt_fail_at(site, TT_ESHAPE, "draw: %s has %d dims; only values of 1 and 2 dims are drawn",
                   tt_type_text_at(site, v),
                   rank);
        return "";
    }
    const tt_mesh mesh = tt_mesh_of_at(site, v);
    if (!mesh.p && tt_is_traced_at(site, v)) {
        tt_fail_at(site, TT_ETRACE, "draw: the layout of %s is known only when the traced function is compiled",
                   tt_type_text_at(site, v));
        tt_hint("return the value and draw it outside; tt_explain says what moves inside");
        return "";
    }
    const int64_t devices = mesh.p ? tt_mesh_size(mesh, NULL) : 1;
    const int64_t rows = rank == 2 ? draw_parts_of(site, v, 0, devices) : 1,
        cols = draw_parts_of(site, v, rank - 1, devices);
    if (rows < 1 || cols < 1 || rows * cols > CELLS) {
        if (tt_ok())
            tt_fail_at(site, TT_EARG, "draw: %lld by %lld parts are too many to draw", (long long)rows,
                       (long long)cols);
        return "";
    }
    if (!choose_form(site, &d, o)) return "";
    d.rows = (int)rows, d.cols = (int)cols;
    d.at = calloc((size_t)(rows * cols), sizeof *d.at);
    d.col = calloc((size_t)cols, sizeof *d.col);
    if (d.at && d.col && draw_fill(site, &d, v, rank, devices)) {
        const double scale = o->scale > 0 ? o->scale : 1;
        const int height = (int)(10 * scale);
        const double across = rank == 2 ? (double)tt_dim_at(site, v, 1) : 1,
                     aspect = tt_dim_at(site, v, 0) ? across / (double)tt_dim_at(site, v, 0) : 1;
        measure(&d, o, 1.0 / (double)cols, 1.0 / (double)rows, (int)(height * aspect), height, rank == 1);
        if (o->form && !strcmp(o->form, "svg")) render_svg(&d, aspect > 0 ? aspect : 1);
        else render(&d);
    }
    free(d.at);
    free(d.col);
    const char *text = d.out && tt_ok() ? tt_keep_latest("drawing", d.out, d.n + 1) : NULL;
    free(d.out);
    return text ? text : "";
}

bool tt_draw_at(const char *site, tt_val v, const tt_draw_opts *o)
{
    TT_ENTRY(site);
    const char *text = tt_drawing_at(site, v, o);
    if (!tt_ok()) return false;
    return tt_process_index() || fputs(text, stdout) >= 0;   /* of a job, process 0 prints */
}
