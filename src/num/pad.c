/* num/pad.c - numpy.pad: dims padded one after the other, by constants, or by elements of the dim: edge, mirrored, from
 * the other end, a ramp, or a statistic; "odd" mirrors keep the differences from the edge. */
#include "num.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { RANK = 12 };
typedef struct {
    const char *site, *mode;
    tt_val value;
    int64_t length;                                      /* of statistics: elements from the edge; 0: all */
    bool odd;
} padding;

/* ---- the text ---- */

static bool pad_unread(const padding *p, const char *widths, const char *why)
{
    tt_fail_at(p->site, TT_ETEXT, "pad_with: \"%s\": %s", widths ? widths : "", why);
    tt_hint("low:high per dim, \"1:2, 0:3\", or one item for all dims; 0 or more elements");
    return false;
}

/* Reads "1:2, 0:3" for `rank` dims. */
static bool read_widths(const padding *p, const char *widths, int rank, int64_t (*w)[2])
{
    int n = 0;
    const char *s = widths ? widths : "";
    for (; *s; n++) {
        char *end;
        if (n == RANK) return pad_unread(p, widths, "too many dims");
        for (int side = 0; side < 2; side++) {
            const long long k = strtoll(s, &end, 10);
            if (end == s || k < 0 || k > (1LL << 40)) return pad_unread(p, widths, "expected a number of 0 or more");
            w[n][side] = k;
            for (s = end; isspace((unsigned char)*s);) s++;
            if (!side && *s != ':') return pad_unread(p, widths, "expected low:high");
            s += !side;
        }
        if (*s && *s != ',') return pad_unread(p, widths, "expected a comma");
        s += *s == ',';
    }
    for (int d = 1; n == 1 && d < rank; d++) w[d][0] = w[0][0], w[d][1] = w[0][1];
    if (n == rank || n == 1) return true;
    tt_fail_at(p->site, TT_ESHAPE, "pad_with: %d items in \"%s\" for %d dims", n, widths ? widths : "", rank);
    return false;
}

/* ---- places ---- */

/* The element that is placed at each position of the padded dim; positions count from -low. n > 0. */
static tt_val pad_places(const padding *p, int64_t n, const int64_t w[2])
{
    const char *const site = p->site;
    const tt_val at = tt_sub_at(site, tt_arange_at(site, TT_I32, w[0] + n + w[1]), tt_i(w[0]));
    if (!strcmp(p->mode, "edge")) return tt_clamp_at(site, tt_i(0), at, tt_i(n - 1));
    if (!strcmp(p->mode, "wrap")) return tt_mod_at(site, at, tt_i(n));
    const bool twice = !strcmp(p->mode, "symmetric"); /* the outermost element too */
    const int64_t period = twice ? 2 * n : n > 1 ? 2 * (n - 1) : 1;
    const tt_val turn = tt_mod_at(site, at, tt_i(period));
    return tt_min_at(site, turn, tt_sub_at(site, tt_i(twice ? period - 1 : period), turn));
}

/* ---- statistics, ramps ---- */

static tt_val pad_repeated(const char *site, tt_val v, int dim, int64_t n) { return tt_repeat_at(site, v, n, dim); }

/* Of the p->length first or last elements of a dim of n. */
static tt_val pad_statistic(const padding *p, tt_val v, int dim, int64_t n, bool first)
{
    const int64_t m = p->length && p->length < n ? p->length : n;
    if (m < n) v = first ? tt_slice_at(p->site, v, dim, 0, m, 1) : tt_slice_at(p->site, v, dim, n - m, n, 1);
    char text[NUM_DIMS_TEXT];
    const tt_reduce_opts over = { .size = sizeof over, .dims = num_dims_text(1, &dim, text), .keepdims = 1 };
    if (!strcmp(p->mode, "maximum")) return tt_amax_at(p->site, v, &over);
    if (!strcmp(p->mode, "minimum")) return tt_amin_at(p->site, v, &over);
    const bool median = !strcmp(p->mode, "median");
    const tt_val mean = median ? tt_median_at(p->site, v, &over) : tt_mean_at(p->site, v, &over);
    return num_is_integer(p->site, v) ? tt_cast_at(p->site, tt_round_even_at(p->site, mean), tt_dtype_of_at(p->site, v))
                                      : mean;
}

/* n numbers from .value towards the edge: value (1 - i/n) + edge (i/n), in v's type; integers are rounded down. */
static tt_val pad_ramp(const padding *p, tt_val edge, int dim, int64_t n, bool back)
{
    int64_t dims[RANK + 1];
    const char *const site = p->site;
    const tt_dtype d = tt_dtype_of_at(site, edge), work = num_is_integer(site, edge) ? TT_F32 : d;
    const int rank = tt_rank_at(site, edge);
    for (int k = 0; k < rank; k++) dims[k] = k == dim ? n : 1;
    dims[rank] = TT_DIM_END;
    if (!n) return tt_slice_at(site, edge, dim, 0, 0, 1);
    tt_val part = tt_div_at(site, tt_iota_at(site, work, dim, dims), tt_f((double)n));
    if (back) part = tt_reverse_at(site, part, dim);
    const tt_val from = tt_mul_at(site, tt_cast_at(site, p->value, work), tt_sub_at(site, tt_f(1), part));
    const tt_val line = tt_add_at(site, from, tt_mul_at(site, tt_cast_at(site, edge, work), part));
    return tt_cast_at(site, work == d ? line : tt_floor_at(site, line), d);
}

/* ---- mirrors of which the differences from the edge are kept ---- */

/* One side, mirror by mirror: each has at most as many elements as the dim had at first. */
static tt_val pad_odd_side(const padding *p, tt_val v, int dim, int64_t n, int64_t width, bool low)
{
    const char *const site = p->site;
    const int64_t skip = !strcmp(p->mode, "reflect") && n > 1;
    while (width > 0 && tt_ok()) {
        const int64_t m = width < n - skip ? width : n - skip, size = tt_dim_at(site, v, dim);
        const int64_t from = low ? skip : size - skip - m, edge = low ? 0 : size - 1;
        const tt_val mirror = tt_reverse_at(site, tt_slice_at(site, v, dim, from, from + m, 1), dim);
        const tt_val twice = tt_mul_at(site, tt_slice_at(site, v, dim, edge, edge + 1, 1), tt_i(2));
        const tt_val part = tt_sub_at(site, twice, mirror);
        v = tt_concat_at(site, dim, (const tt_val[]){ low ? part : v, low ? v : part, tt_end });
        width -= m;
    }
    return v;
}

static tt_val pad_odd(const padding *p, tt_val v, int dim, int64_t n, const int64_t w[2])
{
    return pad_odd_side(p, pad_odd_side(p, v, dim, n, w[0], true), dim, n, w[1], false);
}

/* ---- one dim ---- */

static tt_val pad_dim(const padding *p, tt_val v, int dim, const int64_t w[2])
{
    const char *const site = p->site;
    const int64_t n = tt_dim_at(site, v, dim);
    if (!tt_ok() || (!w[0] && !w[1])) return v;
    if (!n) {
        tt_fail_at(site, TT_ESHAPE, "pad_with: dim %d of %s has no elements for mode \"%s\"", dim,
                   tt_type_text_at(site, v), p->mode);
        return tt_hint("mode \"constant\" needs none"), tt_poison;
    }
    if (!strcmp(p->mode, "linear_ramp")) {
        const tt_val first = tt_slice_at(site, v, dim, 0, 1, 1), last = tt_slice_at(site, v, dim, n - 1, n, 1);
        return tt_concat_at(
            site, dim,
            (const tt_val[]){ pad_ramp(p, first, dim, w[0], false), v, pad_ramp(p, last, dim, w[1], true), tt_end });
    }
    if (p->mode[0] == 'm') {
        const tt_val first = pad_statistic(p, v, dim, n, true);
        const tt_val last = p->length && p->length < n ? pad_statistic(p, v, dim, n, false) : first;
        return tt_concat_at(
            site, dim,
            (const tt_val[]){ pad_repeated(site, first, dim, w[0]), v, pad_repeated(site, last, dim, w[1]), tt_end });
    }
    if (p->odd) return pad_odd(p, v, dim, n, w);
    const tt_take_opts inside = { .size = sizeof inside, .mode = "promise_in_bounds" };
    return tt_take_at(site, v, pad_places(p, n, w), dim, &inside);
}

/* True if the options are of the mode; else sets the error. */
static bool pad_fits(const padding *p, const tt_pad_opts *o)
{
    const bool mirror = !strcmp(p->mode, "reflect") || !strcmp(p->mode, "symmetric");
    const bool valued = !strcmp(p->mode, "constant") || !strcmp(p->mode, "linear_ramp");
    const char *const extra = num_given(o->value) && !valued ? "value" : o->reflect_type && !mirror ? "reflect_type"
                              : tt_given(o, "stat_length") && p->mode[0] != 'm' ? "stat_length" : NULL;
    if (extra) return tt_fail_at(p->site, TT_EARG, "pad_with: mode \"%s\" has no .%s", p->mode, extra), false;
    if (tt_given(o, "stat_length") && o->stat_length < 1) {
        tt_fail_at(p->site, TT_EARG, "pad_with: .stat_length = %lld; expected 1 or more", (long long)o->stat_length);
        return tt_hint("without .stat_length all elements are taken"), false;
    }
    if (!o->reflect_type || !strcmp(o->reflect_type, "odd") || !strcmp(o->reflect_type, "even")) return true;
    tt_fail_at(p->site, TT_EARG, "pad_with: no reflect_type \"%s\"", o->reflect_type);
    return tt_hint_choices("the types are", o->reflect_type, -1, "even, odd"), false;
}

tt_val tt_pad_with_at(const char *site, tt_val v, const char *widths, const tt_pad_opts *o)
{
    TT_ENTRY(site);
    static const char *const modes = "constant, empty, edge, reflect, symmetric, wrap, linear_ramp, maximum, minimum, "
                                     "mean, median";
    int64_t w[RANK][2], low[RANK], high[RANK];
    if (!TT_CHECKED(tt_pad_opts, site, "pad_with", o)) return tt_poison;
    const padding p = { site, o->mode ? o->mode : "constant", num_given(o->value) ? o->value : tt_i(0), o->stat_length,
                        o->reflect_type && !strcmp(o->reflect_type, "odd") };
    const int rank = tt_rank_at(site, v);
    if (!tt_ok() || !read_widths(&p, widths, rank, w)) return tt_poison;
    const char *const found = strstr(modes, p.mode);
    const bool known = found && *p.mode && (found == modes || found[-1] == ' ') && strchr(",", found[strlen(p.mode)]);
    if (!known) {
        tt_fail_at(site, TT_EARG, "pad_with: no mode \"%s\"", p.mode);
        return tt_hint_choices("the modes are", p.mode, -1, modes), tt_poison;
    }
    if (!pad_fits(&p, o)) return tt_poison;
    const bool constant = !strcmp(p.mode, "constant") || !strcmp(p.mode, "empty");
    for (int d = 0; d < rank; d++) low[d] = w[d][0], high[d] = w[d][1];
    if (constant) return tt_pad_at(site, v, p.value, low, high, NULL);
    for (int d = 0; d < rank; d++) v = pad_dim(&p, v, d, w[d]);
    return v;
}
