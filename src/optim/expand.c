/* optim/expand.c - complete optimizers as chains of parts, with optax's names and defaults; and the C calls.
 *
 * A rule of the table gives the arguments of an optimizer ("nesterov?" is a flag) and its parts. In a part, "b1"
 * passes an argument on if it is given, "a<b" passes b as a, "a=x" has a default of its own. Conditions before a part:
 * "has:" the argument is given and neither 0 nor False nor None; "!has:" it is not; "?has:" it is given, even as 0;
 * "!?has:" it is not given; "+has:" it is not given as False or None.
 *
 * Longer than 400 lines: the table has a rule per optimizer, and the C calls below it spell the table's texts. */
#include "optim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define RATE "scale_by_learning_rate(learning_rate)"
#define ADAM "learning_rate b1 b2 eps eps_root mu_dtype"
#define NADAM "scale_by_adam(b1 b2 eps eps_root mu_dtype nesterov=1); "
#define DECAY "weight_decay mask"
#define RMSPROP "decay eps initial_scale eps_in_sqrt bias_correction"
#define KERAS "learning_rate weight_decay"
#define FTRL_TERMS "l1_regularization_strength l2_regularization_strength l2_shrinkage_regularization_strength beta"
#define CLIPS " clipnorm global_clipnorm clipvalue"
#define KERAS_CLIPS "clipnorm: clip_by_norm(max_norm<clipnorm); global_clipnorm: clip_by_global_norm(max_norm<" \
    "global_clipnorm); clipvalue: clip(max_delta<clipvalue); "
static const struct { const char *name, *keys, *parts; } rules[] = {
    { "sgd", "learning_rate momentum nesterov? accumulator_dtype",
      "?momentum: trace(decay<momentum nesterov mu_dtype<accumulator_dtype); " RATE },
    { "adam", ADAM " nesterov?", "scale_by_adam(b1 b2 eps eps_root mu_dtype nesterov); " RATE },
    { "adamw", ADAM " " DECAY " nesterov?",
      "scale_by_adam(b1 b2 eps eps_root mu_dtype nesterov); add_decayed_weights(weight_decay=1e-4 mask); " RATE },
    { "nadam", ADAM " nesterov?", NADAM RATE },
    { "nadamw", ADAM " " DECAY " nesterov?", NADAM "add_decayed_weights(weight_decay=1e-4 mask); " RATE },
    { "amsgrad", ADAM, "scale_by_amsgrad(b1 b2 eps eps_root mu_dtype); " RATE },
    { "radam", "learning_rate b1 b2 eps eps_root threshold nesterov?",
      "scale_by_radam(b1 b2 eps eps_root threshold nesterov); " RATE },
    { "adamax", "learning_rate b1 b2 eps", "scale_by_adamax(b1 b2 eps); " RATE },
    { "adamaxw", "learning_rate b1 b2 eps " DECAY,
      "scale_by_adamax(b1 b2 eps); add_decayed_weights(weight_decay=1e-4 mask); " RATE },
    { "lion", "learning_rate b1 b2 mu_dtype " DECAY,
      "scale_by_lion(b1 b2 mu_dtype); add_decayed_weights(weight_decay=1e-3 mask); " RATE },
    { "lamb", "learning_rate b1 b2 eps eps_root " DECAY,
      "scale_by_adam(b1 b2 eps=1e-6 eps_root); add_decayed_weights(weight_decay mask); scale_by_trust_ratio(); " RATE },
    { "lars", "learning_rate weight_decay weight_decay_mask trust_coefficient eps trust_ratio_mask momentum nesterov?",
      "add_decayed_weights(weight_decay mask<weight_decay_mask); "
      "scale_by_trust_ratio(trust_coefficient=0.001 eps mask<trust_ratio_mask); " RATE
      "; trace(decay<momentum=0.9 nesterov)" },
    { "rmsprop", "learning_rate decay eps initial_scale eps_in_sqrt? centered? momentum nesterov? bias_correction?",
      "centered: scale_by_stddev(" RMSPROP "); !centered: scale_by_rms(" RMSPROP "); " RATE
      "; ?momentum: trace(decay<momentum nesterov)" },
    { "adagrad", "learning_rate initial_accumulator_value eps",
      "scale_by_rss(initial_accumulator_value eps); " RATE },
    { "adadelta", "learning_rate rho eps weight_decay mask",
      "add_decayed_weights(weight_decay mask); scale_by_adadelta(rho eps); " RATE },
    { "adabelief", "learning_rate b1 b2 eps eps_root nesterov?",
      "scale_by_belief(b1 b2 eps eps_root nesterov); " RATE },
    { "yogi", "learning_rate b1 b2 eps", "scale_by_yogi(b1 b2 eps); " RATE },
    { "adan", "learning_rate b1 b2 b3 eps eps_root " DECAY,
      "scale_by_adan(b1 b2 b3 eps eps_root=1e-8); add_decayed_weights(weight_decay mask); " RATE },
    { "novograd", "learning_rate b1 b2 eps eps_root weight_decay",
      "scale_by_novograd(b1 b2 eps=1e-6 eps_root weight_decay); " RATE },
    { "sm3", "learning_rate momentum", "scale_by_sm3(b1<momentum); " RATE },
    { "rprop", "learning_rate eta_minus eta_plus min_step_size max_step_size",
      "scale_by_rprop(learning_rate eta_minus eta_plus min_step_size max_step_size); scale(step_size=-1)" },
    { "sign_sgd", "learning_rate", "scale_by_sign(); " RATE },
    { "signum", "learning_rate beta accumulator_dtype",
      "ema(decay<beta=0.9 debias=0 mu_dtype<accumulator_dtype); scale_by_sign(); " RATE },
    { "noisy_sgd", "learning_rate eta gamma key", "add_noise(eta=0.01 gamma=0.55 key); " RATE },
    { "optimistic_gradient_descent", "learning_rate alpha beta", "scale_by_optimistic_gradient(alpha beta); " RATE },
    { "optimistic_adam_v2", "learning_rate alpha beta b1 b2 eps eps_root mu_dtype nesterov?",
      "scale_by_adam(b1 b2 eps eps_root mu_dtype nesterov=1); scale_by_optimistic_gradient(alpha beta); " RATE },
    { "polyak_sgd", "max_learning_rate scaling f_min eps variant",
      "scale_by_learning_rate(learning_rate<scaling=1); scale_by_polyak(f_min max_learning_rate eps variant)" },
    { "adafactor", "learning_rate min_dim_size_to_factor decay_rate decay_offset multiply_by_parameter_scale? "
      "clipping_threshold momentum dtype_momentum weight_decay_rate eps factored? weight_decay_mask",
      "scale_by_factored_rms(factored decay_rate step_offset<decay_offset min_dim_size_to_factor epsilon<eps); "
      "+clipping_threshold: clip_by_block_rms(threshold<clipping_threshold=1); "
      "?learning_rate: scale_by_learning_rate(learning_rate flip_sign=0); "
      "+multiply_by_parameter_scale: scale_by_param_block_rms(); "
      "?momentum: ema(decay<momentum debias=0 mu_dtype<dtype_momentum=float32); "
      "?weight_decay_rate: add_decayed_weights(weight_decay<weight_decay_rate mask<weight_decay_mask); "
      "scale(step_size=-1)" },
    { "lbfgs", "learning_rate memory_size scale_init_precond?",
      "scale_by_lbfgs(memory_size scale_init_precond); ?learning_rate: " RATE "; !?learning_rate: scale(step_size=-1); "
      "scale_by_zoom_linesearch(max_linesearch_steps=20 initial_guess_strategy=one)" },
    { "keras.Adam", KERAS " beta_1 beta_2 epsilon amsgrad?" CLIPS,
      KERAS_CLIPS "amsgrad: keras_amsgrad(learning_rate weight_decay beta_1 beta_2 epsilon); "
      "!amsgrad: keras_adam(learning_rate weight_decay beta_1 beta_2 epsilon)" },
    { "keras.AdamW", KERAS " beta_1 beta_2 epsilon amsgrad?" CLIPS,
      KERAS_CLIPS "amsgrad: keras_amsgrad(learning_rate weight_decay=0.004 beta_1 beta_2 epsilon); "
      "!amsgrad: keras_adam(learning_rate weight_decay=0.004 beta_1 beta_2 epsilon)" },
    { "keras.SGD", KERAS " momentum nesterov?" CLIPS,
      KERAS_CLIPS "momentum: keras_momentum(learning_rate weight_decay momentum nesterov); "
      "!momentum: keras_sgd(learning_rate weight_decay)" },
    { "keras.RMSprop", KERAS " rho momentum epsilon centered?" CLIPS,
      KERAS_CLIPS "centered+momentum: keras_rmsprop_both(learning_rate weight_decay rho epsilon momentum); "
      "centered+!momentum: keras_rmsprop_centered(learning_rate weight_decay rho epsilon); "
      "!centered+momentum: keras_rmsprop_momentum(learning_rate weight_decay rho epsilon momentum); "
      "!centered+!momentum: keras_rmsprop(learning_rate weight_decay rho epsilon)" },
    { "keras.Adagrad", KERAS " initial_accumulator_value epsilon" CLIPS,
      KERAS_CLIPS "keras_adagrad(learning_rate weight_decay initial_accumulator_value epsilon)" },
    { "keras.Lion", KERAS " beta_1 beta_2" CLIPS,
      KERAS_CLIPS "keras_lion(learning_rate weight_decay beta_1 beta_2)" },
    { "keras.Adadelta", KERAS " rho epsilon" CLIPS,
      KERAS_CLIPS "keras_adadelta(learning_rate weight_decay rho epsilon)" },
    { "keras.Adamax", KERAS " beta_1 beta_2 epsilon" CLIPS,
      KERAS_CLIPS "keras_adamax(learning_rate weight_decay beta_1 beta_2 epsilon)" },
    { "keras.Nadam", KERAS " beta_1 beta_2 epsilon" CLIPS,
      KERAS_CLIPS "keras_nadam(learning_rate weight_decay beta_1 beta_2 epsilon)" },
    { "keras.Lamb", KERAS " beta_1 beta_2 epsilon" CLIPS,
      KERAS_CLIPS "keras_lamb(learning_rate weight_decay beta_1 beta_2 epsilon)" },
    { "keras.Ftrl", KERAS " learning_rate_power initial_accumulator_value " FTRL_TERMS CLIPS,
      KERAS_CLIPS "keras_ftrl(" KERAS " learning_rate_power initial_accumulator_value " FTRL_TERMS ")" },
};

__attribute__((format(printf, 2, 3)))
static void expand_add(char to[OPTIM_TEXT], const char *fmt, ...)
{
    const size_t n = strlen(to);
    va_list v;
    va_start(v, fmt);
    if (n + 1 < OPTIM_TEXT) tt_vsnprintf(to + n, OPTIM_TEXT - n, fmt, v);
    va_end(v);
}

static bool expand_is_none(tt_span v) { return v.p && v.n == 4 && !memcmp(v.p, "None", 4); }

/* True if the flag is not given, or is 0, 1, False, True or None; else an error. */
static bool expand_flag_ok(const tt_form *f, const char *flag)
{
    const tt_span v = tt_form_value(f, flag);
    if (!v.p || expand_is_none(v)) return true;
    const double x = tt_form_number(f, flag, 0);
    if (tt_ok() && x != 0 && x != 1) tt_form_fail(f, v, "%s = %g; it is 0 or 1", flag, x);
    return tt_ok();
}

bool optim_keys(tt_form *f, const char *keys, char names[OPTIM_NAMES])
{
    size_t n = 0;
    *names = '\0';
    for (const char *p = keys; *p && n < OPTIM_NAMES; p += strspn(p, " ")) {
        n += (size_t)snprintf(names + n, OPTIM_NAMES - n, "%s%.*s", n ? " " : "", (int)strcspn(p, " ?="), p);
        p += strcspn(p, " ");
    }
    if (!tt_form_keys(f, names)) return false;
    for (const char *p = keys; *p; p += strspn(p, " ")) {
        char flag[48];
        const size_t len = strcspn(p, " ?=");
        snprintf(flag, sizeof flag, "%.*s", (int)len, p);
        if (p[len] == '?' && !expand_flag_ok(f, flag)) return false;
        p += strcspn(p, " ");
    }
    return true;
}

/* True if the argument is given. None is the same as not given where it is the default in Python; for other arguments
 * it is no number. */
static bool expand_given(const tt_form *f, const char *key)
{
    static const char *const optax[] = { "mask", "mu_dtype", "accumulator_dtype", "momentum", "learning_rate",
                                         "weight_decay_rate", "weight_decay_mask", "dtype_momentum" },
                      *const keras[] = { "weight_decay", "clipnorm", "global_clipnorm", "clipvalue" };
    const tt_span v = tt_form_value(f, key);
    const bool of_keras = f->name.n > 6 && !memcmp(f->name.p, "keras.", 6);
    if (!expand_is_none(v) || tt_form_is(f, "lars") || (tt_form_is(f, "keras.AdamW") && !strcmp(key, "weight_decay")))
        return v.p;
    for (int i = 0; i < (of_keras ? 4 : 8); i++) if (!strcmp(key, (of_keras ? keras : optax)[i])) return false;
    return true;
}

/* True if the argument is not given, or is None, False or the number 0; an error if it is no number. */
static bool expand_is_zero(const tt_form *f, const char *key)
{
    return !tt_form_value(f, key).p || expand_is_none(tt_form_value(f, key)) || tt_form_number(f, key, 0) == 0;
}

/* True if the condition holds: "centered+!momentum" */
static bool expand_holds(const tt_form *f, const char *text, size_t n)
{
    if (*text == '+') {
        char key[48];
        snprintf(key, sizeof key, "%.*s", (int)n - 1, text + 1);
        return !tt_form_value(f, key).p || !expand_is_zero(f, key);
    }
    for (const char *end = text + n; text < end; text++) {
        char key[48];
        const bool absent = *text == '!', given = text[absent] == '?';
        const size_t len = strcspn(text += absent + given, "+:");
        snprintf(key, sizeof key, "%.*s", (int)len, text);
        if (given ? expand_given(f, key) == absent : expand_is_zero(f, key) != absent) return false;
        text += len;
    }
    return true;
}

/* Passes on one argument of a part, "decay<momentum=0.9", at `at`: writes "decay=0.5" if the form has it or it has a
 * default. */
static void pass_on(const tt_form *f, const char *at, size_t n, bool *some, char to[OPTIM_TEXT])
{
    char name[48], from[48], usual[48] = "", value[640];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "<= )"), at);
    memcpy(from, name, sizeof from);
    const char *other = memchr(at, '<', n), *set = memchr(at, '=', n);
    if (other) snprintf(from, sizeof from, "%.*s", (int)strcspn(other + 1, "= )"), other + 1);
    if (set) snprintf(usual, sizeof usual, "%.*s", (int)strcspn(set + 1, " )"), set + 1);
    const char *word = expand_given(f, from) ? tt_form_word(f, from, usual, value, sizeof value) : usual;
    if (!*word) return;
    expand_add(to, "%s%s=%s", *some ? ", " : "", name, word);
    *some = true;
}

static void write_parts(const tt_form *f, const char *rule, char to[OPTIM_TEXT])
{
    for (const char *p = rule; *p;) {
        const size_t whole = strcspn(p, ";"), condition = strcspn(p, ":("), name = strcspn(p, "(");
        const bool conditional = p[condition] == ':';
        if (!conditional || expand_holds(f, p, condition)) {
            const char *own = p + (conditional ? condition + 1 + strspn(p + condition + 1, " ") : 0);
            bool some = false;
            expand_add(to, "%s%.*s(", *to ? "; " : "", (int)(p + name - own), own);
            for (const char *a = p + name + 1; *a && *a != ')'; a += strspn(a, " ")) {
                const size_t n = strcspn(a, " )");
                pass_on(f, a, n, &some, to);
                a += n;
            }
            expand_add(to, ")");
        }
        p += whole;
        p += strspn(p, "; ");
    }
}

size_t optim_rule_names(char *to, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && n < size; i++)
        n += (size_t)snprintf(to + n, size - n, "%s%s", i ? ", " : "", rules[i].name);
    return n;
}

bool optim_is_rule(const tt_form *f)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) if (tt_form_is(f, rules[i].name)) return true;
    return false;
}

bool optim_expand(const char *site, const char *text, char to[OPTIM_TEXT])
{
    char names[OPTIM_NAMES];
    *to = 0;
    for (const char *at = text + strspn(text, " "); *at;) {
        const char *begin = at;
        tt_form f;
        size_t i = 0;
        if (!tt_form_read(site, text, &at, &f)) return false;
        while (i < sizeof rules / sizeof *rules && !tt_form_is(&f, rules[i].name)) i++;
        if (tt_form_is(&f, "masked") || tt_form_is(&f, "partition")) {
            if (!optim_groups(site, &f, to)) return false;
        } else if (i == sizeof rules / sizeof *rules) {
            int n = (int)(at - begin);
            while (n && begin[n - 1] == ' ') n--;
            expand_add(to, "%s%.*s%s", *to ? "; " : "", n, begin, begin[n - 1] == ')' ? "" : "()");
        } else if (optim_keys(&f, rules[i].keys, names)) write_parts(&f, rules[i].parts, to);
        else return false;
        if (!tt_ok()) return false;
        if (*at && *at != ';') return tt_form_fail(&f, (tt_span){ at, 1 }, "';' was expected between parts"), false;
        at += *at == ';';
        at += strspn(at, " ");
    }
    if (strlen(to) + 1 < OPTIM_TEXT) return true;
    return tt_fail_at(site, TT_EARG, "optimizer: its text is longer than %d", OPTIM_TEXT), false;
}

/* ---- the C calls: options written as a chain's text ---- */

static void expand_number(char to[OPTIM_TEXT], const char *key, double x)
{
    expand_add(to, "%s%s=%.17g", to[strlen(to) - 1] == '(' ? "" : ", ", key, x);
}

/* Writes a given option, even if it is 0, under the chain's key. */
static void given(char to[OPTIM_TEXT], const char *key, const void *o, const char *option, double x)
{
    if (x != 0 || tt_given(o, option)) expand_number(to, key, x);
}
#define GIVEN(to, key, o, option) given(to, key, o, #option, (o)->option)

static void expand_word(char to[OPTIM_TEXT], const char *key, const char *x)
{
    if (x && *x) expand_add(to, "%s%s=%s", to[strlen(to) - 1] == '(' ? "" : ", ", key, x);
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
        tt_hint("give one of them: the schedule's own first values are its rates");
    } else if (!text[strspn(text, " ")]) {
        tt_fail_at(site, TT_EARG, "%s: .schedule is an empty text", name);
        tt_hint("a schedule is a form, \"cosine_decay(0.1, 1000)\"; leave .schedule away for one .rate");
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
    if (c->every > 1) expand_add(to, "multi_steps(every=%d); ", c->every);
    if (c->clip_norm != 0) expand_add(to, "clip_by_global_norm(max_norm=%.17g); ", c->clip_norm);
    if (c->clip_value != 0) expand_add(to, "clip(max_delta=%.17g); ", c->clip_value);
    if (!schedule_text(site, name, c, rated)) return false;
    if (c->keras && !keras) {
        tt_fail_at(site, TT_EARG, "%s: .keras, but Keras has no such optimizer here", name);
        return false;
    }
    expand_add(to, "%s(", c->keras ? keras : name);
    if (c->schedule) expand_word(to, "learning_rate", c->schedule);
    else expand_number(to, "learning_rate", rated ? c->rate : rate);
    return true;
}

static tt_val close(const char *site, tt_val params, char to[OPTIM_TEXT])
{
    expand_add(to, ")");
    return tt_optimizer_at(site, params, to);
}

/* True if the option is not set, or the optimizer takes it; else sets the error. `where`: " without .momentum", or
 * "". */
static bool expand_taken(const char *site, const char *name, const char *option, bool set, bool takes,
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
    tt_hint("a mask is ends of paths, \"kernel\" or \"not bias\"; leave it away to take all leaves");
    return false;
}

/* True if there is no mask, or it is not empty and the optimizer decays weights. */
static bool mask_used(const char *site, const char *name, const char *mask, bool takes, bool decays)
{
    return mask_words(site, name, "mask", mask) && expand_taken(site, name, "mask", mask, takes, "") &&
           expand_taken(site, name, "mask", mask, decays, " without .decay");
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
    if (!expand_taken(site, "sgd", "nesterov", o->nesterov, trace, " without .momentum") ||
        !expand_taken(site, "sgd", "mu_dtype", o->mu_dtype, trace, " without .momentum") ||
        !expand_taken(site, "Keras's sgd", "mu_dtype", o->mu_dtype, !o->keras, ""))
        return tt_poison;
    GIVEN(to, "momentum", o, momentum);
    if (o->momentum != 0) GIVEN(to, "nesterov", o, nesterov);
    if (!o->keras) expand_word(to, "accumulator_dtype", type_name(o->mu_dtype));
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
    if (!expand_taken(site, who, "eps_root", o->eps_root != 0, has & ROOT && !k, "") ||
        !expand_taken(site, who, "nesterov", o->nesterov, has & AHEAD && !k, "") ||
        !expand_taken(site, who, "mu_dtype", o->mu_dtype, has & TYPE && !k, "") ||
        !expand_taken(site, who, "decay", o->decay != 0, has & DECAY_TOO || k, "") ||
        !mask_used(site, who, o->mask, !k, o->decay != 0 || !own))
        return tt_poison;
    GIVEN(to, k ? "beta_1" : "b1", o, b1);
    GIVEN(to, k ? "beta_2" : "b2", o, b2);
    GIVEN(to, k ? "epsilon" : "eps", o, eps);
    if (has & ROOT && !k) GIVEN(to, "eps_root", o, eps_root);
    if (has & AHEAD && !k) GIVEN(to, "nesterov", o, nesterov);
    if (has & TYPE && !k) expand_word(to, "mu_dtype", type_name(o->mu_dtype));
    if (has & DECAY_TOO || k) GIVEN(to, "weight_decay", o, decay);
    if (has & DECAY_TOO && !k) expand_word(to, "mask", o->mask);
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
    if (o && o->mask) return expand_taken(site, "novograd", "mask", true, false, ""), tt_poison;
    return adam_like(site, params, o, "novograd", NULL, ROOT | DECAY_TOO);
}

tt_val tt_adafactor_at(const char *site, tt_val params, const tt_adafactor_opts *o)
{
    char to[OPTIM_TEXT];
    if (!TT_CHECKED(tt_adafactor_opts, site, "adafactor", o) || !open(site, to, "adafactor", NULL, o, 0.01) ||
        !mask_used(site, "adafactor", o->mask, true, o->decay != 0))
        return tt_poison;
    GIVEN(to, "momentum", o, momentum);
    GIVEN(to, "decay_rate", o, rate_of_decay);
    GIVEN(to, "min_dim_size_to_factor", o, from);
    GIVEN(to, "clipping_threshold", o, threshold);
    GIVEN(to, "multiply_by_parameter_scale", o, by_scale);
    GIVEN(to, "weight_decay_rate", o, decay);
    GIVEN(to, "eps", o, eps);
    expand_word(to, "weight_decay_mask", o->mask);
    return close(site, params, to);
}

tt_val tt_lbfgs_at(const char *site, tt_val params, const tt_lbfgs_opts *o)
{
    char to[OPTIM_TEXT] = "lbfgs(";
    if (!TT_CHECKED(tt_lbfgs_opts, site, "lbfgs", o)) return tt_poison;
    if (o->rate != 0 || tt_given(o, "rate")) expand_number(to, "learning_rate", o->rate);
    if (o->memory) expand_number(to, "memory_size", o->memory);
    return close(site, params, to);
}

tt_val tt_lion_at(const char *site, tt_val params, const tt_lion_opts *o)
{
    char to[OPTIM_TEXT];
    if (!TT_CHECKED(tt_lion_opts, site, "lion", o) ||
        !open(site, to, "lion", "keras.Lion", o, 1e-4) ||
        !mask_used(site, o->keras ? "Keras's lion" : "lion", o->mask, !o->keras, true))
        return tt_poison;
    GIVEN(to, o->keras ? "beta_1" : "b1", o, b1);
    GIVEN(to, o->keras ? "beta_2" : "b2", o, b2);
    GIVEN(to, "weight_decay", o, decay);
    if (!o->keras) expand_word(to, "mask", o->mask);
    return close(site, params, to);
}

tt_val tt_lars_at(const char *site, tt_val params, const tt_lars_opts *o)
{
    char to[OPTIM_TEXT];
    if (!TT_CHECKED(tt_lars_opts, site, "lars", o) || !open(site, to, "lars", NULL, o, 0.01)) return tt_poison;
    if (!mask_used(site, "lars", o->mask, true, o->decay != 0) ||
        !mask_words(site, "lars", "trust_mask", o->trust_mask))
        return tt_poison;
    GIVEN(to, "weight_decay", o, decay);
    expand_word(to, "weight_decay_mask", o->mask);
    expand_word(to, "trust_ratio_mask", o->trust_mask);
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
    if (!expand_taken(site, "Keras's rmsprop", "nesterov", o->nesterov, !k, "") ||
        !expand_taken(site, "Keras's rmsprop", "initial", o->initial != 0, !k, "") ||
        !expand_taken(site, "Keras's rmsprop", "bias_correction", o->bias_correction, !k, "") ||
        !expand_taken(site, "Keras's rmsprop", "eps_outside", o->eps_outside, !k, "") ||
        !expand_taken(site, "rmsprop", "nesterov", o->nesterov, trace, " without .momentum"))
        return tt_poison;
    GIVEN(to, k ? "rho" : "decay", o, rho);
    GIVEN(to, k ? "epsilon" : "eps", o, eps);
    GIVEN(to, "momentum", o, momentum);
    GIVEN(to, "centered", o, centered);
    if (k) return close(site, params, to);
    GIVEN(to, "nesterov", o, nesterov);
    GIVEN(to, "initial_scale", o, initial);
    GIVEN(to, "bias_correction", o, bias_correction);
    if (o->eps_outside) expand_number(to, "eps_in_sqrt", 0);
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
