/* optim/schedule.c - schedules of the rate by form, with optax's names, arguments and formulas: a function of the
 * number of previous steps, in float32. "_schedule" at the end of a name is optional; sequences are separated by
 * blanks.
 */
#include "optim.h"

#include <math.h>
#include <string.h>

typedef struct { const char *site; tt_val t; } at;       /* t: the count, f32 */

static tt_val schedule_num(double x) { return tt_f(x); }
static tt_val schedule_less(const at *s, tt_val a, tt_val b) { return tt_compare_at(s->site, 2, a, b); }
static at later(const at *s, double by) { return (at){ s->site, tt_sub_at(s->site, s->t, schedule_num(by)) }; }

static tt_val schedule_within(const at *s, double steps)  /* t clamped to [0, steps] */
{
    return tt_max_at(s->site, tt_min_at(s->site, s->t, schedule_num(steps)), schedule_num(0));
}

static tt_val done(const at *s, double steps) { return tt_div_at(s->site, schedule_within(s, steps),
    schedule_num(steps)); }

static tt_val schedule_constant(const at *s, double x) { return tt_add_at(s->site,
    tt_mul_at(s->site, s->t, schedule_num(0)), schedule_num(x)); }

/* (init - end) (1 - t / steps)^power + end */
static tt_val polynomial(const at *s, double init, double end, double power, double steps)
{
    if (steps <= 0) return schedule_constant(s, init);
    const tt_val left = tt_sub_at(s->site, schedule_num(1), done(s, steps));
    const tt_val bent = power == 1 ? left : tt_pow_at(s->site, left, schedule_num(power));
    return F("by*left + end", schedule_num(init - end), bent, schedule_num(end));
}

/* init ((1 - alpha) ((1 + cos(pi t / steps)) / 2)^exponent + alpha), pi t first: near the end every bit matters */
static tt_val cosine(const at *s, double init, double steps, double alpha, double exponent)
{
    if (!(steps > 0)) {
        tt_fail_at(s->site, TT_EARG, "cosine_decay: decay_steps = %g; expected a number above 0", steps);
        return s->t;
    }
    const tt_val half_turn = schedule_num(3.14159265358979323846);
    tt_val wave = F("(cos(pi*t/steps) + 1)*half", half_turn, tt_min_at(s->site, s->t, schedule_num(steps)),
        schedule_num(steps),
                    schedule_num(0.5));
    if (exponent != 1) wave = tt_pow_at(s->site, wave, schedule_num(exponent));
    return F("init*(by*wave + alpha)", schedule_num(init), schedule_num(1 - alpha), wave, schedule_num(alpha));
}

typedef struct { double init, steps, rate, begin, end; bool stairs, bounded; } decay;
static tt_val exponential(const at *s, const decay *d)
{
    if (d->steps <= 0 || d->rate == 0) return schedule_constant(s, d->init);
    const at own = later(s, d->begin);
    tt_val p = tt_div_at(s->site, own.t, schedule_num(d->steps));
    if (d->stairs) p = tt_floor_at(s->site, p);
    const tt_val lower = tt_mul_at(s->site, schedule_num(d->init), tt_pow_at(s->site, schedule_num(d->rate), p));
    const tt_val v = tt_where_at(s->site, schedule_less(s, schedule_num(0), own.t), lower, schedule_num(d->init));
    if (!d->bounded) return v;
    return (d->rate < 1 ? tt_max_at : tt_min_at)(s->site, v, schedule_num(d->end));
}

static tt_val schedule_join(const at *s, double boundary, tt_val before, tt_val after)
{
    return tt_where_at(s->site, schedule_less(s, s->t, schedule_num(boundary)), before, after);
}

static tt_val warmup_cosine(const at *s, double init, double peak, double warmup, double steps, double end,
                            double power)
{
    const at rest = later(s, warmup);
    return schedule_join(s, warmup, polynomial(s, init, peak, 1, warmup),
                         cosine(&rest, peak, steps - warmup, peak == 0 ? 0 : end / peak, power));
}

/* Between two boundaries the value changes from its value to that times the scale: at once at the boundary, linearly,
 * or by half a cosine. */
enum { PIECES = 32 };
typedef struct { int n; double bound[PIECES], scale[PIECES]; } pieces;
static tt_val steps_of(const at *s, double init, const pieces *p)
{
    tt_val v = schedule_constant(s, init);
    for (int i = 0; i < p->n; i++) v = schedule_join(s, p->bound[i], v,
        tt_mul_at(s->site, v, schedule_num(p->scale[i])));
    return v;
}

static tt_val interpolated(const at *s, double init, const pieces *p, bool wave)
{
    tt_val v = schedule_constant(s, 0);
    double from = 0, value = init;
    for (int i = 0; i < p->n; i++) {
        const double next = value * p->scale[i];
        const at own = later(s, from);
        const tt_val part = tt_div_at(s->site, own.t, schedule_num(p->bound[i] - from));
        const tt_val along = wave ? F("end + by*(cos(pi*part) + 1)", schedule_num(next),
            schedule_num((value - next) / 2),
                                      schedule_num(3.14159265358979323846), part)
                                  : F("by*part + start", schedule_num(next - value), part, schedule_num(value));
        v = schedule_join(s, from, v, along);
        from = p->bound[i], value = next;
    }
    return schedule_join(s, from, v, schedule_constant(s, value));
}

/* ---- forms ---- */

static int schedule_list(const tt_form *f, const char *key, double *to, int most) /* "10 0.5 30 0.1" */
{
    const tt_span v = tt_form_value(f, key);
    int n = 0;
    for (const char *p = v.p; p && p < v.p + v.n; n++) {
        char *end;
        const double x = tt_strtod(p, &end);
        if (end == p || end > v.p + v.n)
            return tt_form_fail(f, v, "%s: expected numbers with blanks between them", key), 0;
        if (n == most) return tt_form_fail(f, (tt_span){ p, 1 }, "%s: more than %d numbers", key, most), 0;
        to[n] = x;
        p = end + strspn(end, " ");
    }
    return n;
}

static pieces pieces_of(const tt_form *f)
{
    double pair[2 * PIECES];
    const int n = schedule_list(f, "boundaries_and_scales", pair, 2 * PIECES);
    pieces p = { .n = n / 2 };
    for (int i = 0; i < p.n; i++) p.bound[i] = pair[2 * i], p.scale[i] = pair[2 * i + 1];
    if (n % 2)
        tt_form_fail(f, f->name, "boundaries_and_scales: %d numbers; expected pairs of a boundary and a scale", n);
    for (int i = 1; i < p.n && tt_ok(); i++)
        if (p.bound[i] <= p.bound[i - 1])
            tt_form_fail(f, f->name, "boundaries_and_scales: boundary %g after %g; expected rising boundaries",
                         p.bound[i], p.bound[i - 1]);
    for (int i = 0; i < p.n && tt_ok(); i++)
        if (!(p.scale[i] >= 0))
            tt_form_fail(f, f->name, "boundaries_and_scales: scale %g; expected 0 or more", p.scale[i]);
    return p;
}

/* A finite number; else the error is set. */
static double schedule_finite(const tt_form *f, const char *key, double usual)
{
    const double x = tt_form_number(f, key, usual);
    if (!isfinite(x) && tt_ok()) tt_form_fail(f, tt_form_value(f, key), "%s = %g; expected a finite number", key, x);
    return x;
}
#define N(key, usual) schedule_finite(f, key, usual)
/* True if the form has the argument; else sets the error, as in Python. */
static bool needed(const tt_form *f, const char *key)
{
    if (tt_form_has(f, key)) return true;
    tt_form_fail(f, f->name, "%.*s: %s is missing", f->name.n, f->name.p, key);
    return false;
}
/* A non-negative number of steps; else NaN with the error set. */
static double steps_from_0(const tt_form *f, const char *key)
{
    const double n = tt_form_number(f, key, 0);
    if (n >= 0 || !tt_ok()) return n;
    tt_form_fail(f, f->name, "%s = %g; expected 0 or more", key, n);
    return NAN;
}

static tt_val do_constant(const tt_form *f, const at *s)
{
    return needed(f, "value") ? schedule_constant(s, N("value", 0)) : tt_poison;
}
static tt_val do_polynomial(const tt_form *f, const at *s)
{
    const at own = later(s, steps_from_0(f, "transition_begin"));
    if (!needed(f, "transition_steps")) return tt_poison;
    return polynomial(&own, N("init_value", 0), N("end_value", 0), N("power", 1), N("transition_steps", 0));
}
static tt_val do_exponential(const tt_form *f, const at *s)
{
    const double warmup = steps_from_0(f, "warmup_steps"), peak = N("peak_value", N("init_value", 0));
    if (!needed(f, "transition_steps") || !needed(f, "decay_rate")) return tt_poison;
    const decay d = { .init = peak, .steps = N("transition_steps", 0), .rate = N("decay_rate", 0),
                      .end = N("end_value", 0), .begin = steps_from_0(f, "transition_begin"),
                      .stairs = N("staircase", 0) != 0, .bounded = tt_form_has(f, "end_value") };
    if (!tt_form_has(f, "warmup_steps")) return exponential(s, &d);
    const at rest = later(s, warmup);
    return schedule_join(s, warmup, polynomial(s, N("init_value", 0), peak, 1, warmup), exponential(&rest, &d));
}
static tt_val do_cosine(const tt_form *f, const at *s)
{
    return cosine(s, N("init_value", 0), N("decay_steps", 0), N("alpha", 0), N("exponent", 1));
}
static tt_val do_warmup_cosine(const tt_form *f, const at *s)
{
    const double warmup = steps_from_0(f, "warmup_steps");
    return warmup_cosine(s, N("init_value", 0), N("peak_value", 0), warmup, N("decay_steps", 0), N("end_value", 0),
                         N("exponent", 1));
}
static tt_val do_warmup_constant(const tt_form *f, const at *s)
{
    if (!needed(f, "warmup_steps")) return tt_poison;
    return polynomial(s, N("init_value", 0), N("peak_value", 0), 1, steps_from_0(f, "warmup_steps"));
}
static tt_val do_steps(const tt_form *f, const at *s)
{
    const pieces p = pieces_of(f);
    return steps_of(s, N("init_value", 0), &p);
}
static tt_val do_interpolated(const tt_form *f, const at *s)
{
    char text[16];
    const pieces p = pieces_of(f);
    const char *const type = tt_form_word(f, "interpolate_type", "linear", text, sizeof text);
    const bool wave = !strcmp(type, "cosine");
    if (!wave && strcmp(type, "linear") != 0) {
        const tt_val bad = tt_form_fail(f, tt_form_value(f, "interpolate_type"), "no interpolate_type \"%s\"", type);
        tt_hint_choices("the words are", type, -1, "linear, cosine");
        return bad;
    }
    return interpolated(s, N("init_value", 0), &p, wave);
}

/* True if the cycle has steps, and its phases are in order; else sets the error. */
static bool cycle(const tt_form *f, double steps, double start, double final)
{
    if (!(steps > 0)) tt_form_fail(f, f->name, "transition_steps = %g; expected a number above 0", steps);
    else if (!(0 <= start && start <= final && final <= 1))
        tt_form_fail(f, f->name, "pct_start = %g and pct_final = %g; expected 0 <= pct_start <= pct_final <= 1", start,
                     final);
    else return true;
    return false;
}

/* One cycle (Smith and Topin, 2017): up from peak / div_factor, down, and further down. */
static tt_val do_cosine_cycle(const tt_form *f, const at *s)
{
    const double steps = N("transition_steps", 0), peak = N("peak_value", 0), div = N("div_factor", 25);
    const double start = N("pct_start", 0.3);
    if (!cycle(f, steps, start, 1)) return tt_poison;
    const pieces p = { 2, { trunc(start * steps), steps },
                       { div, 1 / (div * N("final_div_factor", 1e4)) } };
    return interpolated(s, peak / div, &p, true);
}
static tt_val do_linear_cycle(const tt_form *f, const at *s)
{
    const double steps = N("transition_steps", 0), peak = N("peak_value", 0), div = N("div_factor", 25);
    const double start = N("pct_start", 0.3), final = N("pct_final", 0.85);
    if (!cycle(f, steps, start, final)) return tt_poison;
    const pieces p = { 3, { trunc(start * steps), trunc(final * steps), steps },
                       { div, 1 / div, 1 / N("final_div_factor", 1e4) } };
    return interpolated(s, peak / div, &p, false);
}

static tt_val value_of(const tt_form *, const at *);

/* join_schedules(first(...), second(...), boundaries=10 40): each counts from its own boundary. */
static tt_val do_join(const tt_form *f, const at *s)
{
    double bound[TT_FORM_ARGS];
    const int n = schedule_list(f, "boundaries", bound, TT_FORM_ARGS);
    tt_val v = s->t;
    int k = 0;
    for (int i = 0; i < f->n && tt_ok(); i++) {
        tt_form one;
        if (f->arg[i].key.n) continue;
        if (k > n)
            return tt_form_fail(f, f->arg[i].value,
                                "schedule %d for %d boundaries; expected one schedule more than boundaries", k + 1, n);
        if (!tt_form_nth(f, i, &one)) return v;
        const at own = k ? later(s, bound[k - 1]) : *s;
        const tt_val now = value_of(&one, &own);
        v = k ? schedule_join(s, bound[k - 1], v, now) : now;
        k++;
    }
    return k == n + 1 ? v : tt_form_fail(f, f->name, "%d schedules and %d boundaries; expected one schedule more", k,
                                         n);
}

/* sgdr_schedule(cycle(...), cycle(...)): warm restarts (Loshchilov and Hutter, 2016), each a warmup_cosine_decay. */
static tt_val do_restarts(const tt_form *f, const at *s)
{
    tt_val v = s->t;
    double from = 0;
    if (!f->n) return tt_form_fail(f, f->name, "sgdr_schedule: no cycles; expected 1 or more");
    for (int i = 0; i < f->n && tt_ok(); i++) {
        tt_form one;
        if (!tt_form_nth(f, i, &one)) return v;
        if (!tt_form_keys(&one, "init_value peak_value warmup_steps decay_steps end_value exponent")) return v;
        const at own = later(s, from);
        const tt_val now = do_warmup_cosine(&one, &own);
        v = i ? schedule_join(s, from, v, now) : now;
        from += tt_form_number(&one, "decay_steps", 0);
    }
    return v;
}

static const struct { const char *name, *keys; tt_val (*f)(const tt_form *, const at *); } table[] = {
    { "constant", "value", do_constant },
    { "linear", "init_value end_value transition_steps transition_begin", do_polynomial },
    { "polynomial", "init_value end_value power transition_steps transition_begin", do_polynomial },
    { "exponential_decay", "init_value transition_steps decay_rate transition_begin staircase? end_value",
      do_exponential },
    { "cosine_decay", "init_value decay_steps alpha exponent", do_cosine },
    { "warmup_constant", "init_value peak_value warmup_steps", do_warmup_constant },
    { "warmup_cosine_decay", "init_value peak_value warmup_steps decay_steps end_value exponent", do_warmup_cosine },
    { "warmup_exponential_decay", "init_value peak_value warmup_steps transition_steps decay_rate transition_begin "
      "staircase? end_value", do_exponential },
    { "piecewise_constant", "init_value boundaries_and_scales", do_steps },
    { "piecewise_interpolate", "interpolate_type init_value boundaries_and_scales", do_interpolated },
    { "cosine_onecycle", "transition_steps peak_value pct_start div_factor final_div_factor", do_cosine_cycle },
    { "linear_onecycle", "transition_steps peak_value pct_start pct_final div_factor final_div_factor",
      do_linear_cycle },
    { "join_schedules", NULL, do_join }, { "sgdr", NULL, do_restarts },
};

static tt_val value_of(const tt_form *given, const at *s)
{
    tt_form f = *given;
    char keys[OPTIM_NAMES];
    const int suffix = (int)strlen("_schedule");
    if (f.name.n > suffix && !strncmp(f.name.p + f.name.n - suffix, "_schedule", (size_t)suffix)) f.name.n -= suffix;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!tt_form_is(&f, table[i].name)) continue;
        if (table[i].keys && !optim_keys(&f, table[i].keys, keys)) return s->t;
        return table[i].f(&f, s);
    }
    const tt_val bad = tt_form_fail(&f, f.name, "no schedule \"%.*s\"", f.name.n, f.name.p);
    char names[512];
    size_t n = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", table[i].name);
    tt_hint_choices("the schedules are", f.name.p, f.name.n, names);
    return bad;
}

tt_val optim_schedule(const tt_form *f, tt_val count)
{
    const at s = { f->site, tt_cast_at(f->site, count, TT_F32) };
    return value_of(f, &s);
}

tt_val tt_schedule_at(const char *site, const char *schedule, tt_val count)
{
    TT_ENTRY(site);
    tt_form f;
    if (!schedule) return tt_fail_at(site, TT_EARG, "schedule: the text is NULL");
    if (tt_ok() && tt_rank_at(site, count) < 0)
        return tt_fail_at(site, TT_ETREE, "schedule: the count is a tree; expected an array");
    const tt_val v = tt_form_read(site, schedule, NULL, &f) ? optim_schedule(&f, count) : tt_poison;
    return tt_ok() ? v : tt_poison;
}
