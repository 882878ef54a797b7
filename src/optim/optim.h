/* optim/optim.h - what the files of this room share: an optimizer is a chain of parts, each a row. */
#ifndef TUTTI_OPTIM_ROOM_H
#define TUTTI_OPTIM_ROOM_H

#include <tutti.h>

enum { OPTIM_LEAVES = 4096, OPTIM_PARTS = 16, OPTIM_KEYS = 12, OPTIM_FIELDS = 3, OPTIM_TEXT = 2048 };

typedef struct optim_part optim_part;

/* A step that is being taken: n leaves, their values and their updates (at first the gradients). */
typedef struct {
    const char *site;
    int n;
    tt_val *p, *u, *state;                               /* state: of the optimizer, set when the step is done */
    tt_val count, t;                                     /* steps before this one (i32); this one's number (f32) */
} optim_step;

/* What a part is. COUNTS: it keeps the count of steps. LINEAR: it takes complex numbers as well as real ones,
 * since it neither squares nor orders what goes through it. */
enum { COUNTS = 1, LINEAR = 2 };

/* keys: arguments in order, "b1=0.9 mask" (without "=" a word). fields: of its state, like the parameters; a "=name"
 * after them is one number, which begins with 1. begin: what all leaves need, into part->s. leaf: s->u[i] and the
 * fields' i-th leaves anew. start: what field f begins with. */
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
    char keys[256];                                      /* the names that its arguments by place have: the form's */
    double k[OPTIM_KEYS];                                /* its numbers, in the order of the row's keys */
    char field[OPTIM_FIELDS][32];                        /* its fields' names in the state: "mu", or "mu_1" */
    tt_val *f[OPTIM_FIELDS];                             /* their leaves */
    char number[16];                                     /* that number's name in the state; "": it has none */
    char rate[16];                                       /* its rate's name: "rate", "rate_1"; "": it has none */
    tt_val s[4];
};

extern const optim_rule optim_moments[], optim_scales[], optim_clips[], optim_keras[];   /* each ends with NULL */

/* Formulas at the site of the step's call. The names take the values in the order in which they first stand in the
 * formula: F("b*m + a*g", tt_f(0.9), p->f[0][i], tt_f(0.1), s->u[i]). */
#define F(formula, ...) optim_formula(s->site, formula, TT_LIST(tt_val, __VA_ARGS__, tt_end))
tt_val optim_formula(const char *site, const char *formula, const tt_val *v);

bool   optim_expand(const char *site, const char *text, char to[OPTIM_TEXT]);    /* whole optimizers as their parts */
size_t optim_rule_names(char *to, size_t size);          /* of whole optimizers, "sgd, adam"; as snprintf */
tt_val optim_schedule(const tt_form *, tt_val count);
bool   optim_takes(const optim_part *, const char *key, const char *path);       /* by the mask of that key, if any */
bool   optim_mask_ok(const optim_part *, const char *key, tt_val params);        /* false: a word matches no path */
tt_val optim_unbias(const optim_step *, double b, tt_val t);     /* 1 - b^t */
tt_val optim_rate(const optim_step *, optim_part *, const char *key);    /* the state's rate, or its schedule's */

#endif
