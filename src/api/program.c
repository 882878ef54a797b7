/* api/program.c - tt_import: StableHLO text, from a file or a string, as a function. */
#include "api.h"

#include "../pass/pass.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_text(const char *s)
{
    static const char *const begins[] = { "module", "func.func", "#", "//" };
    if (strchr(s, '\n')) return true;
    while (*s == ' ' || *s == '\t') s++;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) if (!strncmp(s, begins[i], strlen(begins[i])))
        return true;
    return false;
}

/* The file's bytes with a 0 appended, on the heap. NULL with the error set. */
static char *file_text(base_site site, const char *path, size_t *bytes)
{
    FILE *const f = fopen(path, "rb");
    char *text = NULL;
    long n = -1;
    struct stat st;
    if (f && !fstat(fileno(f), &st) && S_ISDIR(st.st_mode)) errno = EISDIR;
    else if (f && fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
        *bytes = (size_t)n + 1;
        text = base_heap(*bytes);
        if (text && fread(text, 1, (size_t)n, f) != (size_t)n) {
            base_heap_free(text);
            text = NULL;
        }
    }
    if (!text) base_fail(TT_EARG, site, "%s: %s", path, f && n >= 0 ? "could not be read" : strerror(errno));
    if (f) fclose(f);
    return text;
}

/* True if the file is text: no byte is 0. Else the error guesses its format. */
static bool readable(base_site site, const char *path, const char *text, size_t bytes)
{
    if (strlen(text) + 1 == bytes) return true;
    base_fail(TT_EARG, site, "%s is not text", path);
    if (memmem(text, bytes, "ML\xef" "R", 4) || memmem(text, bytes, "StableHLO_v", 11))
        return base_hint("MLIR bytecode, as jax.export's serialize() makes it: write exported.mlir_module() instead");
    return base_hint("a program is StableHLO text: jax.jit(f).lower(...).as_text()");
}

ENTRY1(tt_fn, ((tt_fn){ 0, 0 }), tt_import, const char *, source)
{
    size_t bytes = 0;
    if (!source || !*source) {
        base_fail(TT_EARG, site, source ? "tt_import: the text is empty" : "tt_import: the text, or path, is NULL");
        return (tt_fn){ 0, 0 };
    }
    if (is_text(source)) return trace_import(site, base_intern("text"), source);
    char *const text = file_text(site, source, &bytes);
    if (!text) return (tt_fn){ 0, 0 };
    const char *const slash = strrchr(source, '/');
    char *const kept = base_copy(trace_temp(), text, bytes);
    base_heap_free(text);
    if (!readable(site, source, kept, bytes)) return (tt_fn){ 0, 0 };
    return trace_import(site, base_intern(slash ? slash + 1 : source), kept);
}

VAL1(tt_import_args, tt_fn, f)
{
    const ir_fn *const fn = trace_fn_imported(site, f);
    if (!fn) return trace_poison;
    const trace_tree **const leaf = BASE_NEW(trace_temp(), const trace_tree *, fn->narg + 1);
    trace_value **const v = BASE_NEW(trace_temp(), trace_value *, fn->narg + 1);
    for (uint32_t i = 0; i < fn->narg; i++) {
        leaf[i] = trace_leaf(NULL, false);
        v[i] = trace_abstract(site, fn->type[i + 1], fn->layout ? fn->layout[i + 1] : NULL, false);
    }
    trace_value *const all = trace_tree_value(site, trace_tuple_of((int)fn->narg, leaf), v);
    for (uint32_t i = 0; i < fn->narg; i++) trace_unref(v[i]);
    return api_handle(all);
}

ENTRY1(const char *, "", tt_import_donated, tt_fn, f)
{
    const ir_fn *const fn = trace_fn_imported(site, f);
    base_text t = { .arena = trace_temp() };
    if (!fn) return "";
    for (uint32_t i = 0; fn->donate && i < fn->narg; i++) if (fn->donate[i]) base_appendf(&t, "%s%u", t.n ? ", " : "",
        i);
    return t.n ? base_intern(t.s) : "";
}

static int by_count(const void *a, const void *b)
{
    const tt_op_count *const x = a, *const y = b;
    return x->n != y->n ? (y->n > x->n) - (y->n < x->n) : strcmp(x->name, y->name);
}

static const tt_program_work no_work;

/* Interned, like everything that lives as long as the program. */
ENTRY1(const tt_program_work *, &no_work, tt_import_work, tt_fn, f)
{
    const ir_fn *const fn = trace_fn_imported(site, f);
    pass_work *const w = BASE_NEW(trace_temp(), pass_work, 1);
    if (!fn) return &no_work;
    pass_count(fn, w);
    tt_op_count *const kind = BASE_NEW(trace_temp(), tt_op_count, w->nkind + 1);
    const int loops = w->nloop < PASS_LOOPS ? w->nloop : PASS_LOOPS;
    tt_loop_iterations *const loop = BASE_NEW(trace_temp(), tt_loop_iterations, loops + 1);
    for (int k = 0; k < w->nkind; k++) kind[k] = (tt_op_count){ w->kind[k].name, w->kind[k].n };
    for (int k = 0; k < loops; k++)
        loop[k] = (tt_loop_iterations){ w->loop[k].site ? w->loop[k].site : "", w->loop[k].iterations };
    qsort(kind, (size_t)w->nkind, sizeof *kind, by_count);
    tt_program_work *const all = BASE_NEW(trace_temp(), tt_program_work, 1);     /* padding is zero too */
    all->operations = w->equations;
    all->flops = w->flops;
    all->unknown = w->unknown;
    all->kinds = w->nkind;
    all->kind = base_intern_bytes(kind, (size_t)w->nkind * sizeof *kind);
    all->loops = loops;
    all->loop = base_intern_bytes(loop, (size_t)loops * sizeof *loop);
    return base_intern_bytes(all, sizeof *all);
}
