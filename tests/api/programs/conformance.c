/* conformance.c - runs the StableHLO project's own programs: build/tests/conformance [--only TEXT] [--list] [DIR...].
 *
 * Every .mlir below DIR, in both of its forms: @main that ends in custom calls @check.expect_..., and public functions
 * without arguments that end in operations of the dialect check; programs marked expected-error must be refused. A
 * text of several modules is cut at its lines "// -----". interpreter.run_parallel becomes a manual computation over
 * a mesh of replicas and partitions. Each file runs in a process of its own, so that a crash is a failure. Without
 * DIR: TUTTI_CONFORMANCE; without that one line says so. Nothing of that project is here.
 *
 * Longer than 400 lines: the operations and comparisons of one dialect, which are of use to this program alone. */
#include "hlo/inner.h"
#include "trace/trace.h"
#include "op/ops.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tutti.h>
#include <unistd.h>

enum { CHECKS = 2000, NAMES = 400, SECONDS = 120 };
typedef enum { EQUAL, ALMOST, ULP } rule_kind;
typedef struct { rule_kind kind; double least, most; int line; } check;
typedef struct { int n; check at[CHECKS]; } checks;

/* ---- what the texts check ---- */

static void yield(hlo_reader *r, ir_id x) { *HLO_MORE(r->p->arena, &r->yielded) = x; }

static double number(const hlo_op *o, const char *key, double usual)
{
    const hlo_attr *const a = hlo_find(&o->attr, key);
    char text[64] = "";
    if (a && a->text.n < sizeof text) memcpy(text, a->text.at, a->text.n);
    return *text ? strtod(text, NULL) : usual;
}

static bool noted(hlo_reader *r, const hlo_op *o, ir_id got, ir_id want, rule_kind kind, double most)
{
    checks *const c = r->more->env;
    if (c->n == CHECKS || !got || !want) return false;
    int line = 1;
    for (const char *p = r->p->begin; p < o->at; p++) line += *p == '\n';
    c->at[c->n++] = (check){ kind, number(o, "min_ulp_difference", 0), most, line };
    yield(r, got);
    yield(r, want);
    return true;
}

static ir_id literal(hlo_reader *r, const hlo_op *o)
{
    const hlo_attr *const a = hlo_find(&o->attr, "value");
    hlo_elements e;
    if (!a || !a->type.type || !hlo_literal(r->p, a, a->type.type, &e)) return 0;
    const int64_t n = ir_count(a->type.type);
    const size_t each = ir_dtype_of(a->type.type->dtype)->bytes;
    char *const all = BASE_NEW(r->p->arena, char, (size_t)n * each + 1);
    for (int64_t i = 0; i < n; i++)
        memcpy(all + (size_t)i * each, (const char *)e.data.p + (e.splat ? 0 : (size_t)i * each), each);
    return op_const(r->b, a->type.type, all);
}

static bool eq(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    (void)y;
    return noted(r, o, x[0], o->in.n > 1 ? x[1] : literal(r, o), EQUAL, 0);
}

static bool almost_call(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    (void)y;
    return noted(r, o, x[0], x[1], ALMOST, 1e-3);
}

static bool almost(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    (void)y;
    return noted(r, o, x[0], o->in.n > 1 ? x[1] : literal(r, o), ALMOST, number(o, "tolerance", 1e-4));
}

static bool close_call(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    (void)y;
    return noted(r, o, x[0], x[1], ULP, 3);
}

static bool closeness(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    (void)y;
    return noted(r, o, x[0], x[1], ULP, number(o, "max_ulp_difference", 1));
}

static bool nothing(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    (void)r;
    if (o->to.n && o->in.n) y[0] = x[0];
    return true;
}

/* ---- several processes ---- */

/* interpreter.run_parallel: the operands of each process one after the other. Stacked over (replica, partition), the
 * body takes its row. */
static ir_fn *process(hlo_reader *r, const hlo_op *o, hlo_func *f)
{
    ir_build *const outer = r->b, *const b = r->b = ir_region(outer, base_intern("process"));
    const mesh_set before = r->manual;
    ir_id *const x = BASE_NEW(r->p->arena, ir_id, f->arg.n + 1), *const y = BASE_NEW(r->p->arena, ir_id, f->ret.n + 1);
    int64_t dim[IR_RANK] = { 1 };
    ir_fn *out = NULL;
    r->manual = (mesh_set)((1u << r->mesh->natom) - 1);
    for (int i = 0; i < f->arg.n; i++) {
        const ir_type *const t = f->arg.v[i].type.type;
        for (int d = 0; d < t->rank; d++) dim[d + 1] = t->dim[d];
        x[i] = ir_arg(b, ir_type_of(t->dtype, t->rank + 1, dim));
    }
    for (int i = 0; i < f->arg.n; i++) {
        const ir_type *const t = f->arg.v[i].type.type;
        x[i] = op_reshape(b, x[i], t->rank, t->dim);
    }
    hlo_op call = *o;
    call.in.n = f->arg.n;
    if (hlo_call(r, &call, f, x, y)) {
        for (int j = 0; j < f->ret.n; j++) {
            const ir_type *const t = ir_typeof(b, y[j]);
            for (int d = 0; d < t->rank; d++) dim[d + 1] = t->dim[d];
            y[j] = op_reshape(b, y[j], t->rank + 1, dim);
        }
        out = ir_end(b, (uint32_t)f->ret.n, y);
    }
    r->manual = before;
    r->b = outer;
    return out;
}

static bool run_parallel(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attr *const rows = hlo_find(&o->attr, "programs");
    hlo_func *f = NULL;
    if (!rows || !r->mesh) return hlo_refuse(r, o, TT_EARG, "a table of programs");
    for (int i = 0; i < rows->item.n; i++)
        for (int k = 0; k < rows->item.v[i].item.n; k++) {
            hlo_func *const g = hlo_function(r, rows->item.v[i].item.v[k].text);
            if (!g || (f && g != f)) return hlo_refuse(r, o, TT_EARG, "processes of different programs");
            f = g;
        }
    const int64_t n = mesh_size(r->mesh);
    if (!f || o->in.n != n * f->arg.n || o->to.n != n * f->ret.n)
        return hlo_refuse(r, o, TT_EARG, "operands of %d processes", (int)n);
    const mesh_layout **const l = BASE_NEW(r->p->arena, const mesh_layout *, f->arg.n + f->ret.n + 1);
    ir_id *const in = BASE_NEW(r->p->arena, ir_id, f->arg.n + 1), *const part = BASE_NEW(r->p->arena, ir_id, n + 1);
    int64_t dim[IR_RANK] = { 1 }, start[IR_RANK] = { 0 }, one[IR_RANK];
    for (int i = 0; i < f->arg.n + f->ret.n; i++)
        if (!(i < f->arg.n ? f->arg.v[i] : f->ret.v[i - f->arg.n]).type.type)
            return hlo_refuse(r, o, TT_EARG, "tokens between processes");
    for (int i = 0; i < f->arg.n + f->ret.n; i++) {
        const ir_type *const t = i < f->arg.n ? f->arg.v[i].type.type : f->ret.v[i - f->arg.n].type.type;
        mesh_list cut[IR_RANK] = { mesh_set_list((mesh_set)((1u << r->mesh->natom) - 1)) };
        l[i] = mesh_layout_dims(r->mesh, t->rank + 1, cut);
        if (i >= f->arg.n) continue;
        for (int d = 0; d < t->rank; d++) dim[d + 1] = t->dim[d];
        for (int64_t p = 0; p < n; p++) part[p] = op_reshape(r->b, x[p * f->arg.n + i], t->rank + 1, dim);
        in[i] = op_concatenate(r->b, (int)n, part, 0);
    }
    ir_fn *const body = process(r, o, f);
    base_name names[2] = { r->mesh->axis[0].name, r->mesh->axis[1].name };
    const op_manual_attr a = { { 2, names }, { f->arg.n, l }, { f->ret.n, l + f->arg.n }, true };
    const ir_id first = body ? ir_emit(r->b, &prim_manual, &a, (uint32_t)f->arg.n, in, 1, &body) : 0;
    for (int j = 0; first && j < f->ret.n; j++) {
        const ir_type *const t = ir_typeof(r->b, first + (ir_id)j);
        for (int d = 0; d < IR_RANK; d++) one[d] = 1;
        for (int64_t p = 0; p < n; p++) {
            int64_t limit[IR_RANK];
            for (int d = 0; d < t->rank; d++) limit[d] = t->dim[d];
            start[0] = p, limit[0] = p + 1;
            const ir_id row = op_slice(r->b, first + (ir_id)j, (ir_dims){ t->rank, start }, (ir_dims){ t->rank, limit },
                                       (ir_dims){ t->rank, one });
            y[p * f->ret.n + j] = op_reshape(r->b, row, t->rank - 1, t->dim + 1);
        }
    }
    return first != 0;
}

static const hlo_rule rules[] = {
    { "check.expect_eq", eq },
    { "check.expect_eq_const", eq },
    { "check.expect_almost_eq_const", almost },
    { "check.expect_almost_eq", almost },
    { "check.expect_close", closeness },
    { "check.expect_serialized_eq", nothing },
    { "interpreter.probe", nothing },
    { "interpreter.print", nothing },
    { "interpreter.run_parallel", run_parallel },
    { NULL, NULL },
};
/* Targets of custom calls: the same names, other tolerances. */
static const hlo_rule targets[] = {
    { "check.expect_eq", eq }, { "check.expect_almost_eq", almost_call }, { "check.expect_close", close_call },
    { NULL, NULL },
};

/* ---- comparing ---- */

static int64_t ordered(tt_dtype d,
                       const void *p) /* a float's bits as a number: neighbours differ by 1, both zeros are 0 */
{
    const size_t n = ir_dtype_of(d)->bytes;
    uint64_t u = 0;
    memcpy(&u, p, n);
    const uint64_t sign = (uint64_t)1 << (8 * n - 1);
    return u & sign ? -(int64_t)(u & (sign - 1)) : (int64_t)u;
}

static bool alike(const check *c, tt_dtype d, const void *got, const void *want)
{
    const ir_class k = ir_dtype_of(d)->cls;
    if (k == IR_COMPLEX_CLASS) {
        const tt_dtype half = d == TT_C64 ? TT_F32 : TT_F64;
        const size_t n = ir_dtype_of(half)->bytes;
        return alike(c, half, got, want) && alike(c, half, (const char *)got + n, (const char *)want + n);
    }
    if (k != IR_FLOAT_CLASS) return !memcmp(got, want, ir_dtype_of(d)->bytes);
    const ir_box a = ir_box_of((void *)(uintptr_t)got, d, 0, NULL, NULL),
                 b = ir_box_of((void *)(uintptr_t)want, d, 0, NULL, NULL);
    const double x = ir_load(&a, (int64_t[1]){ 0 }).f, y = ir_load(&b, (int64_t[1]){ 0 }).f;
    if (c->kind == EQUAL) return x == y;
    const bool same = isnan(x) || isnan(y) ? isnan(x) && isnan(y) : x == y, finite = isfinite(x) && isfinite(y);
    if (c->kind == ALMOST) return same || (finite && fabs(x - y) <= c->most);
    const int64_t p = ordered(d, got), q = ordered(d, want);
    const double apart = same ? 0 : finite ? (double)(p > q ? (uint64_t)p - (uint64_t)q : (uint64_t)q - (uint64_t)p)
        : 0x1p64;
    return c->least <= apart && apart <= c->most;
}

static void *bytes_of(tt_val v, size_t *n)
{
    *n = (size_t)tt_count(v) * ir_dtype_of(tt_dtype_of(v))->bytes;
    void *const p = malloc(*n + 16);
    return p && tt_read(v, p, *n) ? p : (free(p), NULL);
}

static void text_of(tt_dtype d, const char *p, char *to, size_t capacity)
{
    const ir_class k = ir_dtype_of(d)->cls;
    const ir_box a = ir_box_of((void *)(uintptr_t)p, d, 0, NULL, NULL);
    if (k == IR_COMPLEX_CLASS) snprintf(to, capacity, "a complex number");
    else if (k == IR_FLOAT_CLASS) snprintf(to, capacity, "%.17g", ir_load(&a, (int64_t[1]){ 0 }).f);
    else snprintf(to, capacity, "%lld", (long long)ir_load(&a, (int64_t[1]){ 0 }).i);
}

static bool compared(const check *c, tt_val got, tt_val want, char *what, size_t capacity)
{
    size_t n, m, each = ir_dtype_of(tt_dtype_of(got))->bytes;
    char *const a = bytes_of(got, &n), *const b = a ? bytes_of(want, &m) : NULL, is[64], be[64];
    bool ok = b && n == m;
    if (!ok) snprintf(what, capacity, "%s", b ? "another shape" : tt_ok() ? "no memory" : tt_error());
    for (size_t i = 0; ok && i < n; i += each)
        if (!alike(c, tt_dtype_of(got), a + i, b + i)) {
            text_of(tt_dtype_of(got), a + i, is, sizeof is);
            text_of(tt_dtype_of(got), b + i, be, sizeof be);
            snprintf(what, capacity, "element %zu is %s, expected %s (%s, %s)", i / each, is, be,
                     ir_dtype_of(tt_dtype_of(got))->name,
                     c->kind == EQUAL    ? "equal"
                     : c->kind == ALMOST ? "almost"
                                         : "in ulp");
            ok = false;
        }
    free(a), free(b);
    return ok;
}

/* ---- one module ---- */

typedef struct { int passed, failed, skipped, refused; char reason[16][80]; int of[16]; } tally;
static tally *sum;                                       /* shared with the processes that run the files */
static bool listing, disabled;                           /* the file's authors do not run it */

static void skip(const char *reason)
{
    int i = 0;
    sum->skipped++;
    while (i < 16 && *sum->reason[i] && strcmp(sum->reason[i], reason)) i++;
    if (i == 16) return;
    snprintf(sum->reason[i], sizeof sum->reason[i], "%s", reason);
    sum->of[i]++;
}

static void fail(const char *path, int line, const char *function, const char *what)
{
    if (disabled) {
        skip("fails, and is disabled by its authors");
        return;
    }
    sum->failed++;
    printf("FAIL %s:%d: @%s: ", path, line, function);
    for (const char *p = what; *p; p++) putchar(*p == '\n' ? ' ' : *p);
    putchar('\n');
}

/* What this library refuses on purpose; NULL: none of it. */
static const char *beyond(const char *error)
{
    static const char *const t[][2] = {
        { "a dynamic dimension", "dynamic shapes" },
        { "quantised", "quantised types" },
        { "!quant", "quantised types" },
        { "an encoding (bounds", "dynamic shapes" },
        { "dynamic_", "dynamic shapes" },
        { "real_dynamic", "dynamic shapes" },
        { "set_dimension_size", "dynamic shapes" },
        { "processes of different programs", "processes of different programs" },
        { "tokens between processes", "infeed, outfeed, send, recv" },
        { "infeed", "infeed, outfeed, send, recv" },
        { "outfeed", "infeed, outfeed, send, recv" },
        { "stablehlo.send", "infeed, outfeed, send, recv" },
        { "stablehlo.recv", "infeed, outfeed, send, recv" },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) if (strstr(error, t[i][0])) return t[i][1];
    return NULL;
}

/* Rows and columns of the table of programs in a function's text: [["f"], ["f"]]. */
static const mesh *processes(const char *text, const char *function)
{
    char name[200], made[80];
    int rows = 0, cols = 1;
    snprintf(name, sizeof name, "@%s(", function);
    const char *p = strstr(text, name), *const next = p ? strstr(p + 1, "func.func") : NULL;
    p = p ? strstr(p, "run_parallel") : NULL;
    p = p ? strstr(p, "programs") : NULL;
    if (!p || (next && p > next)) return NULL;
    p += strcspn(p, "[");
    for (p += *p == '['; *p && *p != ']'; p++) {
        if (*p != '[') continue;
        rows++;
        for (cols = 1; *p && *p != ']'; p++) cols += *p == ',';
    }
    snprintf(made, sizeof made, "replica:%d, partition:%d", rows ? rows : 1, cols);
    return mesh_of(NULL, made);
}

static void run_function(const char *path, int first_line, const char *text, const char *function)
{
    static checks c;
    char what[600];
    const bool calls = strstr(text, "custom_call") && strstr(text, "@check.");
    c.n = 0;
    const hlo_more more = { .rule = rules,
                            .target = calls ? targets : NULL,
                            .function = function,
                            .mesh = processes(text, function),
                            .nreplica = 1,
                            .env = &c };
    base_arena *const a = base_open();
    ir_fn *f = hlo_read_more(a, base_intern("text"), text, &more);
    if (f) f = hlo_raise(a, f);
    if (!f) {
        const char *const error = base_failed() ? base_failed()->what : "no error";
        const char *const reason = beyond(error);
        if (reason) skip(reason);
        else fail(path, first_line, function, error);
        base_clear_error();
        return;
    }
    if (!c.n) {
        skip("without checks");
        return;
    }
    const tt_val y = tt_call_n(0, tt_jit(trace_fn_ir(f)), 0, NULL);
    const int own = (int)f->nret - 2 * c.n;
    bool ok = tt_ok();
    if (!ok) fail(path, first_line, function, tt_error());
    for (int i = 0; ok && i < c.n; i++)
        if (!(ok = compared(&c.at[i], tt_item(y, own + 2 * i), tt_item(y, own + 2 * i + 1), what, sizeof what)))
            fail(path, first_line + c.at[i].line - 1, function, what);
    if (ok) sum->passed++;
    if (ok && listing) printf("pass %s: @%s\n", path, function);
    tt_clear();
}

/* A program marked expected-error: one of its functions is refused. */
static void must_fail(const char *path, int line, const char *text)
{
    base_name names[NAMES];
    base_arena *const a = base_open();
    const int n = hlo_public(a, base_intern("text"), text, false, names, NAMES);
    for (int i = 0; i < n && !base_failed(); i++) {
        const hlo_more more = { .rule = rules, .function = names[i], .mesh = processes(text, names[i]), .nreplica = 1 };
        hlo_read_more(a, base_intern("text"), text, &more);
    }
    const char *const reason = base_failed() ? beyond(base_failed()->what) : NULL;
    if (!base_failed()) fail(path, line, "", "was accepted; it is marked expected-error");
    else if (reason) skip(reason);
    else sum->passed++, sum->refused++;
    base_clear_error();
    base_close(a);
}

static void run_module(const char *path, int line, const char *text)
{
    base_name names[NAMES];
    base_arena *const a = base_open();
    if (strstr(text, "expected-error")) must_fail(path, line, text);
    else {
        const int n = hlo_public(a, base_intern("text"), text, true, names, NAMES);
        if (base_failed()) {
            const char *const reason = beyond(base_failed()->what);
            if (reason) skip(reason);
            else if (!strstr(text, "func.func")) skip("without checks");
            else fail(path, line, "", base_failed()->what);
            base_clear_error();
        } else if (!n) skip("without checks");
        bool main = false;
        for (int i = 0; i < n; i++) main |= !strcmp(names[i], "main");
        for (int i = 0; i < n; i++) if (!main || !strcmp(names[i], "main")) run_function(path, line, text, names[i]);
    }
    base_close(a);
}

/* ---- files ---- */

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

static void run_file(const char *path)
{
    FILE *const f = fopen(path, "rb");
    struct stat s;
    char *const text = f && !fstat(fileno(f), &s) ? calloc(1, (size_t)s.st_size + 1) : NULL;
    if (!text || fread(text, 1, (size_t)s.st_size, f) != (size_t)s.st_size) fail(path, 0, "", "could not be read");
    if (f) fclose(f);
    disabled = text && strstr(text, "RUN-DISABLED") != NULL;
    tt_on_error(silent, NULL);
    tt_config("devices:64");
    int line = 1;
    for (char *p = text; p && *p;) {
        char *end = strstr(p, "\n// -----");
        if (end) *end = 0;
        if (p[strspn(p, " \t\r\n")]) run_module(path, line, p);
        if (!end) break;
        for (char *q = p; q <= end; q++) line += *q == '\n' || q == end;
        p = end + 1 + strcspn(end + 1, "\n");
    }
    free(text);
}

static void in_process(const char *path)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        run_file(path);
        fflush(stdout);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
        sum->failed++;
        printf("FAIL %s: %s\n", path,
               WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "takes too long" : "a crash");
    }
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int walk(const char *dir, const char *only)       /* how many files */
{
    struct dirent **names;
    struct stat s;
    const int n = scandir(dir, &names, NULL, by_name);
    int files = 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        const char *const name = names[i]->d_name, *const dot = strrchr(name, '.');
        snprintf(path, sizeof path, "%s/%s", dir, name);
        if (*name != '.' && !stat(path, &s)) {
            if (S_ISDIR(s.st_mode)) files += walk(path, only);
            else if (dot && !strcmp(dot, ".mlir") && (!only || strstr(path, only))) in_process(path), files++;
        }
        free(names[i]);
    }
    if (n >= 0) free(names);
    return files;
}

int main(int argc, char **argv)
{
    const char *dir = getenv("TUTTI_CONFORMANCE"), *only = NULL;
    int at = 1, files = 0;
    for (; at < argc && !strncmp(argv[at], "--", 2); at++) {
        if (!strcmp(argv[at], "--list")) listing = true;
        else if (!strcmp(argv[at], "--only") && at + 1 < argc) only = argv[++at];
        else return fprintf(stderr, "usage: conformance [--only TEXT] [--list] [DIR...]\n"), 2;
    }
    if (at == argc && (!dir || !*dir)) {
        printf("skip: no StableHLO programs here (TUTTI_CONFORMANCE is not set)\n0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    sum = mmap(NULL, sizeof *sum, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == argc) files = walk(dir, only);
    for (; at < argc; at++) files += walk(argv[at], only);
    if (!files) printf("FAIL: no .mlir there\n"), sum->failed++;
    for (int i = 0; i < 16 && sum->of[i]; i++) printf("skipped %5d  %s\n", sum->of[i], sum->reason[i]);
    printf("%d files; %d programs in error refused\n", files, sum->refused);
    printf("%d passed, %d failed, %d skipped\n", sum->passed, sum->failed, sum->skipped);
    return sum->failed != 0;
}
