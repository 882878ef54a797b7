/* engine_cases.c - every primitive on a device of a PJRT library: its cases, and the first of each with every element
 * type in the place of theirs that its type rule takes. Each is compiled, run and compared with the reference, or
 * refused with an error that names the type or the primitive; none ends the process. They run in processes of their
 * own, since a library may end one. PJRT_LIBRARY=FILE: the library.
 *
 * usage: engine_cases [--one-in N] [--turn K] [PRIMITIVE...] */
#include "api/programs/engine_word.h"
#include "driver/driver.h"
#include "op/ops.h"
#include "prop/primitives.h"

#include <ctype.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tutti.h>
#include <unistd.h>

typedef struct { const op_prim *prim; const char *text; } item;
typedef struct { size_t at; long long same, refused, left; int failed, known; } board;

static item *items;
static size_t count, space;
static board *now;
static const char *word;

static void add(const op_prim *prim, const char *text)
{
    for (size_t i = 0; i < count; i++) if (items[i].prim == prim && !strcmp(items[i].text, text)) return;
    if (count == space) items = realloc(items, (space = 2 * space + 64) * sizeof *items);
    items[count++] = (item){ prim, strdup(text) };
}

/* ---- cases with other types ---- */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The case with `to` in the place of the type `from`: in all its places, or in that number alone (from 0). */
static const char *with_type(base_arena *a, const char *text, const char *from, const char *to, int which)
{
    base_text s = { .arena = a };
    const size_t n = strlen(from);
    int met = 0;
    for (const char *p = text; *p;) {
        const bool here = !strncmp(p, from, n) && (p == text || !is_word(p[-1])) && !is_word(p[n]);
        if (here && (which < 0 || which == met++)) base_appendf(&s, "%s", to), p += n;
        else base_appendf(&s, "%c", *p++);
    }
    return s.s && strcmp(s.s, text) ? s.s : NULL;
}

static bool is_a_case(base_arena *a, const char *text)
{
    const ir_fn *const f = text ? ir_case(a, text) : NULL;
    base_clear_error();
    return f != NULL;
}

/* Each type in the place of the type that a case of the primitive has, in all places, in the first, in the second. */
static void with_types(const op_prim *prim)
{
    static const char *const from[] = { "f32", "i32", "u32", "bool" };
    for (tt_dtype d = TT_BOOL; ir_dtype_of(d); d++)
        for (int which = -1; which < 2; which++) {
            base_arena *const a = base_open();
            const char *good = NULL;
            for (const char *const *c = prim->cases; *c && !good; c++)
                for (int i = 0; i < 4 && !good; i++) {
                    const char *const text = with_type(a, *c, from[i], ir_dtype_of(d)->name, which);
                    if (is_a_case(a, text)) good = text;
                }
            if (good) add(prim, good);
            base_close(a);
        }
}

/* ---- one ---- */

typedef struct { base_arena *a; const item *i; const char *wrong; bool refused, left, known; } trial;

/* The type of an operand or a result that the error names; NULL: it names none. */
static const char *named(const ir_fn *f, const char *error)
{
    for (uint32_t i = 1; i <= f->nvalue; i++) {
        const char *const name = ir_dtype_of(f->type[i]->dtype)->name, *at = error;
        while ((at = strstr(at, name)) && ((at > error && is_word(at[-1])) || is_word(at[strlen(name)]))) at++;
        if (at) return name;
    }
    return NULL;
}

/* What has several right answers: signs and orders of vectors, the side of a cut, which of equal integers a window
 * selects, since XLA reorders reductions of integers; and what the host computes. */
static bool is_one_of_several(const op_prim *p, const ir_type *t)
{
    return p->kernel == OP_MATRIX || p->kernel == OP_HOST || (!strcmp(p->name, "atan2") && op_is_complex(t->dtype)) ||
           (p == &prim_select_and_gather && !ir_is_float(t->dtype));
}

/* Cases, by the primitive and a part of the text, that OpenXLA's library for processors is known to miss:
 * - its compiler sorts no f4, and makes no result of 4 bits of wider operands;
 * - f8E8M0FNU has no zero to begin with;
 * - the reducer is not associative, and XLA reorders it. */
static const struct { const char *prim, *part; } known[] = {
    { "sort", "f4E2M1FN[" }, { "dot_general", "preferred_element_type=i4" },
    { "dot_general", "preferred_element_type=f4E2M1FN" }, { "convolution", "preferred_element_type=f4E2M1FN" },
    { "cumsum", "f8E8M0FNU" }, { "lgamma", "f8E8M0FNU" }, { "select_and_gather", "f8E8M0FNU" },
    { "reduce_window", "i32[5], 2 {" },
};

static bool is_known(const item *i)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(i->prim->name, known[k].prim) && strstr(i->text, known[k].part)) return true;
    return false;
}

/* At poles of zeta and digamma XLA, and JAX on it, has NaN for an infinity, or an infinity for NaN. */
static void without_poles(const op_prim *p, const prop_value *got, const prop_value *want)
{
    if (p != &prim_zeta && p != &prim_digamma) return;
    const ir_box x = prop_box(got), y = prop_box(want);
    int64_t at[IR_RANK];
    for (bool more = ir_first(&x, at); more; more = ir_next(&x, at)) {
        const ir_num of = ir_load(&y, at);
        if (!isfinite(of.f) && !isfinite(ir_load(&x, at).f)) ir_store(&x, at, of);
    }
}

static void failed(trial *t, const ir_fn *f)
{
    const char *const error = base_failed() ? base_failed()->what : "no error was set";
    const char *const hint = base_failed() ? base_failed()->hint : NULL;
    t->refused = (named(f, error) && hint) || strstr(error, "has no form in StableHLO") != NULL;
    if (!t->refused) t->wrong = base_format(t->a, "%s; %s", error, hint ? hint : "no hint");
    base_clear_error();
}

static void compared(trial *t, const ir_fn *f, const prop_value *want, run_array *const *y)
{
    for (uint32_t j = 0; j < f->nret && !t->wrong; j++) {
        const prop_value got = prop_new(t->a, f->type[f->ret[j]]);
        if (!run_read(y[j], NULL, NULL, got.at)) { failed(t, f); return; }
        const double tolerance = 16 * prop_tolerance(got.type->dtype);
        without_poles(t->i->prim, &got, &want[j]);
        const bool open = is_one_of_several(t->i->prim, got.type);
        const char *const differs = open ? NULL : prop_differs(t->a, &got, &want[j], tolerance);
        if (differs) t->wrong = base_format(t->a, "result %u %s", j, differs);
    }
}

static void one(void *env)
{
    trial *const t = env;
    base_arena *const a = t->a;
    const ir_fn *const f = ir_case(a, t->i->text);
    if (!f || f->narg > 16 || f->nret > 16) { t->left = true; return; }
    prop_value x[16], want[16];
    run_array *in[16] = { 0 }, *y[16] = { 0 };
    prop_prim = t->i->prim;
    for (uint32_t i = 0; i < f->narg; i++) x[i] = prop_operand(a, f->type[1 + i], PROP_SMALL);
    if (!prop_eval(a, f, x, want)) { base_clear_error(), t->left = true; return; }
    run_program *const p = driver_compile(f, &(driver_opts){ .once = true });
    bool good = p != NULL;
    for (uint32_t i = 0; i < f->narg && good; i++) {
        in[i] = run_array_of(f->type[1 + i], NULL, x[i].at);
        good = in[i] != NULL;
    }
    good = good && run_launch(p, in, NULL, y);
    if (good) compared(t, f, want, y);
    else failed(t, f);
    run_drop_all(f->narg, in);
    run_drop_all(f->nret, y);
    driver_release_program(p);
}

static void tried(const item *i)
{
    trial t = { .a = base_open(), .i = i };
    prop_state = 88172645463325252u;
    alarm(300);
    if (!base_catch(one, &t)) t.wrong = "no memory";
    alarm(0);
    t.known = t.wrong && is_known(i);
    if (t.known) printf("skip: known to miss: %s\n", i->text), fflush(stdout), t.wrong = NULL;
    if (t.wrong) printf("FAIL %s: %s\n", i->text, t.wrong), fflush(stdout);
    now->failed += t.wrong != NULL;
    now->refused += t.refused, now->left += t.left, now->known += t.known;
    now->same += !t.wrong && !t.refused && !t.left && !t.known;
    base_close(t.a);
    base_clear_error();
}

/* ---- all ---- */

static void child(size_t end)
{
    if (!tt_engine(word)) printf("FAIL the engine: %s\n", tt_error()), fflush(stdout), _exit(1);
    for (; now->at < end; now->at++) tried(&items[now->at]);
    fflush(stdout);
    _exit(0);
}

static void all(void)
{
    enum { EACH = 200 };                                 /* cases of a process: programs take memory */
    while (now->at < count) {
        int status = 0;
        fflush(stdout);
        const size_t end = now->at + EACH < count ? now->at + EACH : count;
        const pid_t pid = fork();
        if (!pid) child(end);
        waitpid(pid, &status, 0);
        if (WIFEXITED(status) && now->at == end) continue;
        if (WIFEXITED(status)) { now->failed++; break; }
        printf("FAIL %s: the library has ended the process, signal %d\n", items[now->at].text, WTERMSIG(status));
        now->at++, now->failed++;
    }
}

int main(int argc, char **argv)
{
    static const char usage[] = "--one-in N --turn K [PRIMITIVE...]";
    size_t one_in = 1, turn = 0, n = 0;
    int names = 1;
    if (!check_main_options(argc, argv, __FILE__, usage) || !(word = engine_word())) return check_done();
    for (; names + 1 < argc && argv[names][0] == '-'; names += 2)
        *(!strcmp(argv[names], "--turn") ? &turn : &one_in) = strtoul(argv[names + 1], NULL, 10);
    for (int r = 0; op_prims[r]; r++) {
        if (!op_prims[r]->cases || !prop_is_wanted(op_prims[r], argc - names + 1, argv + names - 1)) continue;
        for (const char *const *c = op_prims[r]->cases; *c; c++) add(op_prims[r], *c);
        with_types(op_prims[r]);
    }
    for (size_t i = 0; i < count; i++) if (i % (one_in ? one_in : 1) == turn) items[n++] = items[i];
    count = n;
    base_set_log_sink(NULL);
    now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    all();
    printf("%zu cases: %lld the same, %lld refused by name, %lld without a value of their own\n", count,
           now->same, now->refused, now->left);
    CHECK(now->same > 0, "no case was compared");
    CHECK_VOLUME(now->same, "cases of primitives on a device of a PJRT library");
    check_passed += (int)(now->same + now->refused), check_failed += now->failed, check_skipped += now->known;
    return check_done();
}
