/* calls.c - every function of the public headers, called with NULL and zero in the place of every argument, and of each
 * one by itself: none may die of it, and each tells its error, with the line, before it returns. Every function that
 * has options refuses a struct of another size. The calls
 * are listed from the headers (tests/calls.sh); each function has a process of its own. */
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tutti.h>
#include <unistd.h>

/* ---- arguments: zero, or what a user might pass ---- */

static tt_val f0(void) { return tt_f(1); }
static tt_val f2(tt_val a, tt_val b) { (void)b; return a; }
static tt_val f3(tt_val a, tt_val b, tt_val c) { (void)b, (void)c; return a; }
static tt_val f4(tt_val a, tt_val b, tt_val c, tt_val d) { (void)b, (void)c, (void)d; return a; }
static tt_val f5(tt_val a, tt_val b, tt_val c, tt_val d, tt_val e) { (void)b, (void)c, (void)d, (void)e; return a; }
static tt_val f6(tt_val a, tt_val b, tt_val c, tt_val d, tt_val e, tt_val f) { (void)f; return f5(a, b, c, d, e); }
static tt_val f7(tt_val a, tt_val b, tt_val c, tt_val d, tt_val e, tt_val f, tt_val g)
{
    (void)g;
    return f6(a, b, c, d, e, f);
}
static tt_val f8(tt_val a, tt_val b, tt_val c, tt_val d, tt_val e, tt_val f, tt_val g, tt_val h)
{
    (void)h;
    return f7(a, b, c, d, e, f, g);
}
static tt_val env_f(void *env, int n, const tt_val *args) { (void)env; return n ? args[0] : tt_f(0); }
static const char *callback_f(void *env, int nin, const tt_box *in, int nout, const tt_box *out)
{
    (void)env, (void)nin, (void)in, (void)nout, (void)out;
    return NULL;
}
static tt_val path_f(void *env, const char *path, tt_val leaf) { (void)env, (void)path; return leaf; }
static bool fill(void *env, const int64_t *lo, const int64_t *n, void *to)
{
    (void)env, (void)lo, (void)n, (void)to;
    return true;
}
static tt_val twice(tt_val x) { return tt_add(x, x); }
static tt_val module(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 2); }

static unsigned zero;                                    /* the arguments that are zero, a bit each */
static bool other_size;                                  /* options of another size */
static tt_val v, out[64], *slots[2] = { out, NULL };
static tt_fn fn;
static tt_nn current;
static tt_mesh mesh;
static tt_data data;
static _Alignas(16) char buffer[4096];
static int64_t places[64];
static const int64_t dims[] = { 2, 2, TT_DIM_END };
static const char *words[] = { "a", "b", NULL };
static char *texts[2];
static tt_loop loop;

static const char *good_text = "0";                      /* no constant: compilers would count a format's arguments */

/* clang-format off */
#define A(i, kind)   (zero >> (i) & 1 ? ZERO_##kind : GOOD_##kind)
#define O(i, T)      (zero >> (i) & 1 ? NULL : other_size ? &(const T){ .size = 1 } : &(const T){ .size = sizeof(T) })
/* clang-format on */
#define MORE         v, (const char *)0, (const char *)0, (const char *)0
#define ZERO_site    NULL
#define GOOD_site    "calls.c:1: call()"
#define ZERO_tt_val  (tt_val){ 0 }
#define GOOD_tt_val  v
#define ZERO_const_char_p NULL
#define GOOD_const_char_p good_text
#define ZERO_int     0
#define GOOD_int     1
#define ZERO_int_p   NULL
#define GOOD_int_p   (int[16]){ 0 }
#define ZERO_int64_t 0
#define GOOD_int64_t 1
#define ZERO_uint64_t 0
#define GOOD_uint64_t 1
#define ZERO_size_t  0
#define GOOD_size_t  16
#define ZERO_double  0
#define GOOD_double  1
#define ZERO__Bool   false
#define GOOD__Bool   true
#define ZERO_tt_dtype (tt_dtype)0
#define GOOD_tt_dtype TT_F32
#define ZERO_tt_code TT_OK
#define GOOD_tt_code TT_EARG
#define ZERO_tt_fn   (tt_fn){ 0 }
#define GOOD_tt_fn   fn
#define ZERO_tt_nn   (tt_nn){ 0 }
#define GOOD_tt_nn   current
#define ZERO_tt_mesh (tt_mesh){ 0 }
#define GOOD_tt_mesh mesh
#define ZERO_tt_data (tt_data){ 0 }
#define GOOD_tt_data data
#define ZERO_tt_manager (tt_manager){ 0 }
#define GOOD_tt_manager (tt_manager){ 0 }
#define ZERO_tt_metric_writer (tt_metric_writer){ 0 }
#define GOOD_tt_metric_writer (tt_metric_writer){ 0 }
#define ZERO_tt_ckpt (tt_ckpt){ 0 }
#define GOOD_tt_ckpt (tt_ckpt){ 0 }
#define ZERO_tt_tokenizer (tt_tokenizer){ 0 }
#define GOOD_tt_tokenizer (tt_tokenizer){ 0 }
#define ZERO_tt_model (tt_model){ 0 }
#define GOOD_tt_model (tt_model){ 0 }
#define ZERO_tt_token_stream (tt_token_stream){ 0 }
#define GOOD_tt_token_stream (tt_token_stream){ 0 }
#define ZERO_int32_t_p NULL
#define GOOD_int32_t_p (int32_t *)buffer
#define ZERO_const_int32_t_p NULL
#define GOOD_const_int32_t_p (const int32_t *)buffer
#define ZERO_tt_mesh_context (tt_mesh_context){ 0 }
#define GOOD_tt_mesh_context (tt_mesh_context){ 0 }
#define ZERO_tt_span (tt_span){ 0 }
#define GOOD_tt_span (tt_span){ "a", 1 }
#define ZERO_tt_scope (tt_scope){ 0 }
#define GOOD_tt_scope tt_scope_open()
#define ZERO_const_int64_t_p NULL
#define GOOD_const_int64_t_p dims
#define ZERO_const_double_p NULL
#define GOOD_const_double_p ((const double[]){ 3, TT_REALS_END })
#define ZERO_tt_limits_p NULL
#define GOOD_tt_limits_p (tt_limits *)buffer
#define ZERO_int64_t_p NULL
#define GOOD_int64_t_p places
#define ZERO_uint64_t_p NULL
#define GOOD_uint64_t_p (uint64_t *)places
#define ZERO_void_p  NULL
#define GOOD_void_p  buffer
#define ZERO_const_void_p NULL
#define GOOD_const_void_p buffer
#define ZERO_char_p  NULL
#define GOOD_char_p  buffer
#define ZERO_char_p_p NULL
#define GOOD_char_p_p texts
#define ZERO_const_char_p_p NULL
#define GOOD_const_char_p_p words
#define ZERO_const_char_pconst_p NULL
#define GOOD_const_char_pconst_p words
#define ZERO_const_tt_val_p NULL
#define GOOD_const_tt_val_p ((const tt_val[]){ v, tt_end })
#define ZERO_tt_val_p NULL
#define GOOD_tt_val_p out
#define ZERO_tt_val_pconst_p NULL
#define GOOD_tt_val_pconst_p slots
#define ZERO_const_tt_fn_p NULL
#define GOOD_const_tt_fn_p ((const tt_fn[]){ fn, tt_fn_end })
#define ZERO_tt_module_p NULL
#define GOOD_tt_module_p module
#define ZERO_tt_loop_p NULL
#define GOOD_tt_loop_p &loop
#define ZERO_tt_form_p NULL
#define GOOD_tt_form_p (tt_form *)buffer
#define ZERO_const_tt_form_p NULL
#define GOOD_const_tt_form_p (const tt_form *)buffer
#define ZERO_size_t_p NULL
#define GOOD_size_t_p (size_t *)buffer
#define ZERO_FILE_p  NULL
#define GOOD_FILE_p  stdout
#define ZERO_pthread_t_p NULL
#define GOOD_pthread_t_p (pthread_t *)buffer
#define ZERO_tt_variable_p NULL
#define GOOD_tt_variable_p (tt_variable *)buffer
#define ZERO_tt_plan_counts_p NULL
#define GOOD_tt_plan_counts_p (tt_plan_counts *)buffer
#define ZERO_tt_part_p NULL
#define GOOD_tt_part_p (tt_part *)buffer
#define ZERO_const_tt_part_p NULL
#define GOOD_const_tt_part_p (const tt_part *)buffer
#define ZERO_const_tt_agreement_p NULL
#define GOOD_const_tt_agreement_p (const tt_agreement *)buffer
#define ZERO_struct_DLManagedTensorVersioned_p NULL
#define GOOD_struct_DLManagedTensorVersioned_p (struct DLManagedTensorVersioned *)buffer
#define ZERO_struct_DLManagedTensor_p NULL
#define GOOD_struct_DLManagedTensor_p (struct DLManagedTensor *)buffer
#define ZERO_void_pconst_p NULL
#define GOOD_void_pconst_p ((void *const[]){ buffer, buffer })
#define ZERO_tt_ckpt_counts_p NULL
#define GOOD_tt_ckpt_counts_p (tt_ckpt_counts *)buffer
#define ZERO_const_tt_report_p NULL
#define GOOD_const_tt_report_p (const tt_report *)buffer
#define ZERO_tt_path_f_p NULL
#define GOOD_tt_path_f_p path_f
#define ZERO_tt_fill_p NULL
#define GOOD_tt_fill_p fill
#define ZERO_tt_callback_f_p NULL
#define GOOD_tt_callback_f_p callback_f
#define ZERO_tt_env_f_p NULL
#define GOOD_tt_env_f_p env_f
#define ZERO_const_tt_entry_p NULL
#define GOOD_const_tt_entry_p (&(const tt_entry){ 0 })
#define ZERO_tt_cell_p NULL
#define GOOD_tt_cell_p tt_gru_cell_at
#define ZERO_tt_f0_p NULL
#define GOOD_tt_f0_p f0
#define ZERO_tt_f1_p NULL
#define GOOD_tt_f1_p twice
#define ZERO_tt_f2_p NULL
#define GOOD_tt_f2_p f2
#define ZERO_tt_f3_p NULL
#define GOOD_tt_f3_p f3
#define ZERO_tt_f4_p NULL
#define GOOD_tt_f4_p f4
#define ZERO_tt_f5_p NULL
#define GOOD_tt_f5_p f5
#define ZERO_tt_f6_p NULL
#define GOOD_tt_f6_p f6
#define ZERO_tt_f7_p NULL
#define GOOD_tt_f7_p f7
#define ZERO_tt_f8_p NULL
#define GOOD_tt_f8_p f8

/* ---- the calls ---- */

#define CALL(f, n, module, options, args) static void call_##f(void) { (void)f args; }
#include <tests/calls.h>
#undef CALL
#define CALL(f, n, module, options, args) { #f, call_##f, n, module, options, #args },
static const struct { const char *name; void (*call)(void); int n; bool module, options; const char *args; } calls[] = {
#include <tests/calls.h>
};

static void (*to_call)(void);
static tt_val within(tt_nn m, tt_val x)
{
    current = m;
    to_call();
    return x;
}

/* what a child has come to, in memory that its parent sees */
typedef struct { int turn; bool refused, late, nowhere; } seen;

static int told;
static void tell(const tt_error_info *e, void *env) { (void)e, (void)env, told++; }

/* True of functions whose error waits for a tt_hint. */
static bool waits(const char *name)
{
    return !strcmp(name, "tt_fail_at") || !strcmp(name, "tt_match_at") || !strncmp(name, "tt_form_", 8);
}

static void turn(int i, unsigned zeros, bool size, seen *s)
{
    s->turn++;
    zero = 0, other_size = size;
    v = tt_ones(TT_F32, 2, 2);
    fn = tt_fn_of1("twice", twice);
    mesh = tt_mesh("a:1");
    data = tt_dataset(tt_ones(TT_F32, 2, 2), .batch = 1);
    memset(buffer, 0, sizeof buffer);
    memset(&loop, 0, sizeof loop);
    zero = zeros, to_call = calls[i].call;
    if (calls[i].module) tt_init_at("calls.c:2: tt_init()", within, tt_key(0), v, NULL);
    else to_call();
    const int before = told;
    if (!tt_ok() && told != before && !waits(calls[i].name)) s->late = true;
    if (!tt_ok() && !(zeros & 1) && !strncmp(calls[i].args, "(A(0, site)", 11) && !*tt_error_record()->site)
        s->nowhere = true;
    if (size) s->refused = !tt_ok() && strstr(tt_error(), "options of 1 bytes");
    tt_clear();
}

static void child(int i, seen *s)
{
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, 1), dup2(null, 2);
    alarm(60);
    tt_on_error(tell, NULL);
    if (calls[i].options) turn(i, 0, true, s);
    turn(i, ~0u, false, s);
    for (int k = 0; k < calls[i].n; k++) turn(i, 1u << k, false, s);
    turn(i, 0, false, s);
    _exit(0);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[NAME]")) return check_done();
    const char *const given = getenv("TUTTI");
    char words[512];
    snprintf(words, sizeof words, "%s%stimeit:1", given ? given : "", given && *given ? "," : "");
    setenv("TUTTI", words, 1);                           /* milliseconds: the time is not looked at */
    seen *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(s != MAP_FAILED, "memory to share");
    char home[64] = "/tmp/tutti-calls-XXXXXX", command[96];        /* what the functions write is there */
    CHECK(check_folder(home) && !chdir(home), "a folder to run in");
    for (size_t i = 0; s != MAP_FAILED && i < sizeof calls / sizeof *calls; i++) {
        if (argc > 1 && !strstr(calls[i].name, argv[1])) continue;
        int status = -1;
        memset(s, 0, sizeof *s);
        const pid_t p = fork();
        if (!p) child((int)i, s);
        CHECK(p > 0 && waitpid(p, &status, 0) == p, "a process for %s", calls[i].name);
        const int zeros = s->turn - calls[i].options;    /* 1: all are zero; then each; then none */
        CHECK(WIFEXITED(status), "%s dies of signal %d where %s %d %s", calls[i].name, WTERMSIG(status),
              zeros == 1 ? "all of its arguments, " : zeros == calls[i].n + 2 ? "none of its arguments, " : "argument",
              zeros == 1 ? calls[i].n : zeros - 2, "is zero");
        CHECK(!s->nowhere, "an error of %s has no line", calls[i].name);
        CHECK(!s->late, "%s returns before its error is told", calls[i].name);
        if (calls[i].options) CHECK(s->refused, "%s does not look at its options' size", calls[i].name);
    }
    snprintf(command, sizeof command, "rm -rf %s", home);
    CHECK(!chdir("/") && !system(command), "%s is removed", home);
    return check_done();
}
