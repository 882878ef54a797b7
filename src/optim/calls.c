/* optim/calls.c - the C calls of complete optimizers: their options, written as the text of a chain, which expand.c
 * reads. An option that the optimizer does not take, or that has no effect, is an error. */
#include "optim.h"

#include <stdio.h>
#include <string.h>

static void call_number(char to[OPTIM_TEXT], const char *key, double x)
{
    optim_add(to, "%s%s=%.17g", to[strlen(to) - 1] == '(' ? "" : ", ", key, x);
}

/* Writes a given option, even if it is 0, under the chain's key. */
static void given(char to[OPTIM_TEXT], const char *key, const void *o, const char *option, double x)
{
    if (x != 0 || tt_given(o, option)) call_number(to, key, x);
}
#define GIVEN(to, key, o, option) given(to, key, o, #option, (o)->option)

static void call_word(char to[OPTIM_TEXT], const char *key, const char *x)
{
    if (x && *x) optim_add(to, "%s%s=%s", to[strlen(to) - 1] == '(' ? "" : ", ", key, x);
}

/* The options of all optimizers. */
typedef struct { TT_OPT_COMMON } common;

/* True if the text is a name and arguments in brackets, with nothing after them. */
static bool one_form(const char *text)
{
    const char *p = text + strspn(text, " \t\n"), *const name = p;
    int deep = 0;
    p += strcspn(p, "(),;= \t\n");
    if (p == name) return false;
    p += strspn(p, " \t\n");
    if (*p != '(') return false;
    do deep += (*p == '(') - (*p == ')'); while (*p++ && deep);
    return !deep && !p[strspn(p, " \t\n")];
}

/* True if there is no schedule, or it is one form and no rate is given beside it. */
static bool schedule_text(const char *site, const char *name, const common *c, bool rated)
{
    const char *const text = c->schedule;
    if (!text) return true;
    if (rated) {
        tt_fail_at(site, TT_EARG, "%s: both .rate = %g and .schedule = \"%s\" are given", name, c->rate, text);
        tt_hint("leave .rate out: the schedule gives the rates");
    } else if (!text[strspn(text, " ")]) {
        tt_fail_at(site, TT_EARG, "%s: .schedule is an empty text", name);
        tt_hint("a schedule is a form, \"cosine_decay(0.1, 1000)\"; leave .schedule out for one .rate");
    } else if (!one_form(text)) {
        tt_fail_at(site, TT_EARG, "%s: .schedule = \"%s\" is not one form", name, text);
        tt_hint("a schedule is one form, \"cosine_decay(0.1, 1000)\"; a number is .rate, other settings are options");
    } else return true;
    return false;
}

/* Writes the parts before the optimizer, then its name and the rate. `keras` NULL: Keras has no such optimizer. */
static bool open(const char *site, char to[OPTIM_TEXT], const char *name, const char *keras, const void *options,
                 double rate)
{
    const common *c = options;                           /* every option struct begins with these fields */
    const bool rated = c->rate != 0 || tt_given(c, "rate");
    *to = 0;
    if (c->every > 1) optim_add(to, "multi_steps(every=%d); ", c->every);
    if (c->clip_norm != 0) optim_add(to, "clip_by_global_norm(max_norm=%.17g); ", c->clip_norm);
    if (c->clip_value != 0) optim_add(to, "clip(max_delta=%.17g); ", c->clip_value);
    if (!schedule_text(site, name, c, rated)) return false;
    if (c->keras && !keras) {
        tt_fail_at(site, TT_EARG, "%s: .keras is not supported: no optimizer of Keras is the same", name);
        return false;
    }
    optim_add(to, "%s(", c->keras ? keras : name);
    if (c->schedule) call_word(to, "learning_rate", c->schedule);
    else call_number(to, "learning_rate", rated ? c->rate : rate);
    return true;
}

static tt_val close(const char *site, tt_val params, char to[OPTIM_TEXT])
{
    optim_add(to, ")");
    return tt_optimizer_at(site, params, to);
}

/* True if the option is not set, or the optimizer takes it; else sets the error. `where`: " without .momentum", or
 * "". */
static bool call_taken(const char *site, const char *name, const char *option, bool set, bool takes,
    const char *where)
{
    if (!set || takes) return true;
    if (*where) tt_fail_at(site, TT_EARG, "%s: .%s has no effect%s", name, option, where);
    else tt_fail_at(site, TT_EARG, "%s has no .%s", name, option);
    return false;
}

/* True if there is no mask, or it has words and no sign with which it would end in the chain's text. */
static bool mask_words(const char *site, const char *name, const char *option, const char *mask)
{
    const char *const sign = mask ? strpbrk(mask, ",;()") : NULL;
    if (sign) {
        tt_fail_at(site, TT_EARG, "%s: .%s = \"%s\" has a '%c'", name, option, mask, *sign);
        tt_hint("a mask is ends of paths with blanks between them, \"kernel\" or \"not bias scale\"");
        return false;
    }
    if (!mask || mask[strspn(mask, " ")]) return true;
    tt_fail_at(site, TT_EARG, "%s: .%s is an empty text", name, option);
    tt_hint("a mask is ends of paths, \"kernel\" or \"not bias\"; leave the option out to take all leaves");
    return false;
}

/* True if there is no mask, or it is not empty and the optimizer `o` decays weights. */
static bool mask_used(const char *site, const char *name, const void *o, const char *mask, bool takes, bool decays)
{
    return mask_words(site, name, "mask", mask) && call_taken(site, name, "mask", mask, takes, "") &&
           call_taken(site, name, "mask", mask, decays, tt_given(o, "decay") ? " with .decay = 0" : " without .decay");
}

static const char *type_name(tt_dtype d)
{
    static const char *const word[] = { [TT_BF16] = "bfloat16", [TT_F16] = "float16", [TT_F32] = "float32",
                                        [TT_F64] = "float64" };
    const bool known = d > 0 && (size_t)d < sizeof word / sizeof *word && word[d];
    return known ? word[d] : d ? tt_dtype_name(d) : NULL;
}

tt_val tt_sgd_at(const char *site, tt_val params, const tt_sgd_opts *o)
{
    char to[OPTIM_TEXT];
    if (!TT_CHECKED(tt_sgd_opts, site, "sgd", o) || !open(site, to, "sgd", "keras.SGD", o, 0.01)) return tt_poison;
    const bool trace = o->momentum != 0 || tt_given(o, "momentum");
    if (!call_taken(site, "sgd", "nesterov", o->nesterov, trace, " without .momentum") ||
        !call_taken(site, "sgd", "mu_dtype", o->mu_dtype, trace, " without .momentum") ||
        !call_taken(site, "Keras's sgd", "mu_dtype", o->mu_dtype, !o->keras, ""))
        return tt_poison;
    GIVEN(to, "momentum", o, momentum);
    if (o->momentum != 0) GIVEN(to, "nesterov", o, nesterov);
    if (!o->keras) call_word(to, "accumulator_dtype", type_name(o->mu_dtype));
    return close(site, params, to);
}

/* Adam's relatives. `has`: the options that the optimizer of that name takes. */
enum { ROOT = 1, AHEAD = 2, DECAY_TOO = 4, TYPE = 8 };
static tt_val adam_like(const char *site, tt_val params, const tt_adam_opts *o, const char *name, const char *keras,
                        int has)
{
    char to[OPTIM_TEXT];
    if (!TT_CHECKED(tt_adam_opts, site, name, o) || !open(site, to, name, keras, o, 1e-3)) return tt_poison;
    const bool k = o->keras, own = !k && strcmp(name, "adamw") != 0;
    char who[32];
    snprintf(who, sizeof who, "%s%s", k ? "Keras's " : "", name);
    if (!call_taken(site, who, "eps_root", o->eps_root != 0, has & ROOT && !k, "") ||
        !call_taken(site, who, "nesterov", o->nesterov, has & AHEAD && !k, "") ||
        !call_taken(site, who, "mu_dtype", o->mu_dtype, has & TYPE && !k, "") ||
        !call_taken(site, who, "decay", o->decay != 0, has & DECAY_TOO || k, "") ||
        !mask_used(site, who, o, o->mask, !k, o->decay != 0 || !own))
        return tt_poison;
    GIVEN(to, k ? "beta_1" : "b1", o, b1);
    GIVEN(to, k ? "beta_2" : "b2", o, b2);
    GIVEN(to, k ? "epsilon" : "eps", o, eps);
    if (has & ROOT && !k) GIVEN(to, "eps_root", o, eps_root);
    if (has & AHEAD && !k) GIVEN(to, "nesterov", o, nesterov);
    if (has & TYPE && !k) call_word(to, "mu_dtype", type_name(o->mu_dtype));
    if (has & DECAY_TOO || k) GIVEN(to, "weight_decay", o, decay);
    if (has & DECAY_TOO && !k) call_word(to, "mask", o->mask);
    return close(site, params, to);
}

tt_val tt_adam_at(const char *site, tt_val params, const tt_adam_opts *o)
{
    if (!TT_CHECKED(tt_adam_opts, site, "adam", o)) return tt_poison;
    const bool decays = o->decay != 0 && !o->keras;
    const int has = ROOT | AHEAD | TYPE | (decays ? DECAY_TOO : 0);
    return adam_like(site, params, o, decays ? "adamw" : "adam", "keras.Adam", has);
}
tt_val tt_adamw_at(const char *site, tt_val params, const tt_adam_opts *o)
{
    return adam_like(site, params, o, "adamw", "keras.AdamW", ROOT | AHEAD | TYPE | DECAY_TOO);
}
tt_val tt_nadam_at(const char *site, tt_val params, const tt_adam_opts *o)
{
    if (!TT_CHECKED(tt_adam_opts, site, "nadam", o)) return tt_poison;
    const bool decays = o->decay != 0;
    const int has = ROOT | AHEAD | TYPE | (decays ? DECAY_TOO : 0);
    return adam_like(site, params, o, decays ? "nadamw" : "nadam", NULL, has);
}
tt_val tt_radam_at(const char *site, tt_val params, const tt_adam_opts *o)
{
    return adam_like(site, params, o, "radam", NULL, ROOT | AHEAD);
}
tt_val tt_amsgrad_at(const char *site, tt_val params, const tt_adam_opts *o)
{
    return adam_like(site, params, o, "amsgrad", NULL, ROOT | TYPE);
}
tt_val tt_adamax_at(const char *site, tt_val params, const tt_adam_opts *o)
{
    if (!TT_CHECKED(tt_adam_opts, site, "adamax", o)) return tt_poison;
    return adam_like(site, params, o, o->decay != 0 ? "adamaxw" : "adamax", NULL, o->decay != 0 ? DECAY_TOO : 0);
}
tt_val tt_lamb_at(const char *site, tt_val params, const tt_adam_opts *o)
{
    return adam_like(site, params, o, "lamb", NULL, ROOT | DECAY_TOO);
}

tt_val tt_adabelief_at(const char *site, tt_val params, const tt_adam_opts *o)
{
    return adam_like(site, params, o, "adabelief", NULL, ROOT | AHEAD);
}
tt_val tt_yogi_at(const char *site, tt_val params, const tt_adam_opts *o)
{
    return adam_like(site, params, o, "yogi", NULL, 0);
}
tt_val tt_novograd_at(const char *site, tt_val params, const tt_adam_opts *o)
{
    if (o && o->mask) return call_taken(site, "novograd", "mask", true, false, ""), tt_poison;
    return adam_like(site, params, o, "novograd", NULL, ROOT | DECAY_TOO);
}

tt_val tt_adafactor_at(const char *site, tt_val params, const tt_adafactor_opts *o)
{
    char to[OPTIM_TEXT];
    if (!TT_CHECKED(tt_adafactor_opts, site, "adafactor", o) || !open(site, to, "adafactor", NULL, o, 0.01) ||
        !mask_used(site, "adafactor", o, o->mask, true, o->decay != 0))
        return tt_poison;
    GIVEN(to, "momentum", o, momentum);
    GIVEN(to, "decay_rate", o, rate_of_decay);
    GIVEN(to, "min_dim_size_to_factor", o, from);
    GIVEN(to, "clipping_threshold", o, threshold);
    GIVEN(to, "multiply_by_parameter_scale", o, by_scale);
    GIVEN(to, "weight_decay_rate", o, decay);
    GIVEN(to, "eps", o, eps);
    call_word(to, "weight_decay_mask", o->mask);
    return close(site, params, to);
}

tt_val tt_lbfgs_at(const char *site, tt_val params, const tt_lbfgs_opts *o)
{
    char to[OPTIM_TEXT] = "lbfgs(";
    if (!TT_CHECKED(tt_lbfgs_opts, site, "lbfgs", o)) return tt_poison;
    if (o->rate != 0 || tt_given(o, "rate")) call_number(to, "learning_rate", o->rate);
    if (o->memory) call_number(to, "memory_size", o->memory);
    return close(site, params, to);
}

tt_val tt_lion_at(const char *site, tt_val params, const tt_lion_opts *o)
{
    char to[OPTIM_TEXT];
    if (!TT_CHECKED(tt_lion_opts, site, "lion", o) ||
        !open(site, to, "lion", "keras.Lion", o, 1e-4) ||
        !mask_used(site, o->keras ? "Keras's lion" : "lion", o, o->mask, !o->keras, true))
        return tt_poison;
    GIVEN(to, o->keras ? "beta_1" : "b1", o, b1);
    GIVEN(to, o->keras ? "beta_2" : "b2", o, b2);
    GIVEN(to, "weight_decay", o, decay);
    if (!o->keras) call_word(to, "mask", o->mask);
    return close(site, params, to);
}

tt_val tt_lars_at(const char *site, tt_val params, const tt_lars_opts *o)
{
    char to[OPTIM_TEXT];
    if (!TT_CHECKED(tt_lars_opts, site, "lars", o) || !open(site, to, "lars", NULL, o, 0.01)) return tt_poison;
    if (!mask_used(site, "lars", o, o->mask, true, o->decay != 0) ||
        !mask_words(site, "lars", "trust_mask", o->trust_mask))
        return tt_poison;
    GIVEN(to, "weight_decay", o, decay);
    call_word(to, "weight_decay_mask", o->mask);
    call_word(to, "trust_ratio_mask", o->trust_mask);
    GIVEN(to, "trust_coefficient", o, trust);
    GIVEN(to, "eps", o, eps);
    GIVEN(to, "momentum", o, momentum);
    GIVEN(to, "nesterov", o, nesterov);
    return close(site, params, to);
}

tt_val tt_rmsprop_at(const char *site, tt_val params, const tt_rmsprop_opts *o)
{
    char to[OPTIM_TEXT];
    if (!TT_CHECKED(tt_rmsprop_opts, site, "rmsprop", o) ||
        !open(site, to, "rmsprop", "keras.RMSprop", o, 1e-3))
        return tt_poison;
    const bool k = o->keras, trace = o->momentum != 0 || tt_given(o, "momentum");
    if (!call_taken(site, "Keras's rmsprop", "nesterov", o->nesterov, !k, "") ||
        !call_taken(site, "Keras's rmsprop", "initial", o->initial != 0, !k, "") ||
        !call_taken(site, "Keras's rmsprop", "bias_correction", o->bias_correction, !k, "") ||
        !call_taken(site, "Keras's rmsprop", "eps_outside", o->eps_outside, !k, "") ||
        !call_taken(site, "rmsprop", "nesterov", o->nesterov, trace, " without .momentum"))
        return tt_poison;
    GIVEN(to, k ? "rho" : "decay", o, rho);
    GIVEN(to, k ? "epsilon" : "eps", o, eps);
    GIVEN(to, "momentum", o, momentum);
    GIVEN(to, "centered", o, centered);
    if (k) return close(site, params, to);
    GIVEN(to, "nesterov", o, nesterov);
    GIVEN(to, "initial_scale", o, initial);
    GIVEN(to, "bias_correction", o, bias_correction);
    if (o->eps_outside) call_number(to, "eps_in_sqrt", 0);
    return close(site, params, to);
}

tt_val tt_adagrad_at(const char *site, tt_val params, const tt_adagrad_opts *o)
{
    char to[OPTIM_TEXT];
    if (!TT_CHECKED(tt_adagrad_opts, site, "adagrad", o) ||
        !open(site, to, "adagrad", "keras.Adagrad", o, 0.01))
        return tt_poison;
    GIVEN(to, "initial_accumulator_value", o, initial);
    GIVEN(to, o->keras ? "epsilon" : "eps", o, eps);
    return close(site, params, to);
}

tt_val tt_adadelta_at(const char *site, tt_val params, const tt_adadelta_opts *o)
{
    char to[OPTIM_TEXT];
    if (!TT_CHECKED(tt_adadelta_opts, site, "adadelta", o) ||
        !open(site, to, "adadelta", NULL, o, 1))
        return tt_poison;
    GIVEN(to, "rho", o, rho);
    GIVEN(to, "eps", o, eps);
    GIVEN(to, "weight_decay", o, decay);
    return close(site, params, to);
}
