/* viz/curve.c - tt_curve: reads the series and smooths them; curve_text.c and curve_svg.c draw them.
 *
 * Smoothing is TensorBoard's, an exponential moving average with bias correction: s_i / (1 - w^i), with
 * s_i = w s_(i-1) + (1 - w) y_i and s_0 = 0. */
#include "viz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1000, PIXELS = 100000 };                  /* the largest width, the largest height */

/* True if the array is a row of real numbers; else sets the error. */
static bool is_row(const char *site, tt_val v)
{
    const int rank = tt_rank_at(site, v);
    if (!tt_ok()) return false;
    if (rank != 1) tt_fail_at(site, TT_ESHAPE, "curve: %s; expected a vector of numbers", tt_type_text_at(site, v));
    else if (tt_dtype_kind(tt_dtype_of_at(site, v)) == 'c') {
        tt_fail_at(site, TT_ETYPE, "curve: %s; expected real numbers", tt_type_text_at(site, v));
        tt_hint("draw tt_abs(), tt_real() or tt_imag() of the value");
    }
    return tt_ok();
}

/* The numbers of a row; NULL with the error set. */
static double *row_of(const char *site, tt_val v, int64_t *n)
{
    if (!is_row(site, v)) return NULL;
    *n = tt_dim_at(site, v, 0);
    double *y = malloc((size_t)*n * sizeof *y + 1);
    if (!y) return tt_fail_at(site, TT_EMEM, "curve: out of memory"), NULL;
    if (tt_read_at(site, tt_cast_at(site, v, TT_F64), y, (size_t)*n * sizeof *y)) return y;
    free(y);
    return NULL;
}

static bool curve_smooth(const char *site, viz_series *s, double weight)
{
    double mean = 0, rest = 1;                           /* rest: weight^(values so far) */
    if (!weight) return true;
    s->raw = malloc((size_t)s->n * sizeof *s->raw + 1);
    if (!s->raw) return tt_fail_at(site, TT_EMEM, "curve: out of memory"), false;
    memcpy(s->raw, s->y, (size_t)s->n * sizeof *s->raw);
    for (int64_t i = 0; i < s->n; i++) {
        if (!isfinite(s->y[i])) continue;
        mean = weight * mean + (1 - weight) * s->y[i];
        s->y[i] = mean / (1 - (rest *= weight));
    }
    return true;
}

/* Reads a series: a row, or a tuple of a row of x and a row of y. False with the error set. */
static bool curve_series(const char *site, viz_plot *p, tt_val v, const char *name, int number)
{
    viz_series *s = &p->series[p->n++];
    if (name) snprintf(s->name, sizeof s->name, "%s", name);
    else snprintf(s->name, sizeof s->name, "%d", number);
    const bool pair = tt_rank_at(site, v) < 0 && tt_items_at(site, v) == 2 && !tt_name_at(site, v, 0);
    if (!tt_ok()) return false;
    int64_t n = 0;
    if (!(s->y = row_of(site, pair ? tt_item_at(site, v, 1) : v, &s->n))) return false;
    if (pair) {
        p->whole = false;
        if (!(s->x = row_of(site, tt_item_at(site, v, 0), &n))) return false;
        if (n != s->n) {
            tt_fail_at(site, TT_ESHAPE, "curve: %lld xs and %lld ys; expected as many", (long long)n, (long long)s->n);
            return false;
        }
    } else if (!(s->x = malloc((size_t)s->n * sizeof *s->x + 1)))
        return tt_fail_at(site, TT_EMEM, "curve: out of memory"), false;
    for (int64_t i = 0; i < s->n; i++) {
        if (!pair) s->x[i] = (double)i;
        if (isfinite(s->x[i])) continue;
        tt_fail_at(site, TT_EARG, "curve: x %lld of %s is %g; expected a finite number", (long long)i, s->name,
                   s->x[i]);
        return false;
    }
    return true;
}

static void curve_extremes(viz_plot *p)
{
    for (int d = 0; d < 2; d++) p->lo[d] = INFINITY, p->hi[d] = -INFINITY;
    for (viz_series *s = p->series; s < p->series + p->n; s++)
        for (int64_t i = 0; i < s->n; i++) {
            if (!viz_has_place(p, s, s->y, i)) {
                s->left_out++;
                continue;
            }
            p->lo[0] = fmin(p->lo[0], s->x[i]), p->hi[0] = fmax(p->hi[0], s->x[i]);
            p->lo[1] = fmin(p->lo[1], s->y[i]), p->hi[1] = fmax(p->hi[1], s->y[i]);
            if (p->pale && viz_has_place(p, s, s->raw, i))
                p->lo[1] = fmin(p->lo[1], s->raw[i]), p->hi[1] = fmax(p->hi[1], s->raw[i]);
        }
}

static bool curve_read(const char *site, viz_plot *p, tt_val v, double smooth)
{
    const int rank = tt_rank_at(site, v), n = rank < 0 && tt_ok() ? tt_items_at(site, v) : 0;
    if (!tt_ok()) return false;
    p->whole = true;
    p->named = rank < 0;
    if (rank < 0 && (n < 1 || n > VIZ_SERIES)) {
        tt_fail_at(site, TT_EARG, "curve: %d series; expected 1 to %d", n, VIZ_SERIES);
        return false;
    }
    if (rank >= 0 && !curve_series(site, p, v, "", 0)) return false;
    for (int i = 0; i < n; i++)
        if (!curve_series(site, p, tt_item_at(site, v, i), tt_name_at(site, v, i), i)) return false;
    for (int i = 0; i < p->n; i++) if (!curve_smooth(site, &p->series[i], smooth)) return false;
    curve_extremes(p);
    return true;
}

/* True if .form, .width, .height and .smooth are possible; else sets the error. */
static bool curve_possible(const char *site, const tt_curve_opts *o, bool svg)
{
    const int most = svg ? PIXELS : CELLS;
    if (o->form && !svg && strcmp(o->form, "terminal")) {
        tt_fail_at(site, TT_EARG, "curve: no form \"%s\"", o->form);
        tt_hint_choices("the forms are", o->form, -1, "terminal, svg");
    } else if (o->width > most || o->height > most)
        tt_fail_at(site, TT_EARG, "curve: .%s = %d; expected at most %d %s", o->width > most ? "width" : "height",
                   o->width > most ? o->width : o->height, most, svg ? "pixels" : "cells");
    else if (!(o->smooth >= 0 && o->smooth < 1)) {
        tt_fail_at(site, TT_EARG, "curve: .smooth = %g; expected 0 to below 1", o->smooth);
        tt_hint(".smooth is the weight of the points before: 0 smooths nothing, 0.9 much");
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
    viz_plot p = { .log_x = o->log_x, .log_y = o->log, .title = o->title ? o->title : "",
                   .xlabel = o->xlabel ? o->xlabel : "", .ylabel = o->ylabel ? o->ylabel : "",
                   .width = o->width > 0 ? o->width : svg ? 640 : 64,
                   .height = o->height > 0 ? o->height : svg ? 320 : 10, .pale = svg && o->smooth != 0 };
    if (!tt_ok() || !curve_possible(site, o, svg)) return "";
    FILE *t = curve_read(site, &p, v, o->smooth) ? tt_open_memstream(&made, &bytes) : NULL;
    if (t) (svg ? viz_plot_svg : viz_plot_text)(t, &p);
    if ((!t || fclose(t)) && tt_ok()) tt_fail_at(site, TT_EMEM, "curve: out of memory");
    for (int i = 0; i < p.n; i++) free(p.series[i].x), free(p.series[i].y), free(p.series[i].raw);
    const char *text = made && tt_ok() ? tt_keep_latest("curve", made, bytes + 1) : NULL;
    free(made);
    return text ? text : "";
}
