/* tutti/explain.h - what a function will do before it runs: what moves between devices and why, and what memory and
 * communication it takes, on meshes that need not exist.
 *
 *     const tt_report *r = tt_explain(step, s, x, y);
 *     puts(r->text);
 *     assert(tt_exchanges(r, "all-gather") == 0);          // no parameter is gathered
 *
 *     tt_mesh big = tt_mesh("data:4096, model:16");        // 65,536 devices: nothing is allocated for them
 *     tt_val  x   = tt_shard(tt_shape(TT_F32, 1 << 20, 256), big, "data, _");
 *     puts(tt_plan(step, tt_eval_shape(init, key, x), x)->text);
 *
 * Arguments may be values or shapes (tt_shape, tt_like, tt_eval_shape of a jit on a mesh, which have layouts). Reports
 * live until the current scope closes. On the command line: tutti explain FILE, tutti plan FILE [--mesh "data:4096,
 * model:16"]; in a running program: TUTTI=explain, TUTTI=memory, and TUTTI=strict[:bytes], as tt_jit's .strict. */
#include <tutti.h>
#ifndef TUTTI_EXPLAIN_H
#define TUTTI_EXPLAIN_H

#ifdef __cplusplus
extern "C" {
#endif

/* One exchange: a value that is laid out otherwise than the line that reads it wants, or a sum that is finished. */
typedef struct tt_exchange {
    /* all-gather, reduce-scatter, all-reduce, all-to-all, permute, halo, mixed; or slice, which moves nothing */
    const char *kind;
    const char *axes;                /* mesh axes that something crosses: "data+model" */
    const char *site, *why;          /* the line that wants it; as what: "operand 1 of dot_general" */
    const char *from, *to;           /* specs */
    int64_t bytes, moved;            /* of the whole value; received by a device, at most, each time */
    int64_t times;                   /* how often a call does it; 0: not known */
    double seconds;                  /* each time, by the cost model */
    int requested;                   /* the user wrote this one */
    const char *from_cause, *from_site; /* who laid it so: "argument 0" and a line; "": nobody */
    const char *to_cause, *to_site;          /* who wants it otherwise */
    const char *fix;                 /* what would avoid it; "": nothing is known */
} tt_exchange;
typedef struct tt_report {
    int n; const tt_exchange *at;    /* in program order */
    double moved, seconds;           /* received by a device, and by the model, in a call; unknown times count once */
    const char *text;                /* all of this for people */
} tt_report;
#define tt_explain(...)      TT_EXPLAIN_(TT_AT("tt_explain(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_EXPLAIN_(at, f, ...) tt_explain_at(at, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
TT_API const tt_report *tt_explain_at(const char *site, tt_fn f, const tt_val *args);    /* an error: an empty one */
/* How many of a kind; kind NULL: all but slices. 0 of an empty one. */
TT_API int tt_exchanges(const tt_report *r, const char *kind);

/* Memory of the device that holds most, in bytes, and its communication. peak: arguments, results, constants and the
 * arena of temporaries. reused: results in the place of donated arguments. line: who fills the arena at its fullest,
 * largest first. */
typedef struct tt_line_bytes { const char *site; int64_t bytes; } tt_line_bytes;
typedef struct tt_budget {
    int64_t devices, arguments, results, reused, constants, arena, peak;
    int nline; const tt_line_bytes *line;
    const tt_report *report;
    const char *text;
} tt_budget;
#define tt_plan(...)         TT_PLAN_(TT_AT("tt_plan(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_PLAN_(at, f, ...) tt_plan_at(at, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
TT_API const tt_budget *tt_plan_at(const char *site, tt_fn f, const tt_val *args);       /* an error: an empty one */

#ifdef __cplusplus
}
#endif

#endif
