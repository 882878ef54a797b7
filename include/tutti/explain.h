/* tutti/explain.h - what a function does before it runs: which data moves between devices and why, and how much memory
 * and communication the function needs, on meshes that need not exist.
 *
 *     const tt_report *r = tt_explain(step, s, x, y);
 *     puts(r->text);
 *     assert(tt_exchanges(r, "all-gather") == 0);          // no parameter is gathered
 *
 *     tt_mesh big = tt_mesh("data:4096, model:16");        // 65,536 devices: nothing is allocated for them
 *     tt_val  x   = tt_shard(tt_shape(TT_F32, 1 << 20, 256), big, "data, _");
 *     puts(tt_plan(step, tt_eval_shape(init, key, x), x)->text);
 *
 * Arguments may be values or shapes (tt_shape, tt_like, or tt_eval_shape of a jit on a mesh, which have layouts).
 * Reports live until the current scope closes. On the command line: tutti explain FILE, tutti plan FILE [--mesh
 * "data:4096, model:16"]; in a running program: TUTTI=explain, TUTTI=memory, and TUTTI=strict[:bytes], as tt_jit's
 * .strict.
 *
 * TUTTI=hosts:N, or --hosts N, divides the devices of each mesh among N machines, as many to each (else it is an
 * error); TUTTI=link:10us+5GB/s, or --link "10us, 5GB/s", gives the latency and bandwidth between machines (without it
 * 10us+12.5GB/s). The cost model then prefers layouts whose exchanges stay within a machine, and reports list the bytes
 * from other machines separately. */
#include <tutti.h>
#ifndef TUTTI_EXPLAIN_H
#define TUTTI_EXPLAIN_H

#ifdef __cplusplus
extern "C" {
#endif

/* One exchange: a change of a value's layout to the one that its consumer needs, or the completion of a partial sum. */
typedef struct tt_exchange {
    /* all-gather, reduce-scatter, all-reduce, all-to-all, permute, halo, mixed; or slice, which moves nothing */
    const char *kind;
    const char *axes;                /* mesh axes across which data moves: "data+model" */
    const char *site, *why;          /* the consumer's line; its use: "operand 1 of dot_general" */
    const char *from, *to;           /* specs */
    int64_t bytes, moved;            /* bytes of the global value; bytes received per device and execution, at most */
    int64_t times;                   /* executions per call; 0: unknown */
    double seconds;                  /* per execution, by the cost model */
    int requested;                   /* 1: requested by the user */
    const char *from_cause, *from_site; /* origin of the source layout: "argument 0" and a line; "": none */
    const char *to_cause, *to_site;          /* origin of the required layout */
    const char *fix;                 /* a change that would avoid it; "": none known */
    int64_t between; double between_seconds; /* of moved and seconds: what comes from other hosts (TUTTI=hosts:N) */
} tt_exchange;
typedef struct tt_report {
    int n; const tt_exchange *at;    /* in program order */
    double moved, seconds;           /* per call: bytes received per device, modelled time; unknown times count once */
    const char *text;                /* the full report, for people */
    double between, between_seconds; /* of moved and seconds: what comes from other hosts */
} tt_report;
#define tt_explain(...)      TT_EXPLAIN_(TT_AT("tt_explain(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_EXPLAIN_(at, f, ...) tt_explain_at(at, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
/* on an error: an empty report */
TT_API const tt_report *tt_explain_at(const char *site, tt_fn f, const tt_val *args);
/* The number of exchanges of a kind; kind NULL: all except slices. An empty report: 0. */
TT_API int tt_exchanges(const tt_report *r, const char *kind);

/* Memory of the device that needs the most, in bytes, and its communication. peak: arguments, results, constants and
 * the arena of temporaries. reused: results in the memory of donated arguments. line: the lines whose values fill the
 * arena when it is fullest, largest first. */
typedef struct tt_line_bytes { const char *site; int64_t bytes; } tt_line_bytes;
typedef struct tt_budget {
    int64_t devices, arguments, results, reused, constants, arena, peak;
    int nline; const tt_line_bytes *line;
    const tt_report *report;
    const char *text;
} tt_budget;
#define tt_plan(...)         TT_PLAN_(TT_AT("tt_plan(" #__VA_ARGS__ ")"), __VA_ARGS__, tt_end)
#define TT_PLAN_(at, f, ...) tt_plan_at(at, TT_FN(f), TT_LIST(tt_val, __VA_ARGS__))
TT_API const tt_budget *tt_plan_at(const char *site, tt_fn f, const tt_val *args);  /* on an error: an empty budget */

#ifdef __cplusplus
}
#endif

#endif
