/* optim/optim.h - declarations shared by the files of this room: an optimizer is a chain of parts, each with its
 * rule. */
#ifndef TUTTI_OPTIM_ROOM_H
#define TUTTI_OPTIM_ROOM_H

#include <tutti.h>

enum { OPTIM_LEAVES = 4096, OPTIM_PARTS = 16, OPTIM_KEYS = 12, OPTIM_FIELDS = 4, OPTIM_NAMES = 320, OPTIM_TEXT = 4096 };

typedef struct optim_part optim_part;

/* A step in progress: n leaves, their values and updates (initially the gradients). */
typedef struct {
    const char *site;
    int n;
    tt_val *p, *u, *state;                               /* state: the optimizer's, set after the step */
    tt_val count, t;                                     /* count of previous steps (i32); this step's number (f32) */
    tt_val params;                                       /* the parameters as a tree */
    bool *on;                                            /* leaves to which the part in progress applies */
    const tt_val *value;                                 /* the loss at params; NULL: not given */
    const tt_val *grads;                                 /* its gradients, with which the step began */
    const tt_fn *loss; tt_val args; int nargs;           /* the loss of (parameters, args...), args a tuple; NULL: not
                                                          * given */
} optim_step;

/* Kinds of parts. COUNTS: has the count of steps. LINEAR: accepts complex numbers as well as real ones, since the part
 * neither squares nor compares them. LOSS: reads the loss; SEARCH: evaluates it elsewhere. */
enum { COUNTS = 1, LINEAR = 2, LOSS = 4, SEARCH = 8 };

/* A part's rule. keys: arguments in order, "b1=0.9 nesterov?=0 mask" (without "=": a word; "?": a flag). fields: of
 * its state, each a tree like the parameters; a "=name" after them is one number, which begins as 1. begin: computes
 * what all leaves need, into part->s. leaf: updates s->u[i] and the i-th leaves of the fields. start: the initial
 * value of field f. shaped: the initial leaf of field f for the leaf v, where it has a shape of its own (a value with
 * slot and birth 0: as v), and with f = -1 the initial value of what is after "=", for all parameters v. */
typedef struct {
    const char *name, *keys, *fields;
    int is;                                              /* COUNTS, LINEAR, both */
    void (*begin)(optim_step *, optim_part *);
    void (*leaf)(optim_step *, optim_part *, int i);
    double (*start)(const optim_part *, int f);
    tt_val (*shaped)(const char *site, const optim_part *, int f, tt_val v);
} optim_rule;

struct optim_part {
    const optim_rule *rule;
    tt_form form;
    char keys[OPTIM_NAMES];                                      /* names of positional arguments, for the form */
    double k[OPTIM_KEYS];                                /* its numbers, in the order of the rule's keys */
    char field[OPTIM_FIELDS][32];                        /* the fields' names in the state: "mu", or "mu_1" */
    tt_val *f[OPTIM_FIELDS];                             /* their leaves */
    char number[16];                                     /* the number's name in the state; "": none */
    char rate[16];                                       /* the rate's name: "rate", "rate_1"; "": none */
    tt_val s[4];
};

/* A chain, and what is around it (optim/wrap.c). every > 0: gradients are gathered first: their mean, or their sum.
 * finite >= 0: steps with gradients that are not finite are left out, up to so many in a row. sync > 0: lookahead.
 * ema > 0: the mean of the parameters is kept. */
typedef struct {
    int n, every, finite, sync;
    bool sum, finite_set;
    double slow, ema;
    optim_part part[OPTIM_PARTS];
} optim_chain;

extern const optim_rule optim_moments[], optim_scales[], optim_clips[], optim_keras[],   /* each ends with NULL */
    optim_more[], optim_factors[], optim_losses[], optim_lines[], optim_bfgs[], optim_memories[];

/* Reads the text of a chain into c, which is all zeros; false with the error set. */
bool   optim_read(const char *site, const char *text, optim_chain *);
bool   optim_is_form(const tt_form *, const char *key);  /* True if the value is itself a form: a schedule */
/* True if the schedule is valid; else sets the error. */
bool   optim_schedule_ok(const optim_part *, const char *key);
tt_dtype optim_dtype(const optim_part *, const char *key);       /* 0: not given */
/* Reads the form if it is what is around a chain: 1; 0: it is not; -1 with the error set. */
int    optim_wrapper(optim_chain *, tt_form *);
/* What is around a chain: the names of its state, its state, a step within it, and what follows a step. buffer: for
 * trees of leaves. */
const char *optim_wrap_names(const optim_chain *);
void   optim_wrap_state(const char *site, const optim_chain *, tt_val params, tt_val *state);
bool   optim_wrapped(optim_step *, optim_chain *, tt_val *buffer, const bool *frozen);
bool   optim_wrap_after(optim_step *, const optim_chain *, const bool *frozen, tt_val *buffer);
/* True if the chain's state has a count of the steps. */
bool   optim_counts(const optim_chain *);
/* True if the chain has all names of the state; else sets the error, which lists those that no part would read. */
bool   optim_names_ok(const char *site, const optim_chain *, tt_val state);
/* Runs all parts in order: s->u becomes the updates of s->p. */
bool   optim_run(optim_step *, optim_chain *, tt_val *buffer, const bool *frozen);
/* A step with the loss in *s, or none. */
void   optim_step_of(optim_step s, tt_val *params, tt_val *opt, tt_val grads);
/* The leaves of a tree that must match the parameters leaf by leaf. */
bool   optim_leaves(const char *site, const char *what, tt_val params, tt_val tree, tt_val *to);
/* The sum over the leaves of the part in progress of the products of a and b. */
tt_val optim_dot(const optim_step *, const tt_val *a, const tt_val *b);
tt_val optim_zeros(const char *site, tt_val params);     /* a tree like params; frozen leaves have no elements */
/* Zeros in v's shape and layout, also where v is infinite or NaN. */
tt_val optim_zeros_like(const char *site, tt_val v, tt_dtype d);
/* A field from its leaves: a tree like params; leaves of another rank than the parameter's have no logical axes. */
tt_val optim_field(const char *site, tt_val params, const tt_val *leaf);
/* masked(...) and partition(...) in the text of an optimizer, as parts with only=words. */
bool   optim_groups(const char *site, const tt_form *, char to[OPTIM_TEXT]);
/* True if each parameter is in one group of each partition of the text; else sets the error. */
bool   optim_groups_ok(const char *site, const char *text, tt_val params);

/* Formulas at the site of the step's call. Names take the values in the order of first occurrence: F("b*m + a*g",
 * tt_f(0.9), p->f[0][i], tt_f(0.1), s->u[i]). */
#define F(formula, ...) optim_formula(s->site, formula, TT_LIST(tt_val, __VA_ARGS__, tt_end))
tt_val optim_formula(const char *site, const char *formula, const tt_val *v);

/* complete optimizers into their parts */
bool   optim_expand(const char *site, const char *text, char to[OPTIM_TEXT]);
__attribute__((format(printf, 2, 3)))
void   optim_add(char to[OPTIM_TEXT], const char *fmt, ...);     /* appends; a text that is too long is cut */
bool   optim_is_rule(const tt_form *);                   /* True if the form's name is of a complete optimizer */
size_t optim_rule_names(char *to, size_t size);          /* of complete optimizers, "sgd, adam"; as snprintf */
/* Binds the keys of a rule, "every=1 use_grad_mean?": `names` gets them without defaults and marks, and must live as
 * long as the form. True if each flag that is given is 0, 1, False, True or None; else an error. */
bool   optim_keys(tt_form *, const char *keys, char names[OPTIM_NAMES]);
tt_val optim_schedule(const tt_form *, tt_val count);
/* true if the mask under that key, if any, selects the path */
bool   optim_takes(const optim_part *, const char *key, const char *path);
bool   optim_mask_ok(const optim_part *, const char *key, tt_val params);        /* false: a word matches no path */
tt_val optim_unbias(const optim_step *, double b, tt_val t);     /* 1 - b^t */
tt_val optim_rate(const optim_step *, optim_part *, const char *key);    /* the state's rate, or the schedule's value */

#endif
