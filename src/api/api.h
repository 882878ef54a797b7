/* api/api.h - declarations shared by the files of this room: entries, and the only place that prints.
 *
 * Every public function is an entry: its body runs within a catch, so that an unwinding never crosses a user's frame,
 * and an error that the body sets is reported once, when the entry returns. VAL2(tt_matmul, tt_val, a, tt_val, b) { ...
 * } defines tt_matmul_at(); in the body, `site` is interned. */
#ifndef TUTTI_API_H
#define TUTTI_API_H

#include "../trace/trace.h"

void api_enter(void (*body)(void *), void *arg);         /* first call: reads TUTTI; last: reports */
static inline tt_val api_handle(trace_value *v) { return v ? trace_handle(v) : trace_poison; } /* takes the reference */

#define API_SITE TT_UNUSED base_site site
#define ENTRY0(T, bad, name)                                                                                           \
    static T name##_do(API_SITE);                                                                                      \
    struct name##_args { const char *site; T out; };                                                                   \
    static void name##_run(void *p) { struct name##_args *x = p; x->out = name##_do(trace_site(x->site)); }            \
    T name##_at(const char *site) { struct name##_args x_ = { site, bad }; api_enter(name##_run, &x_); \
    return x_.out; } \
    static T name##_do(API_SITE)
#define ENTRY1(T, bad, name, A, a)                                                                                     \
    static T name##_do(API_SITE, A a);                                                                                 \
    struct name##_args { const char *site; A a_; T out; };                                                             \
    static void name##_run(void *p) { struct name##_args *x = p; x->out = name##_do(trace_site(x->site), x->a_); }     \
    T name##_at(const char *site, A a) { struct name##_args x_ = { site, a, bad }; api_enter(name##_run, &x_); \
    return x_.out; } \
    static T name##_do(API_SITE, A a)
#define ENTRY2(T, bad, name, A, a, B, b)                                                                               \
    static T name##_do(API_SITE, A a, B b);                                                                            \
    struct name##_args { const char *site; A a_; B b_; T out; };                                                       \
    static void name##_run(void *p) { struct name##_args *x = p; \
    x->out = name##_do(trace_site(x->site), x->a_, x->b_); \
    } \
    T name##_at(const char *site, A a, B b) { struct name##_args x_ = { site, a, b, bad }; api_enter(name##_run, &x_); \
    return x_.out; } \
    static T name##_do(API_SITE, A a, B b)
#define ENTRY3(T, bad, name, A, a, B, b, C, c)                                                                         \
    static T name##_do(API_SITE, A a, B b, C c);                                                                       \
    struct name##_args { const char *site; A a_; B b_; C c_; T out; };                                                 \
    static void name##_run(void *p) { struct name##_args *x = p; x->out = name##_do(trace_site(x->site), x->a_, \
    x->b_, x->c_); } \
    T name##_at(const char *site, A a, B b, C c)                                                                       \
    { struct name##_args x_ = { site, a, b, c, bad }; api_enter(name##_run, &x_); return x_.out; }                     \
    static T name##_do(API_SITE, A a, B b, C c)
#define ENTRY4(T, bad, name, A, a, B, b, C, c, D, d)                                                                   \
    static T name##_do(API_SITE, A a, B b, C c, D d);                                                                  \
    struct name##_args { const char *site; A a_; B b_; C c_; D d_; T out; };                                           \
    static void name##_run(void *p) { struct name##_args *x = p; x->out = name##_do(trace_site(x->site), x->a_, x->b_, \
    x->c_, x->d_); } \
    T name##_at(const char *site, A a, B b, C c, D d)                                                                  \
    { struct name##_args x_ = { site, a, b, c, d, bad }; api_enter(name##_run, &x_); return x_.out; }                  \
    static T name##_do(API_SITE, A a, B b, C c, D d)
#define ENTRY5(T, bad, name, A, a, B, b, C, c, D, d, E, e)                                                             \
    static T name##_do(API_SITE, A a, B b, C c, D d, E e);                                                             \
    struct name##_args { const char *site; A a_; B b_; C c_; D d_; E e_; T out; };                                     \
    static void name##_run(void *p) { struct name##_args *x = p; x->out = name##_do(trace_site(x->site), \
        x->a_, x->b_, x->c_, x->d_, x->e_); } \
    T name##_at(const char *site, A a, B b, C c, D d, E e)                                                             \
    { struct name##_args x_ = { site, a, b, c, d, e, bad }; api_enter(name##_run, &x_); return x_.out; }               \
    static T name##_do(API_SITE, A a, B b, C c, D d, E e)
#define VAL0(name)                               ENTRY0(tt_val, trace_poison, name)
#define VAL1(name, A, a)                         ENTRY1(tt_val, trace_poison, name, A, a)
#define VAL2(name, A, a, B, b)                   ENTRY2(tt_val, trace_poison, name, A, a, B, b)
#define VAL3(name, A, a, B, b, C, c)             ENTRY3(tt_val, trace_poison, name, A, a, B, b, C, c)
#define VAL4(name, A, a, B, b, C, c, D, d)       ENTRY4(tt_val, trace_poison, name, A, a, B, b, C, c, D, d)
#define VAL5(name, A, a, B, b, C, c, D, d, E, e) ENTRY5(tt_val, trace_poison, name, A, a, B, b, C, c, D, d, E, e)

/* ---- helpers of the array functions ---- */

/* Length of a list up to tt_end; -1 with the error set: the list is NULL. */
int  api_list(base_site, const char *what, const tt_val *list);
/* The n values of a list, until the entry ends; NULL with the error set. */
trace_value **api_values(base_site, int n, const tt_val *);
/* checkpoint.c: a policy of tt_remat, checked and without blanks before its names; NULL for NULL. */
bool api_remat_policy(base_site, const char *text, base_name *policy);
/* length up to TT_DIM_END; -1 with the error set */
int  api_dims(base_site, const char *what, const int64_t *dims, int64_t *out);
/* The function that the user's line calls, "tt_zeros" where tt_full_at runs */
const char *api_call_name(base_site, const char *otherwise);
/* True if x to the n has x's type: an integer has no negative powers, which set the error. */
bool api_power(base_site, trace_value *x, int64_t n);
/* True if elements of part may be stored in whole without loss; otherwise a tt_cast is required. A C number is accepted
 * if whole's type has its value, such as 2.0 for integers. */
bool api_goes_into(base_site, const char *what, trace_value *part, trace_value *whole);
/* negative dims count from the end; -1 with the error set */
int  api_dim(base_site, const char *what, const trace_value *, int dim);
/* ---- options: one table of all option structs, generated from the headers ---- */

typedef struct api_option_struct api_option_struct;
typedef struct {
    const char *name;
    const api_option_struct *inner;                      /* for API_INNER: the nested option struct */
    size_t offset;
    enum { API_TEXT, API_POINTER, API_NUMBER, API_INT, API_LONG, API_DTYPE, API_MESH, API_VALUE, API_INNER } kind;
    enum { API_ANY, API_FROM_1, API_ABOVE_0 } least;     /* the least value that may be given */
    int n;                                               /* number of elements of an array; else 1 */
} api_option;
struct api_option_struct { const char *type; size_t size; int n; const api_option *field; const void *none; };
#define OPTION_BEGIN(T) extern const api_option_struct T##_are;
#define OPTION(...)
#define OPTION_INNER(...)
#define OPTION_END(T)
#define OPTION_SORTED(T)
#include <api/options.h>
#undef OPTION_BEGIN
#undef OPTION
#undef OPTION_INNER
#undef OPTION_END
#undef OPTION_SORTED
const api_option_struct *api_option_struct_of(const char *type);         /* "tt_reduce_opts"; NULL: unknown */
/* The options of a call, all defaults where o is NULL. NULL with the error set: the struct is of another version, an
 * argument was passed in the place of an option, a text or value is given as 0, or a count is out of range. */
const void *api_options(base_site, const char *what, const api_option_struct *, const void *o);
#define API_OPTIONS(site, what, T, o) (((o) = (const T *)api_options(site, what, &T##_are, o)) != NULL)

/* One array in, one array out, through a piece of IR. NULL with the error set. */
trace_value *api_piece1(base_site, trace_body *, const void *env, size_t size, trace_value *x);
/* Promotes arrays to one dtype (shapes stay); new references in place. */
bool api_together(base_site, int n, trace_value **x);
trace_value *api_cast(base_site, trace_value *, tt_dtype);
/* The start of a dynamic slice as i32: a negative index of a signed type counts from the end, as in lax. */
ir_id api_start(ir_build *, ir_id from, int64_t size);
/* Reads dims that an argument lists, "2, 0", each once, and gives their number in n. False with the error set. */
bool api_dims_argument(base_site, const char *what, const trace_value *x, const char *text, int *n);
bool api_padding(base_site, const char *what, const char *pad, int n, const int64_t *size, const int64_t *window,
                 const int64_t *stride, int64_t *low, int64_t *high);
/* True if the option is not given, or has n numbers, one per spatial dim; else sets the error. */
bool api_per_dim(base_site, const char *what, const char *option, int n, const int64_t x[8]);
bool api_good_mesh(base_site, const char *what, tt_mesh);        /* False with the error set: no mesh */
bool api_mesh_sizes_used(void);          /* false with the error set: TUTTI=mesh names an axis that no mesh has */
/* True if t is a dtype, and the call that the site shows has no number in the dtype's place, as tt_zeros(3, 4) has;
 * else sets the error, which `what` begins. */
bool api_dtype(base_site, const char *what, tt_dtype t);
/* True if memory of this C type (NULL: unknown) fits the dtype, and if an array of `capacity` bytes (0: unknown) is
 * large enough. value: the value's text for the message. False with the error set. */
bool api_memory_type(base_site, const char *call, const char *type, tt_dtype, const char *value);
bool api_check_capacity(base_site, const char *call, size_t capacity, size_t bytes, const char *value);

/* ---- output ---- */

const char *api_keep_text(const char *text);             /* lives as long as the program */
const char *api_late_text(const char *text);             /* until 1,024 later ones of this thread; may unwind */
void api_line(const char *line);                         /* to stdout, above the progress bar */
void api_line_here(const char *line);                    /* likewise, on every rank, after its number */
/* The elements of a box (a range of a value) as tt_value_text has them, or each by C's format `form`, of a double, or
 * with "ll" of an unsigned long long. */
const char *api_box_text(base_arena *, const ir_box *, const char *form);
/* A call of a function of C on the leaves of x (callback.c): emits or runs the primitive. out: NULL, or new references
 * of its results. */
bool api_host_call(base_site, const op_prim *, const op_host_attr *, trace_value *x, trace_value **out);
/* Of a function of the program; once: in a job rank 0 calls it for all. */
op_host_attr api_callback_attr(bool once, tt_callback_f *, void *env, base_name name);
bool api_vmap_method(base_site, const char *what, const char *word, int64_t *method);  /* NULL: none */
/* The values of such a call; result: their types and tree, tt_end: none. Poison with the error set. */
tt_val api_callback_results(base_site, const char *what, const op_prim *, op_host_attr, tt_val result, tt_val x);
bool api_report_there(base_site);                        /* False with the error set: no such descriptor */
void api_output_begin(void);                             /* keeps files off the numbers of closed standard streams */
int  api_output_end(void);                               /* the code of lines that were not written, after a message */
void api_report_line(const char *line);                  /* for base_log: likewise, or to TUTTI=report:N */
void api_bar_hide(void), api_bar_show(void);             /* around other output */
void api_interrupt_watch(void);
bool api_interrupted(void);                              /* True if Ctrl-C was pressed, ever */
void api_interrupt_forget(void);                         /* loops continue */
void api_report_interrupt(base_site);
/* For the program's exit status (exit.c): an error was reported, cleared, read; a handler for errors is set. */
void api_exit_watch(void);
void api_exit_now(int code);                             /* a rank whose job cannot go on; does not return */
void api_error_met(int code), api_error_cleared(void), api_error_read(void);
bool api_error_handled(void);

/* A rank of a job (process.c). */
bool api_process_begin(void);                            /* joins if TUTTI=ranks says so; false with the error set */
/* engine.c: opens the library that TUTTI=pjrt names, once; false with the error set, and the switch is off. */
bool api_engine_begin(base_site);
bool api_process_prints(void);                           /* True if the library's output is printed here */
const char *api_process_prefix(char to[16], bool always); /* "[2] " under TUTTI=ranks:all or always, else "" */
void api_process_error_met(int code, const char *text), api_process_error_cleared(void);
/* True if the error waits for the end of the program, since rank 0 prints it. */
bool api_process_defers(int code, const char *text);
/* A copy of the elements of a leaf, or of its box [lo, lo + n), until the entry ends; NULL with the error set. */
void *api_host_elements(base_site, trace_value *, const int64_t *lo, const int64_t *n);
/* Takes the array as a value in the place of a leaf; NULL gives NULL. */
trace_value *api_concrete_like(base_site, run_array *, const trace_value *like);
bool api_is_local(const mesh_layout *);                  /* True if all devices of the layout are this rank's */
/* The box around what a rank holds of a value: [lo, hi) per dim (local_data.c). */
void api_rank_box(const ir_type *, const mesh_layout *, int rank, int64_t *lo, int64_t *hi);
/* True if all ranks give this text; else sets the error with the hint, on all ranks: "WHAT: rank 0 gives NOUN TEXT,
 * rank 3 TEXT" (multihost.c). */
bool api_same_text(base_site, const char *what, const char *noun, const char *text, const char *hint);
/* True if all ranks give the same values here, to the bit, and lay them out alike (to; NULL: not); else sets the error
 * (multihost.c). */
bool api_same_everywhere(base_site, const char *what, trace_value *, const mesh_layout *to);
/* True if a loop ends after Ctrl-C: in a job at the same iteration on all ranks, if its body has calls of all ranks.
 * *seen belongs to the loop, 0 at first. */
bool api_process_ends_loops(bool pressed, uint32_t *seen);
bool api_process_forked(void);                           /* True if a rank of a job has forked this process */
void api_process_refuse(void *);                         /* sets the error of a call in such a process */
void api_process_leave(int code);                        /* all ranks end together, or the job ends with the code */

#endif
