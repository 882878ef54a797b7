/* api/api.h - what the files of the front door share: entries, and the one place that prints.
 *
 * Every public function is an entry: its body runs within a catch, so that an unwinding never crosses a user's frame,
 * and an error that it set is told once, when it returns. VAL2(tt_matmul, tt_val, a, tt_val, b) { ... } defines
 * tt_matmul_at(); in the body, `site` is interned. */
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

/* How many values a list has, up to tt_end; -1 with the error set: it is NULL. */
int  api_list(base_site, const char *what, const tt_val *list);
/* up to TT_DIM_END; -1 with the error set */
int  api_dims(base_site, const char *what, const int64_t *dims, int64_t *out);
/* The function that the user's line calls, "tt_zeros" for tt_full's target */
const char *api_call_name(base_site, const char *otherwise);
/* True if x to the n is of x's type: with the error set, an integer has no negative powers. */
bool api_power(base_site, trace_value *x, int64_t n);
/* True if the elements of part may take places of whole: nothing is cut off but by a tt_cast. A C number that is one of
 * whole's numbers, such as 2.0 of integers, may. */
bool api_goes_into(base_site, const char *what, trace_value *part, trace_value *whole);
/* negative from the end; -1 with the error set */
int  api_dim(base_site, const char *what, const trace_value *, int dim);
/* ---- options: one table of all of them, made from the headers ---- */

typedef struct api_option_struct api_option_struct;
typedef struct {
    const char *name;
    const api_option_struct *inner;                      /* of API_INNER: an option struct in another */
    size_t offset;
    enum { API_TEXT, API_POINTER, API_NUMBER, API_INT, API_LONG, API_DTYPE, API_MESH, API_VALUE, API_INNER } kind;
    enum { API_ANY, API_FROM_1, API_ABOVE_0 } least;     /* what it is at least, where it is given */
    int n;                                               /* elements of an array; else 1 */
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
const api_option_struct *api_option_struct_of(const char *type);         /* "tt_reduce_opts"; NULL: there is none */
/* The options of a call, all defaults where o is NULL; NULL with the error set: they are not of this library's kind,
 * something was passed in an option's place, a text or a value is given and is none, a count is not one. */
const void *api_options(base_site, const char *what, const api_option_struct *, const void *o);
#define API_OPTIONS(site, what, T, o) (((o) = (const T *)api_options(site, what, &T##_are, o)) != NULL)

/* One array in, one array out, by a piece of IR. NULL with the error set. */
trace_value *api_piece1(base_site, trace_body *, const void *env, size_t size, trace_value *x);
/* Promotes arrays together (dtypes, not shapes); new references in place. */
bool api_together(base_site, int n, trace_value **x);
trace_value *api_cast(base_site, trace_value *, tt_dtype);
bool api_padding(base_site, const char *what, const char *pad, int n, const int64_t *size, const int64_t *window,
                 const int64_t *stride, int64_t *low, int64_t *high);
/* An option with a number per spatial dim: none, or one for each; false with the error set. */
bool api_per_dim(base_site, const char *what, const char *option, int n, const int64_t x[8]);
bool api_good_mesh(base_site, const char *what, tt_mesh);        /* false with the error set: there is none */
bool api_mesh_sizes_used(void);          /* false with the error set: TUTTI=mesh names an axis that no mesh has */
/* Of the C type of that name (NULL: unknown) as memory of a dtype, and of an array of `room` bytes (0: unknown) for so
 * many; value: what it is for, as text. False with the error set. */
bool api_memory_type(base_site, const char *call, const char *type, tt_dtype, const char *value);
bool api_memory_room(base_site, const char *call, size_t capacity, size_t bytes, const char *value);

/* ---- output ---- */

const char *api_keep_text(const char *text);             /* lives as long as the program */
const char *api_late_text(const char *text);             /* till 1,024 later ones of this thread; unwinds */
void api_line(const char *line);                         /* to stdout, beside the progress bar */
void api_report_line(const char *line);                  /* of base_log: likewise, or to TUTTI=report:N */
void api_bar_hide(void), api_bar_show(void);             /* while something else is printed */
void api_interrupt_watch(void);
bool api_interrupted(void);                              /* ever */
void api_interrupt_forget(void);                         /* loops go on */
void api_report_interrupt(base_site);
/* For the program's status (exit.c): an error was told, cleared, asked for; there is a handler for errors. */
void api_exit_watch(void);
void api_error_met(int code), api_error_cleared(void), api_error_asked(void);
bool api_error_handled(void);

#endif
