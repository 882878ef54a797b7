/* oracle/oracle.h - the golden runner: what the files of kinds share. A kind reads its case and gives values to
 * compare. */
#ifndef TUTTI_TESTS_ORACLE_H
#define TUTTI_TESTS_ORACLE_H

#include <jansson.h>
#include <tutti.h>

typedef struct oracle_suite oracle_suite;
typedef struct {
    const oracle_suite *suite;
    const char *id, *kind, *fn;
    json_t *json, *params;
    int nin, nout;
    bool refused, user, known;       /* must be refused; runs as users run; is on the list of what is known to miss */
    int failed, skipped, compared;                       /* set by the functions below */
} oracle_case;

typedef struct { const char *kind; void (*run)(oracle_case *); } oracle_kind;
extern const oracle_kind oracle_kinds[];                 /* ends with NULL */

/* Reading a case. Absent: the usual value. */
const char *oracle_text(const json_t *object, const char *key, const char *usual);
double  oracle_real(const json_t *object, const char *key, double usual);        /* "inf" and "-inf" too */
int64_t oracle_int(const json_t *object, const char *key, int64_t usual);
bool    oracle_flag(const json_t *object, const char *key);
bool    oracle_has(const json_t *object, const char *key);                       /* there and not null */
int     oracle_dims(const json_t *object, const char *key, int64_t *dim);        /* ends with TT_DIM_END; -1: absent */
tt_dtype oracle_dtype(const char *numpy_name);           /* 0: unknown */
/* Meshes and specs: "data=4,model=2" to "data:4, model:2"; "data,-" to "data, _". Lives till the next call but
 * seven. */
const char *oracle_notation(const char *text);

const char *oracle_suite_dir(const oracle_suite *);

/* Arrays. */
tt_val  oracle_in(oracle_case *, int i);
int64_t oracle_named_dims(oracle_case *, const char *name, int64_t *dim);        /* rank; -1: no such array */
tt_val  oracle_array(oracle_case *, const char *name);
const char *oracle_out_name(oracle_case *, int i);

/* Verdicts. */
void oracle_expect(oracle_case *, int i, tt_val got);    /* against output i, within the case's tolerance */
void oracle_expect_array(oracle_case *, const char *what, tt_val got, tt_val want);
void oracle_expect_near(oracle_case *, const char *what, tt_val got, tt_val want, double rtol, double atol);
void oracle_expect_counts(oracle_case *, int i, tt_val got, int64_t slack);      /* integers, off by slack at most */
void oracle_expect_text(oracle_case *, const char *got); /* against `text` */
void oracle_expect_log(oracle_case *, const char *got);  /* the same, but for numbers, which are within the tolerance */
void oracle_fail(oracle_case *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void oracle_unknown(oracle_case *, const char *what);    /* fails: a kind or function that the runner does not know */
void oracle_skip(oracle_case *, const char *what);       /* the whole case: what it needs is not on this machine */
/* One output of the case for which the library has no answer; told by name, and counted. */
void oracle_not_compared(oracle_case *, const char *what, const char *why);

void oracle_sha256(const void *, size_t n, char hex[65]);

#endif
