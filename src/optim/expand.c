/* optim/expand.c - complete optimizers as chains of parts, with optax's names and defaults.
 *
 * A rule of the table gives the arguments of an optimizer ("nesterov?" is a flag) and its parts. In a part, "b1"
 * passes an argument on if it is given, "a<b" passes b as a, "a=x" has a default of its own. Conditions before a part:
 * "has:" the argument is given and neither 0 nor False nor None; "!has:" it is not; "?has:" it is given, even as 0;
 * "!?has:" it is not given; "+has:" it is not given as False or None. */
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
      "~clipping_threshold: clip_by_block_rms(threshold<clipping_threshold=1); "
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

void optim_add(char to[OPTIM_TEXT], const char *fmt, ...)
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
    if (tt_ok() && x != 0 && x != 1) tt_form_fail(f, v, "%s = %g; expected 0 or 1", flag, x);
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

/* True if the condition holds: "centered+!momentum"; "+factor": factor is not given, or not 0; "~factor": it is not
 * given, or not None, so that a 0 is passed on. */
static bool expand_holds(const tt_form *f, const char *text, size_t n)
{
    if (*text == '+' || *text == '~') {
        char key[48];
        snprintf(key, sizeof key, "%.*s", (int)n - 1, text + 1);
        const tt_span v = tt_form_value(f, key);
        return !v.p || !(*text == '~' ? expand_is_none(v) : expand_is_zero(f, key));
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
    optim_add(to, "%s%s=%s", *some ? ", " : "", name, word);
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
            optim_add(to, "%s%.*s(", *to ? "; " : "", (int)(p + name - own), own);
            for (const char *a = p + name + 1; *a && *a != ')'; a += strspn(a, " ")) {
                const size_t n = strcspn(a, " )");
                pass_on(f, a, n, &some, to);
                a += n;
            }
            optim_add(to, ")");
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
            optim_add(to, "%s%.*s%s", *to ? "; " : "", n, begin, begin[n - 1] == ')' ? "" : "()");
        } else if (optim_keys(&f, rules[i].keys, names)) write_parts(&f, rules[i].parts, to);
        else return false;
        if (!tt_ok()) return false;
        if (*at && *at != ';') return tt_form_fail(&f, (tt_span){ at, 1 }, "expected ';' between two parts"), false;
        at += *at == ';';
        at += strspn(at, " ");
    }
    if (strlen(to) + 1 < OPTIM_TEXT) return true;
    return tt_fail_at(site, TT_EARG, "optimizer: the text is longer than %d characters", OPTIM_TEXT - 1), false;
}
