/* optim/optim.h - declarations shared by the files of this room: an optimizer is a chain of parts, each with its
 * rule. */
#ifndef TUTTI_OPTIM_ROOM_H
#define TUTTI_OPTIM_ROOM_H

#include <tutti.h>

enum { OPTIM_LEAVES = 4096, OPTIM_PARTS = 16, OPTIM_KEYS = 12, OPTIM_FIELDS = 3, OPTIM_NAMES = 320, OPTIM_TEXT = 2048 };

typedef struct optim_part optim_part;

/* A step in progress: n leaves, their values and updates (initially the gradients). */
typedef struct {
    const char *site;
    int n;
    tt_val *p, *u, *state;                               /* state: the optimizer's, set after the step */
    tt_val count, t;                                     /* count of previous steps (i32); this step's number (f32) */
} optim_step;

/* Kinds of parts. COUNTS: has the count of steps. LINEAR: accepts complex numbers as well as real ones, since the part
 * neither squares nor compares them. */
enum { COUNTS = 1, LINEAR = 2 };

/* A part's rule. keys: arguments in order, "b1=0.9 nesterov?=0 mask" (without "=": a word; "?": a flag). fields: of
 * its state, each a tree like the parameters; a "=name" after them is one number, which begins as 1. begin: computes
 * what all leaves need, into part->s. leaf: updates s->u[i] and the i-th leaves of the fields. start: the initial
 * value of field f. */
typedef struct {
    const char *name, *keys, *fields;
    int is;                                              /* COUNTS, LINEAR, both */
    void (*begin)(optim_step *, optim_part *);
    void (*leaf)(optim_step *, optim_part *, int i);
    double (*start)(const optim_part *, int f);
} optim_rule;

struct optim_part {
    const optim_rule *rule;
    tt_form form;
    char keys[OPTIM_NAMES];                              /* names of positional arguments, for the form */
    double k[OPTIM_KEYS];                                /* its numbers, in the order of the rule's keys */
    char field[OPTIM_FIELDS][32];                        /* the fields' names in the state: "mu", or "mu_1" */
    tt_val *f[OPTIM_FIELDS];                             /* their leaves */
    char number[16];                                     /* the number's name in the state; "": none */
    char rate[16];                                       /* the rate's name: "rate", "rate_1"; "": none */
    tt_val s[4];
};

extern const optim_rule optim_moments[], optim_scales[], optim_clips[], optim_keras[];   /* each ends with NULL */

/* Formulas at the site of the step's call. Names take the values in the order of first occurrence: F("b*m + a*g",
 * tt_f(0.9), p->f[0][i], tt_f(0.1), s->u[i]). */
#define F(formula, ...) optim_formula(s->site, formula, TT_LIST(tt_val, __VA_ARGS__, tt_end))
tt_val optim_formula(const char *site, const char *formula, const tt_val *v);

/* complete optimizers into their parts */
bool   optim_expand(const char *site, const char *text, char to[OPTIM_TEXT]);
bool   optim_is_rule(const tt_form *);                   /* True if the form's name is of a complete optimizer */
size_t optim_rule_names(char *to, size_t size);          /* of complete optimizers, "sgd, adam"; as snprintf */
/* Binds the keys of a rule, "every=1 use_grad_mean?": `names` gets them without defaults and marks, and must live as
 * long as the form. True if each flag that is given is 0, 1, False, True or None; else an error. */
bool   optim_keys(tt_form *, const char *keys, char names[OPTIM_NAMES]);
tt_val optim_schedule(const tt_form *, tt_val count);
/* True if the mask under that key, if any, selects the path */
bool   optim_takes(const optim_part *, const char *key, const char *path);
bool   optim_mask_ok(const optim_part *, const char *key, tt_val params);        /* false: a word matches no path */
tt_val optim_unbias(const optim_step *, double b, tt_val t);     /* 1 - b^t */
tt_val optim_rate(const optim_step *, optim_part *, const char *key);    /* the state's rate, or the schedule's value */

#endif
