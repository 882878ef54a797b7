/* hlo/read/read.c - converts the tree of a text to a function: emits operations by their rules, compares types, reads
 * called functions.
 *
 * A rule is found by the operation's name in the tables of the families; an operation named like a primitive without
 * attributes and regions needs no rule. After each operation the inferred types are compared with the text's. A called
 * function is read once; small functions, and those called once, are inlined; others stay calls. */
#include "../inner.h"
#include "../../op/ops.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { RULES = 1024 };

static const hlo_rule *const families[] = {
    hlo_elementwise, hlo_shapes, hlo_indices, hlo_regions, hlo_control, hlo_functions, hlo_randoms, hlo_norms,
    hlo_products, hlo_algebra, hlo_targets, hlo_shardings, hlo_manuals, hlo_collectives, hlo_old, NULL };

static const hlo_rule **slot(const hlo_rule **table, const char *name, size_t n)
{
    size_t k = base_hash(0, name, n) % RULES;
    while (table[k] && (strlen(table[k]->name) != n || memcmp(table[k]->name, name, n))) k = (k + 1) % RULES;
    return &table[k];
}

static void index_rules(hlo_reader *r)
{
    r->rule = BASE_NEW(r->p->arena, const hlo_rule *, RULES);
    for (const hlo_rule *k = r->more ? r->more->rule : NULL; k && k->name; k++)
        *slot(r->rule, k->name, strlen(k->name)) = k;
    for (int f = 0; families[f]; f++)
        for (const hlo_rule *k = families[f]; k->name; k++) {
            const hlo_rule **const at = slot(r->rule, k->name, strlen(k->name));
            if (!*at) *at = k;
        }
}

bool hlo_refuse(hlo_reader *r, const hlo_op *o, tt_code code, const char *fmt, ...)
{
    char what[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return hlo_fail(r->p, o->at, code, "%.*s: %s", HLO_SPAN(o->name), what);
}

const ir_type *hlo_result(const hlo_op *o, int j) { return j < o->to.n ? o->to.v[j].type : NULL; }

bool hlo_emit(hlo_reader *r, const op_prim *prim, const void *attr, int n, const ir_id *x, ir_id *y)
{
    const ir_id first = ir_emit(r->b, prim, attr, (uint32_t)n, x, 0, NULL);
    const ir_eqn *const e = ir_def(r->b, first);
    for (uint32_t j = 0; e && j < e->nout; j++) y[j] = first + j;
    return first != 0;
}

/* ---- one operation ---- */

static bool bare_row(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    char name[100];
    snprintf(name, sizeof name, "%.*s", HLO_SPAN(o->name));
    const op_prim *const prim = op_find_hlo(name);
    if (!prim || prim->attr || prim->nsub || prim->nout != 1) return hlo_unread(r, o);
    if (prim->nin >= 0 && o->in.n != prim->nin)
        return hlo_refuse(r, o, TT_EARG, "%d operands; expected %d", o->in.n, prim->nin);
    return hlo_emit(r, prim, NULL, o->in.n, x, y);
}

bool hlo_meaning(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_rule *const k = *slot(r->rule, o->name.at, o->name.n);
    return k ? k->read(r, o, x, y) : bare_row(r, o, x, y);
}

static const char *type_text(hlo_reader *r, const ir_type *t)
{
    return t ? ir_type_text(r->p->arena, t) : "nothing";
}

static bool types_agree(hlo_reader *r, const hlo_op *o, const hlo_types *said, int n, const ir_id *id, const char *what)
{
    if (said->n != n)
        return hlo_refuse(r, o, TT_ETYPE, "%d %ss, and types of %d; expected as many", n, what, said->n);
    for (int j = 0; j < n; j++) {
        const ir_type *const t = ir_typeof(r->b, id[j]);
        if (!said->v[j].type || said->v[j].type == t) continue;
        return hlo_fail(r->p, said->v[j].text.at, TT_ETYPE, "%.*s: %s %d is %s, the text says %s", HLO_SPAN(o->name),
                        what, j + 1,
                        type_text(r, t), type_text(r, said->v[j].type));
    }
    return true;
}

static bool is_return(hlo_span name)
{
    return hlo_is(name, "stablehlo.return") || hlo_is(name, "func.return") || hlo_is(name, "sdy.return");
}

static bool read_operands(hlo_reader *r, const hlo_op *o, ir_id *x)
{
    for (int i = 0; i < o->in.n; i++) if (!(x[i] = hlo_resolve(r, &o->in.v[i]))) return false;
    return !o->typed || types_agree(r, o, &o->from, o->in.n, x, "operand");
}

/* Extends an error by the line of the program that printed this text, for the innermost operation. */
static bool blamed(hlo_reader *r, const hlo_op *o, bool ok)
{
    const base_site source = hlo_source(r->p, o->loc);
    if (source && r->blamed != base_failures()) base_also(source, "%.*s", HLO_SPAN(o->name));
    r->blamed = base_failures();
    return ok;
}

static bool operation(hlo_reader *r, const hlo_op *o)
{
    int n = 0;
    for (int i = 0; i < o->result.n; i++) n += (int)o->result.v[i].count;
    if (o->to.n != n) return hlo_refuse(r, o, TT_ETYPE, "%d results, and types of %d; expected as many", n, o->to.n);
    /* most additional results of a primitive that the text leaves out */
    enum { MORE = 16 };
    ir_id *const y = BASE_NEW(r->p->arena, ir_id, n + o->in.n + MORE);
    ir_id *const x = BASE_NEW(r->p->arena, ir_id, o->in.n + 1);
    if (!read_operands(r, o, x) || (o->attr.n && !hlo_hints(r, o))) return blamed(r, o, false);
    const uint64_t before = base_failures();
    r->work++;
    ir_site(r->b, hlo_site(r->p, o->at, o->loc));
    if (!hlo_meaning(r, o, x, y) || r->bad)
        return blamed(r, o, base_failures() == before ? hlo_refuse(r, o, TT_EBUG, "was not read") : false);
    if (y[n])
        return blamed(r, o, hlo_refuse(r, o, TT_ETYPE, "there are more than the %d result%s that the text names", n,
                                       n == 1 ? "" : "s"));
    if (!types_agree(r, o, &o->to, n, y, "result")) return blamed(r, o, false);
    for (int i = 0, at = 0; i < o->result.n; at += (int)o->result.v[i++].count)
        if (!hlo_bind(r, o->result.v[i].name, y + at, o->result.v[i].count)) return false;
    return true;
}

bool hlo_operations(hlo_reader *r, const hlo_region *g, int more, ir_id **ret, int *nret)
{
    for (int i = 0; i < g->op.n; i++) {
        const hlo_op *const o = &g->op.v[i];
        if (!is_return(o->name)) {
            if (!operation(r, o)) return false;
            continue;
        }
        *nret = o->in.n;
        *ret = BASE_NEW(r->p->arena, ir_id, o->in.n + more + 1);
        if (i + 1 < g->op.n) return hlo_fail(r->p, g->op.v[i + 1].at, TT_EARG, "an operation after the return");
        return read_operands(r, o, *ret) && (o->typed || types_agree(r, o, &o->to, o->in.n, *ret, "result"));
    }
    return hlo_fail(r->p, g->at, TT_EARG, "a region that does not return");
}

/* ---- functions ---- */

hlo_func *hlo_function(hlo_reader *r, hlo_span name) { return hlo_function_in(r->m, r->module, name); }

static bool declared(hlo_reader *r, const hlo_func *f, int nret, const ir_id *ret)
{
    if (nret != f->ret.n)
        return hlo_fail(r->p, f->name.at, TT_ETYPE, "@%.*s returns %d values, not %d", HLO_SPAN(f->name), nret,
                        f->ret.n);
    for (int j = 0; j < nret; j++)
        if (f->ret.v[j].type.type && f->ret.v[j].type.type != ir_typeof(r->b, ret[j]))
            return hlo_fail(r->p, f->ret.v[j].type.text.at, TT_ETYPE, "result %d of @%.*s is %s, the text says %s",
                            j + 1,
                            HLO_SPAN(f->name), type_text(r, ir_typeof(r->b, ret[j])),
                                type_text(r, f->ret.v[j].type.type));
    return true;
}

/* the results, constrained to the layouts that the text gives */
static bool returned(hlo_reader *r, const hlo_func *f, ir_id *ret)
{
    for (int j = 0; j < f->ret.n; j++)
        if (!(ret[j] = hlo_laid_out(r, &f->ret.v[j].attr, ret[j]))) return false;
    return true;
}

static ir_fn *read_function(hlo_reader *r, hlo_func *f)
{
    ir_build *const outer = r->b;
    const int mark = hlo_mark(r->names), frame = r->names->frame;
    const int64_t work = r->work;
    ir_id *ret;
    int nret;
    ir_id *const arg = BASE_NEW(r->p->arena, ir_id, f->arg.n + 1);
    r->b = ir_begin(r->arena, hlo_name(f->name), r->mesh);
    r->names->frame = ++r->frames;
    r->work = 0;
    for (int i = 0; i < f->arg.n; i++) {
        const hlo_param *const a = &f->arg.v[i];
        if (!a->type.type)
            return hlo_fail(r->p, a->type.text.at, TT_ETYPE, "a parameter that is not a tensor is not supported"), NULL;
        arg[i] = ir_arg(r->b, a->type.type);
    }
    for (int i = 0; i < f->arg.n; i++) {
        ir_site(r->b, hlo_site(r->p, f->arg.v[i].name.at, f->arg.v[i].loc));
        if (!(arg[i] = hlo_laid_out(r, &f->arg.v[i].attr, arg[i]))) return NULL;
    }
    if (!hlo_bind_params(r, &f->arg, arg)) return NULL;
    if (hlo_operations(r, &f->body, r->more ? 1 << 12 : 0, &ret, &nret) && declared(r, f, nret, ret) &&
        returned(r, f, ret)) {
        if (!outer) for (int i = 0; i < r->yielded.n && i < 1 << 12; i++) ret[nret++] = r->yielded.v[i];
        f->fn = ir_end(r->b, (uint32_t)nret, ret);
    }
    f->work = r->work;
    r->work = work;
    r->b = outer;
    r->names->frame = frame;
    hlo_release(r->names, mark);
    return f->fn;
}

/* True if the program, with this call of f inlined like all others, is small enough for plans to inline. */
static bool bounded(hlo_reader *r, const hlo_op *o, const hlo_func *f)
{
    const int64_t most = HLO_WORK + 64 * (r->p->end - r->p->begin);
    if ((r->work += f->work) <= most) return true;
    hlo_refuse(r, o, TT_EARG, "more than %lld operations with all calls written out; @%.*s alone is %lld",
               (long long)most, HLO_SPAN(f->name), (long long)f->work);
    return base_hint("functions that call the next one several times double the work at each level");
}

bool hlo_call(hlo_reader *r, const hlo_op *o, hlo_func *f, const ir_id *x, ir_id *y)
{
    if (f->under_way) return hlo_refuse(r, o, TT_EARG, "recursion, which is not supported");
    if (o->in.n != f->arg.n)
        return hlo_refuse(r, o, TT_EARG, "@%.*s takes %d values, not %d", HLO_SPAN(f->name), f->arg.n, o->in.n);
    for (int i = 0; i < o->in.n; i++)
        if (ir_typeof(r->b, x[i]) != f->arg.v[i].type.type)
            return hlo_refuse(r, o, TT_ETYPE, "operand %d is %s, @%.*s takes %s", i + 1,
                              type_text(r, ir_typeof(r->b, x[i])),
                              HLO_SPAN(f->name), type_text(r, f->arg.v[i].type.type));
    if (!f->fn) {
        if (r->calls == HLO_DEPTH) return hlo_refuse(r, o, TT_EARG, "calls nested more than %d deep", HLO_DEPTH);
        r->calls++, f->under_way = true;
        const ir_fn *const read = read_function(r, f);
        r->calls--, f->under_way = false;
        if (!read) return false;
    }
    if (!bounded(r, o, f)) return false;
    if (f->callers == 1 || f->fn->neqn <= HLO_SMALL) return ir_inline(r->b, f->fn, x, y);
    const ir_id first = ir_emit(r->b, &prim_call, NULL, (uint32_t)o->in.n, x, 1, &f->fn);
    for (uint32_t j = 0; j < f->fn->nret; j++) y[j] = first + j;
    return first != 0;
}

static void count_callers(hlo_reader *r, const hlo_region *g)
{
    for (int i = 0; i < g->op.n; i++) {
        const hlo_span callee = hlo_choice(&g->op.v[i].attr, "callee");
        hlo_func *const f = callee.n ? hlo_function(r, callee) : NULL;
        if (f) f->callers++;
        for (int k = 0; k < g->op.v[i].region.n; k++) count_callers(r, &g->op.v[i].region.v[k]);
    }
}

/* The function of that name, else the only public one. Of several modules, the one that has it. */
static hlo_func *read_entry(hlo_reader *r)
{
    base_text names = { .arena = r->p->arena };
    const char *const name = r->more && r->more->function ? r->more->function : "main";
    hlo_func *main = NULL, *public = NULL;
    int npublic = 0, nmain = 0;
    for (int i = 0; i < r->m->func.n; i++) {
        hlo_func *const f = &r->m->func.v[i];
        if (hlo_is(f->name, name) && !nmain++) main = f;
        if (!f->hidden) public = f, npublic++;
        if (i < 10) base_appendf(&names, "%s@%.*s", i ? ", " : "", HLO_SPAN(f->name));
    }
    if (nmain > 1) {
        hlo_fail(r->p, main->name.at - 1, TT_EARG, "%d modules of this text have an @%s", nmain, name);
        base_hint("keep one module in the text: a line \"// -----\" stands between them");
        return NULL;
    }
    if (main || npublic == 1) return main ? main : public;
    hlo_fail(r->p, r->m->func.v[0].name.at - 1, TT_EARG, "there is no @main, and %s function is public; there are: %s",
             npublic ? "more than one" : "no", names.s);
    return NULL;
}

static ir_fn *read_module(hlo_reader *r)
{
    index_rules(r);
    hlo_func *const f = read_entry(r);
    if (!f) return NULL;
    r->module = f->module;
    if (!hlo_read_meshes(r) || !hlo_read_grid(r)) return NULL;
    for (int i = 0; i < r->m->func.n; i++)
        if (r->m->func.v[i].module == r->module && !hlo_enclose(r, &r->m->func.v[i].body)) return NULL;
    if (!r->mesh && r->more && r->more->mesh) r->mesh = r->more->mesh, r->nreplica = r->more->nreplica;
    for (int i = 0; i < r->m->func.n; i++)
        if (r->m->func.v[i].module == r->module) count_callers(r, &r->m->func.v[i].body);
    if (!(r->more && r->more->mesh) && !hlo_read_replicas(r, f)) return NULL;
    const bool replicas = r->manual != 0;
    f->under_way = true;
    ir_fn *fn = read_function(r, f);
    if (fn && replicas) fn = hlo_for_replicas(r, f, fn);
    for (int i = 0; fn && i < f->arg.n; i++)
        if (hlo_flag(&f->arg.v[i].attr, "jax.buffer_donor") || hlo_find(&f->arg.v[i].attr, "tf.aliasing_output"))
            ((bool *)(uintptr_t)fn->donate)[i] = true;
    return fn;
}

typedef struct {
    base_arena *arena, *tree;
    base_site name;
    const char *text;
    const hlo_more *more;
    ir_fn *fn;
    base_name *out;                                      /* only names are read */
    bool tests;
    int cap, n;
} job;

static void read_text(void *arg)
{
    job *const j = arg;
    j->tree = base_open();
    hlo_module *const m = BASE_NEW(j->tree, hlo_module, 1);
    hlo_parser p = { .arena = j->tree, .file = j->name ? j->name : "text", .begin = j->text, .at = j->text,
                     .end = j->text + strlen(j->text), .module = m };
    hlo_reader r = { .p = &p, .m = m, .arena = j->arena, .names = BASE_NEW(j->tree, hlo_names, 1), .more = j->more };
    if (!hlo_parse(&p) || (m->tuple.n && !hlo_flatten(&p))) return;
    for (int i = 0; j->out && i < m->func.n && j->n < j->cap; i++)
        if (!m->func.v[i].hidden && (!j->tests || !m->func.v[i].arg.n)) j->out[j->n++] = hlo_name(m->func.v[i].name);
    if (!j->out) j->fn = read_module(&r);
}

static void read_work(job *j)
{
    const bool ok = base_catch(read_text, j);
    base_close(j->tree);
    if (!ok) base_unwind(0);
}

ir_fn *hlo_read_more(base_arena *a, base_site name, const char *text, const hlo_more *more)
{
    job j = { .arena = a, .name = name, .text = text, .more = more };
    read_work(&j);
    return j.fn;
}

ir_fn *hlo_read(base_arena *a, base_site name, const char *text) { return hlo_read_more(a, name, text, NULL); }

int hlo_public(base_arena *a, base_site name, const char *text, bool tests, base_name *out, int capacity)
{
    job j = { .arena = a, .name = name, .text = text, .tests = tests, .out = out, .cap = capacity };
    read_work(&j);
    return j.n;
}
