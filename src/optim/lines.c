/* optim/lines.c - line searches, as optax: scale_by_backtracking_linesearch (Armijo's rule) and
 * scale_by_zoom_linesearch (Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6, with approximate
 * decrease by Hager and Zhang, 2006). A line search evaluates the loss, so it needs tt_opt_step_with. */
#include "optim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t number[] = { TT_DIM_END };

static tt_val lines_real(const char *site, double x) { return tt_full_at(site, x, TT_F32, number); }

/* ---- line searches ---- */

/* The functions of a loop read the step and the part while they are traced. A trace is kept for equal `key`s. */
typedef struct {
    tt_fn loss;
    uint64_t on; /* of the leaves to which the part applies */
    double k[OPTIM_KEYS];
    int64_t nargs;
} key;
typedef struct {
    optim_step *s;
    const optim_part *p;
} line;
static _Thread_local const line *searched; /* the search whose loop is traced */

static tt_fn looped(const char *name, tt_env_f *f)
{
    const optim_step *s = searched->s;
    key k;
    memset(&k, 0, sizeof k); /* zeroes padding: its bytes are a key */
    k.loss = *s->loss, k.nargs = s->nargs, k.on = 14695981039346656037u;
    for (int i = 0; i < s->n; i++) k.on = (k.on ^ s->on[i]) * 1099511628211u;
    memcpy(k.k, searched->p->k, sizeof k.k);
    return tt_bind_env_at(NULL, name, f, &k, sizeof k, 1);
}

/* The loss at the parameters, or (loss, gradients). */
static tt_val loss_at(tt_val params, tt_val args, bool grads)
{
    enum { MOST = 8 };
    const optim_step *s = searched->s;
    const tt_grad_opts usual = { .size = sizeof usual };
    tt_val v[MOST] = { params };
    for (int i = 0; i < s->nargs && i < MOST - 1; i++) v[i + 1] = tt_item_at(s->site, args, i);
    const tt_fn f = grads ? tt_value_and_grad_at(s->site, *s->loss, &usual) : *s->loss;
    return tt_call_n(s->site, f, s->nargs + 1, v);
}

static tt_val lines_get(tt_val state, const char *name) { return tt_get_at(searched->s->site, state, name); }

/* The parameters moved by `rate` along the direction; both are trees. */
static tt_val moved(tt_val params, tt_val direction, tt_val rate)
{
    const char *site = searched->s->site;
    const int n = tt_tree_leaves_at(site, params, 0, NULL);
    tt_val *w = calloc(2 * (size_t)n + 1, sizeof *w), out = params;
    if (!w) return tt_fail_at(site, TT_EMEM, "line search: out of memory");
    tt_tree_leaves_at(site, params, n, w);
    tt_tree_leaves_at(site, direction, n, w + n);
    for (int i = 0; i < n; i++) {
        if (!searched->s->on[i]) continue;
        const tt_dtype d = tt_dtype_of_at(site, w[i]);
        w[i] = tt_add_at(site, w[i], tt_mul_at(site, tt_cast_at(site, rate, d), w[n + i]));
    }
    if (tt_ok()) out = tt_tree_unflatten_at(site, params, n, w);
    free(w);
    return out;
}

static tt_val lines_tree(const optim_step *s, const tt_val *leaf)
{
    return tt_tree_unflatten_at(s->site, s->params, s->n, leaf);
}

static tt_val lines_clean(const char *site, tt_val error) /* NaN: infinite; at least 0 */
{
    const tt_val wrong = tt_compare_at(site, 1, error, error);
    return tt_where_at(site, wrong, tt_f((double)INFINITY), tt_max_at(site, error, tt_f(0)));
}

/* The last rate, the loss there, and how far it was from enough, in the part's state. */
static tt_val search_start(const char *site, const optim_part *p, int f, tt_val v)
{
    static const char *const names[] = { "curvature_error", "decrease_error", "learning_rate", "num_linesearch_steps",
                                         "value" };
    const tt_val far = lines_real(site, (double)INFINITY);
    (void)p, (void)f, (void)v;
    return tt_dict_n(site, 5, names,
                     (const tt_val[]){ far, far, lines_real(site, 1), tt_full_at(site, 0, TT_I32, number), far });
}

static void search_end(optim_step *s, optim_part *p, tt_val rate, tt_val value, tt_val steps, const tt_val error[2])
{
    const char *site = s->site;
    tt_val mine = tt_get_at(site, *s->state, p->number);
    mine = tt_set_at(site, mine, "learning_rate", tt_cast_at(site, rate, TT_F32));
    mine = tt_set_at(site, mine, "value", tt_cast_at(site, value, TT_F32));
    mine = tt_set_at(site, mine, "num_linesearch_steps", tt_cast_at(site, steps, TT_I32));
    mine = tt_set_at(site, mine, "decrease_error", tt_cast_at(site, error[0], TT_F32));
    mine = tt_set_at(site, mine, "curvature_error", tt_cast_at(site, error[1], TT_F32));
    *s->state = tt_set_at(site, *s->state, p->number, mine);
    p->s[0] = rate;
}

static void search_leaf(optim_step *s, optim_part *p, int i)
{
    s->u[i] = tt_mul_at(s->site, s->u[i], tt_cast_at(s->site, p->s[0], tt_dtype_of_at(s->site, s->u[i])));
}

/* ---- backtracking: k = max_backtracking_steps, slope_rtol, decrease_factor, increase_factor, max_learning_rate, atol,
 * rtol; state (iteration, rate, value, error, value at 0, slope, params, direction, the loss's other arguments) ---- */

static tt_val back_more(void *env, int n, const tt_val *state)
{
    const tt_val v = *state;
    (void)env, (void)n;
    const char *site = searched->s->site;
    const double *k = searched->p->k;
    const tt_val enough = tt_compare_at(site, 3, tt_item_at(site, v, 3), tt_f(k[5]));
    const tt_val left = tt_compare_at(site, 3, tt_item_at(site, v, 0), tt_i((int64_t)k[0]));
    return tt_and_at(site, tt_not_at(site, enough), left);
}
static tt_val back_next(void *env, int n, const tt_val *state)
{
    const tt_val v = *state;
    (void)env, (void)n;
    const optim_step *s = searched->s;
    const char *site = s->site;
    const double *k = searched->p->k;
    const tt_val i = tt_item_at(site, v, 0), last = tt_item_at(site, v, 1), start = tt_item_at(site, v, 4);
    const tt_val slope = tt_item_at(site, v, 5), params = tt_item_at(site, v, 6), along = tt_item_at(site, v, 7);
    const tt_val first = tt_compare_at(site, 0, i, tt_i(0));
    const tt_val rate = tt_where_at(site, first, last, tt_mul_at(site, last, tt_f(k[2])));
    const tt_val value = tt_cast_at(site, loss_at(moved(params, along, rate), tt_item_at(site, v, 8), false), TT_F32);
    const tt_val error = F("value - by*start - rate*part*slope", value, tt_f(1 + k[6]), start, rate, tt_f(k[1]), slope);
    return tt_tuple_at(site, (const tt_val[]){ tt_add_at(site, i, tt_i(1)), rate, value, lines_clean(site, error),
                                               start, slope, params, along, tt_item_at(site, v, 8), tt_end });
}

static void backtrack_begin(optim_step *s, optim_part *p)
{
    const char *site = s->site;
    const tt_val slope = tt_cast_at(site, optim_dot(s, s->u, s->grads), TT_F32);
    const tt_val last = tt_get_at(site, tt_get_at(site, *s->state, p->number), "learning_rate");
    const tt_val rate = tt_min_at(site, tt_mul_at(site, last, tt_f(p->k[3])), tt_f(p->k[4]));
    const tt_val value = tt_cast_at(site, *s->value, TT_F32), far = lines_real(site, (double)INFINITY);
    const line mine = { .s = s, .p = p };
    const tt_val start[] = { tt_full_at(site, 0, TT_I32, number),
                             rate,
                             value,
                             far,
                             value,
                             slope,
                             s->params,
                             lines_tree(s, s->u),
                             s->args,
                             tt_end };
    searched = &mine;
    const tt_val end =
        tt_while_at(site, looped("more", back_more), looped("next", back_next), tt_tuple_at(site, start));
    searched = NULL;
    const tt_val error = tt_item_at(site, end, 3), lost = tt_compare_at(site, 0, error, far);
    const tt_val found = tt_where_at(site, lost, tt_f(0), tt_item_at(site, end, 1));
    search_end(s, p, found, tt_item_at(site, end, 2), tt_item_at(site, end, 0), (const tt_val[]){ error, far });
}

/* ---- zoom: k = max_linesearch_steps, max_learning_rate, tol, increase_factor, slope_rtol, curv_rtol,
 * approx_dec_rtol, stepsize_precision ---- */

/* The search's state is a dict of numbers; two of them are the loss and the slope at 0. */
typedef struct {
    tt_val step, value, slope, decrease, curvature;
} point;

static point point_at(tt_val v, tt_val step)
{
    const optim_step *s = searched->s;
    const char *site = s->site;
    const double *k = searched->p->k;
    const tt_val along = lines_get(v, "direction"), value0 = lines_get(v, "value_init"),
                 slope0 = lines_get(v, "slope_init");
    const tt_val both =
        loss_at(moved(lines_get(v, "params"), along, step), s->nargs ? lines_get(v, "args") : s->args, true);
    tt_val *leaf = calloc(2 * (size_t)s->n + 1, sizeof *leaf);
    point y = { .step = step, .value = tt_cast_at(site, tt_item_at(site, both, 0), TT_F32), .slope = step };
    if (!leaf) return tt_fail_at(site, TT_EMEM, "line search: out of memory"), y;
    tt_tree_leaves_at(site, tt_item_at(site, both, 1), s->n, leaf);
    tt_tree_leaves_at(site, along, s->n, leaf + s->n);
    y.slope = tt_cast_at(site, optim_dot(s, leaf, leaf + s->n), TT_F32);
    free(leaf);
    const tt_val by = tt_f(k[4]), rise = tt_sub_at(site, y.value, value0);
    const tt_val exact = F("rise - by*step*start", rise, by, step, slope0);
    const tt_val near = F("slope - by*start", y.slope, tt_f(2 * k[4] - 1), slope0);
    const tt_val change = F("rise - part*abs(value)", rise, tt_f(k[6]), value0);
    y.decrease = lines_clean(site, tt_min_at(site, tt_max_at(site, near, change), exact));
    y.curvature = lines_clean(site, F("abs(slope) - by*abs(start)", y.slope, tt_f(k[5]), slope0));
    return y;
}

static tt_val zoom_set(tt_val v, const char *name, tt_val x)
{
    const char *site = searched->s->site;
    return tt_set_at(site, v, name, tt_cast_at(site, x, tt_dtype_of_at(site, lines_get(v, name))));
}
/* Three numbers under a prefix: "low", "high". */
static tt_val zoom_end(tt_val v, const char *which, tt_val step, tt_val value, tt_val slope)
{
    char name[24];
    const tt_val x[] = { step, value, slope };
    static const char *const kinds[] = { "step", "value", "slope" };
    for (int i = 0; i < 3; i++) {
        tt_snprintf(name, sizeof name, "%s_%s", which, kinds[i]);
        v = zoom_set(v, name, x[i]);
    }
    return v;
}

/* The point becomes the present one; and the safe one where `safe` is true. */
static tt_val zoom_at(tt_val v, const point *y, tt_val safe)
{
    const char *site = searched->s->site;
    v = zoom_set(v, "step", y->step), v = zoom_set(v, "value", y->value), v = zoom_set(v, "slope", y->slope);
    v = zoom_set(v, "decrease_error", y->decrease), v = zoom_set(v, "curvature_error", y->curvature);
    v = zoom_set(v, "safe_step", tt_where_at(site, safe, y->step, lines_get(v, "safe_step")));
    v = zoom_set(v, "safe_value", tt_where_at(site, safe, y->value, lines_get(v, "safe_value")));
    return zoom_set(v, "count", tt_add_at(site, lines_get(v, "count"), tt_i(1)));
}

/* Larger and larger steps, until an interval holds a good one. */
static tt_val zoom_outwards(tt_val v)
{
    const char *site = searched->s->site;
    const double *k = searched->p->k;
    const tt_val first = tt_compare_at(site, 0, lines_get(v, "count"), tt_i(0)), zero = tt_f(0), tol = tt_f(k[2]);
    const tt_val last = lines_get(v, "step"), was = lines_get(v, "value"), before = lines_get(v, "slope");
    tt_val step = tt_where_at(site, first, lines_get(v, "guess"), tt_mul_at(site, last, tt_f(k[3]))), most = tt_f(k[1]);
    const tt_val reached = tt_and_at(site, tt_compare_at(site, 5, step, most), tt_b(k[1] > 0));
    if (k[1] > 0) step = tt_min_at(site, step, most);
    const point y = point_at(v, step);
    const tt_val good = tt_compare_at(site, 3, tt_max_at(site, y.decrease, y.curvature), tol);
    const tt_val rose = tt_and_at(site, tt_compare_at(site, 5, y.value, was), tt_not_at(site, first));
    const tt_val high = tt_or_at(site, tt_compare_at(site, 4, y.decrease, zero), rose);
    const tt_val low = tt_and_at(site, tt_compare_at(site, 5, y.slope, zero), tt_not_at(site, high));
#define PICK(a, b) tt_where_at(site, low, a, b)
    v = zoom_end(v, "low", PICK(y.step, last), PICK(y.value, was), PICK(y.slope, before));
    v = zoom_end(v, "high", PICK(last, y.step), PICK(was, y.value), PICK(before, y.slope));
#undef PICK
    v = zoom_set(v, "cubic_step", lines_get(v, "low_step")), v = zoom_set(v, "cubic_value", lines_get(v, "low_value"));
    const tt_val found = tt_or_at(site, tt_or_at(site, high, low), good);
    const tt_val done = tt_or_at(site, good, tt_and_at(site, reached, tt_not_at(site, found)));
    v = zoom_at(v, &y, tt_compare_at(site, 3, y.decrease, tol));
    const tt_val over = tt_compare_at(site, 5, lines_get(v, "count"), tt_i((int64_t)k[0]));
    v = zoom_set(v, "found", found), v = zoom_set(v, "done", done);
    return zoom_set(v, "failed", tt_and_at(site, over, tt_not_at(site, done)));
}

/* The minimum of the cubic through low (with its slope), high and the third point; of the parabola; else the middle. */
static tt_val zoom_middle(tt_val v, tt_val gap)
{
    const optim_step *s = searched->s;
    const char *site = s->site;
    const tt_val a = lines_get(v, "low_step"), b = lines_get(v, "high_step"), c = lines_get(v, "cubic_step");
    const tt_val fa = lines_get(v, "low_value"), fb = lines_get(v, "high_value"), fc = lines_get(v, "cubic_value");
    const tt_val slope = lines_get(v, "low_slope"), db = tt_sub_at(site, b, a), dc = tt_sub_at(site, c, a);
    const tt_val rb = F("fb - fa - slope*db", fb, fa, slope, db), rc = F("fc - fa - slope*dc", fc, fa, slope, dc);
    const tt_val down = F("(db*dc)*(db*dc)*(db - dc)", db, dc);
    const tt_val p = F("(dc*dc*rb - db*db*rc)/down", dc, rb, db, rc, down);
    const tt_val q = F("(db*db*db*rc - dc*dc*dc*rb)/down", db, rc, dc, rb, down);
    const tt_val cubic = F("a + (sqrt(q*q - 3*p*slope) - q)/(3*p)", a, q, p, slope);
    const tt_val square = F("a - slope/(2*(rb/(db*db)))", a, slope, rb, db);
    const tt_val left = tt_min_at(site, a, b), right = tt_max_at(site, a, b);
    const tt_val both[] = { cubic, square };
    static const double margin[] = { 0.2, 0.1 };
    tt_val use[2];
    for (int i = 0; i < 2; i++) {
        const tt_val edge = tt_mul_at(site, gap, tt_f(margin[i]));
        use[i] = tt_and_at(site, tt_compare_at(site, 4, both[i], tt_add_at(site, left, edge)),
                           tt_compare_at(site, 2, both[i], tt_sub_at(site, right, edge)));
    }
    const tt_val half = F("(a + b)/2", a, b);
    return tt_where_at(site, use[0], cubic, tt_where_at(site, use[1], square, half));
}

/* A smaller interval. */
static tt_val zoom_inwards(tt_val v)
{
    const char *site = searched->s->site;
    const double *k = searched->p->k;
    const tt_val zero = tt_f(0), tol = tt_f(k[2]), old_high = lines_get(v, "high_step"),
                 old_low = lines_get(v, "low_step");
    const tt_val gap = tt_abs_at(site, tt_sub_at(site, old_high, old_low)),
                 small = tt_compare_at(site, 3, gap, tt_f(k[7]));
    const point y = point_at(v, zoom_middle(v, gap));
    const tt_val low[] = { old_low, lines_get(v, "low_value"), lines_get(v, "low_slope") };
    const tt_val high[] = { old_high, lines_get(v, "high_value"), lines_get(v, "high_slope") };
    const tt_val mid[] = { y.step, y.value, y.slope };
    const tt_val good = tt_compare_at(site, 3, tt_max_at(site, y.decrease, y.curvature), tol);
    const tt_val rose = tt_compare_at(site, 5, y.value, low[1]);
    const tt_val to_high = tt_or_at(site, tt_compare_at(site, 4, y.decrease, zero), rose);
    const tt_val secant = tt_mul_at(site, y.slope, tt_sub_at(site, high[0], low[0]));
    const tt_val turns = tt_and_at(site, tt_compare_at(site, 5, secant, zero), tt_not_at(site, to_high));
    tt_val h[3], l[3];
    for (int i = 0; i < 3; i++) {
        h[i] = tt_where_at(site, turns, low[i], tt_where_at(site, to_high, mid[i], high[i]));
        l[i] = tt_where_at(site, to_high, low[i], mid[i]);
    }
    const tt_val third = tt_or_at(site, to_high, turns);
    v = zoom_set(v, "cubic_step", tt_where_at(site, third, high[0], low[0]));
    v = zoom_set(v, "cubic_value", tt_where_at(site, third, high[1], low[1]));
    v = zoom_end(v, "low", l[0], l[1], l[2]), v = zoom_end(v, "high", h[0], h[1], h[2]);
    const tt_val lower = tt_compare_at(site, 2, y.value, lines_get(v, "safe_value"));
    v = zoom_at(v, &y, tt_and_at(site, tt_compare_at(site, 3, y.decrease, tol), lower));
    const tt_val over = tt_compare_at(site, 5, lines_get(v, "count"), tt_i((int64_t)k[0]));
    const tt_val stuck = tt_and_at(site, small, tt_compare_at(site, 4, lines_get(v, "safe_step"), zero));
    v = zoom_set(v, "done", good);
    return zoom_set(v, "failed", tt_and_at(site, tt_or_at(site, over, stuck), tt_not_at(site, good)));
}

static tt_val zoom_more(void *env, int n, const tt_val *state)
{
    const tt_val v = *state;
    (void)env, (void)n;
    const char *site = searched->s->site;
    return tt_not_at(site, tt_or_at(site, lines_get(v, "done"), lines_get(v, "failed")));
}
static tt_val zoom_next(void *env, int n, const tt_val *state)
{
    tt_val v = *state;
    (void)env, (void)n;
    const char *site = searched->s->site;
    const tt_val args[] = { v, tt_end };
    v = tt_cond_at(site, lines_get(v, "found"), TT_FN(zoom_inwards), TT_FN(zoom_outwards), args);
    /* A search that failed takes the best step with enough decrease; where the loss is not finite, none. */
    const tt_val lost = tt_compare_at(site, 0, lines_get(v, "decrease_error"), tt_f((double)INFINITY));
    const tt_val safe = tt_or_at(site, lost, tt_compare_at(site, 4, lines_get(v, "safe_step"), tt_f(0)));
    const tt_val take = tt_and_at(site, lines_get(v, "failed"), safe);
    v = zoom_set(v, "step", tt_where_at(site, take, lines_get(v, "safe_step"), lines_get(v, "step")));
    return zoom_set(v, "value", tt_where_at(site, take, lines_get(v, "safe_value"), lines_get(v, "value")));
}

static void zoom_begin(optim_step *s, optim_part *p)
{
    static const char
        *const values[] = { "value", "value_init", "low_value", "high_value", "cubic_value", "safe_value" },
               *const slopes[] = { "slope", "slope_init", "low_slope", "high_slope" },
               *const steps[] = { "step", "low_step", "high_step", "cubic_step", "safe_step" },
               *const flags[] = { "found", "done", "failed" };
    const char *site = s->site;
    char word[16];
    const char *const guess = tt_form_word(&p->form, "initial_guess_strategy", "keep", word, sizeof word);
    const bool keep = guess && !strcmp(guess, "keep");
    if (guess && !keep && strcmp(guess, "one") != 0) {
        tt_form_fail(&p->form, tt_form_value(&p->form, "initial_guess_strategy"), "no strategy \"%s\"", guess);
        tt_hint_choices("the strategies are", guess, -1, "keep, one");
        return;
    }
    const tt_val slope = tt_cast_at(site, optim_dot(s, s->u, s->grads), TT_F32), zero = lines_real(site, 0);
    const tt_val value = tt_cast_at(site, *s->value, TT_F32), far = lines_real(site, (double)INFINITY);
    const tt_val last = tt_get_at(site, tt_get_at(site, *s->state, p->number), "learning_rate");
    const tt_val no = tt_compare_at(site, 4, zero, zero);
    tt_val v = tt_dict_n(site, 0, NULL, NULL);
    for (int i = 0; i < 6; i++) v = tt_set_at(site, v, values[i], value);
    for (int i = 0; i < 4; i++) v = tt_set_at(site, v, slopes[i], slope);
    for (int i = 0; i < 5; i++) v = tt_set_at(site, v, steps[i], zero);
    for (int i = 0; i < 3; i++) v = tt_set_at(site, v, flags[i], no);
    v = tt_set_at(site, v, "guess", keep ? last : lines_real(site, 1));
    v = tt_set_at(site, v, "count", tt_full_at(site, 0, TT_I32, number));
    v = tt_set_at(site, v, "decrease_error", far), v = tt_set_at(site, v, "curvature_error", far);
    v = tt_set_at(site, v, "params", s->params), v = tt_set_at(site, v, "direction", lines_tree(s, s->u));
    if (s->nargs) v = tt_set_at(site, v, "args", s->args);
    const line mine = { .s = s, .p = p };
    searched = &mine;
    const tt_val end = tt_while_at(site, looped("more", zoom_more), looped("next", zoom_next), v);
    const tt_val error[] = { lines_get(end, "decrease_error"), lines_get(end, "curvature_error") };
    search_end(s, p, lines_get(end, "step"), lines_get(end, "value"), lines_get(end, "count"), error);
    searched = NULL;
}

const optim_rule optim_lines[] = {
    { "scale_by_backtracking_linesearch",
      "max_backtracking_steps=0 slope_rtol=1e-4 decrease_factor=0.8 increase_factor=1.5 max_learning_rate=1 atol=0 "
      "rtol=0",
      "=linesearch", LOSS | SEARCH, backtrack_begin, search_leaf, NULL, search_start },
    { "scale_by_zoom_linesearch",
      "max_linesearch_steps=0 max_learning_rate=0 tol=0 increase_factor=2 slope_rtol=1e-4 curv_rtol=0.9 "
      "approx_dec_rtol=1e-6 stepsize_precision=1e-5 initial_guess_strategy",
      "=linesearch", LOSS | SEARCH, zoom_begin, search_leaf, NULL, search_start },
    { NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL },
};
