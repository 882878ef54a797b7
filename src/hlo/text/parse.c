/* hlo/text/parse.c - parses modules, functions, regions and operations in their generic form; aliases.
 *
 *     %r:2 = "dialect.op"(%a, %b) <{properties}> ({ regions }) {attributes} : (types) -> types loc(...)
 *
 * Properties and attributes become one list, properties first. A name without quotes begins a pretty form: form.c. */
#include "../inner.h"

#include <string.h>

static bool params(hlo_parser *p, const char *close, hlo_region *g)      /* %a: type {attributes} loc(...), ... */
{
    if (hlo_take(p, close)) return true;
    do {
        hlo_param *const a = HLO_MORE(p->arena, &g->arg);
        hlo_use u;
        if (!hlo_value(p, &u)) return false;
        a->name = u.name;
        if (!hlo_need(p, ":") || !hlo_read_type(p, &a->type)) return false;
        if (hlo_next(p, "{") && !hlo_read_dict(p, "{", "}", &a->attr)) return false;
        if (!hlo_read_loc(p, &a->loc)) return false;
    } while (hlo_take(p, ","));
    return hlo_need(p, close);
}

static bool parse_results(hlo_parser *p, hlo_op *o)
{
    if (!hlo_next(p, "%")) return true;
    do {
        hlo_pack *const r = HLO_MORE(p->arena, &o->result);
        hlo_use u;
        const char *const at = p->at;
        if (!hlo_value(p, &u)) return false;
        *r = (hlo_pack){ u.name, 1 };
        if (hlo_take(p, ":") && !hlo_integer(p, &r->count)) return false;
        if (r->count < 0 || r->count > 1 << 20)
            return hlo_fail(p, at, TT_EARG, "%lld results; expected 0 to 2^20", (long long)r->count);
    } while (hlo_take(p, ","));
    return hlo_need(p, "=");
}

bool hlo_read_signature(hlo_parser *p, hlo_op *o)
{
    if (!hlo_read_types(p, &o->to)) return false;
    if (!hlo_take(p, "->")) return true;
    o->from = o->to;
    o->to = (hlo_types){ 0 };
    o->typed = true;
    return hlo_read_types(p, &o->to);
}

static bool generic(hlo_parser *p, hlo_op *o)
{
    if (!hlo_string(p, &o->name) || !hlo_need(p, "(")) return false;
    if (!hlo_take(p, ")")) {
        do {
            if (!hlo_value(p, HLO_MORE(p->arena, &o->in))) return false;
        } while (hlo_take(p, ","));
        if (!hlo_need(p, ")")) return false;
    }
    if (hlo_next(p, "[")) return hlo_fail(p, p->at, TT_EARG, "an operation with successors, which is not supported");
    if (hlo_take(p, "<")) {
        if (!hlo_read_dict(p, "{", "}", &o->attr) || !hlo_need(p, ">")) return false;
    }
    if (hlo_take(p, "(")) {
        do {
            if (!hlo_read_region(p, HLO_MORE(p->arena, &o->region))) return false;
        } while (hlo_take(p, ","));
        if (!hlo_need(p, ")")) return false;
    }
    if (hlo_next(p, "{") && !hlo_read_dict(p, "{", "}", &o->attr)) return false;
    if (!hlo_next(p, ":")) return hlo_expected(p, "\":\" and the types");
    hlo_take(p, ":");
    if (!hlo_read_signature(p, o)) return false;
    return o->typed || hlo_expected(p, "\"->\" and the types of the results");
}

/* True if the text gives as many types as values, for pretty forms with types only. */
static bool types_fit(hlo_parser *p, const hlo_op *o)
{
    const bool choice = hlo_is(o->name, "stablehlo.select"), each = hlo_is(o->name, "stablehlo.optimization_barrier");
    const int want = choice ? 2 : each ? o->in.n : o->to.n;
    return o->typed || o->to.n == want ||
           hlo_fail(p, o->at, TT_ETYPE, "%.*s: %d types are expected, not %d", HLO_SPAN(o->name), want, o->to.n);
}

static bool operation(hlo_parser *p, hlo_op *o)
{
    if (!parse_results(p, o)) return false;
    hlo_blank(p);
    o->at = p->at;
    if (hlo_next(p, "\"")) {
        if (!generic(p, o)) return false;
    } else {
        o->name = hlo_word(p);
        if (!o->name.n) return hlo_expected(p, "an operation");
        if (!hlo_read_pretty(p, o) || !types_fit(p, o)) return false;
        if (!o->typed && o->result.n == 1 && o->result.v[0].count == 1 && o->to.n > 1)
            o->to.v += o->to.n - 1, o->to.n = o->to.cap = 1;     /* select and clamp: the last type is the result's */
    }
    return hlo_read_loc(p, &o->loc);
}

/* Operations up to '}'. The caller has consumed the '{'. */
static bool operations(hlo_parser *p, hlo_region *g)
{
    if (hlo_take(p, "^")) {
        if (!hlo_word(p).n) return hlo_expected(p, "a block's name");
        if (hlo_take(p, "(") && !params(p, ")", g)) return false;
        if (!hlo_need(p, ":")) return false;
    }
    while (!hlo_take(p, "}")) {
        if (hlo_next(p, "^")) return hlo_fail(p, p->at, TT_EARG, "a region of several blocks, which is not supported");
        hlo_op *const o = HLO_MORE(p->arena, &g->op);
        if (!operation(p, o)) return false;
    }
    return true;
}

bool hlo_read_region(hlo_parser *p, hlo_region *g)
{
    hlo_blank(p);
    g->at = p->at;
    if (!hlo_need(p, "{") || !hlo_deeper(p) || !operations(p, g)) return false;
    p->depth--;
    return true;
}

static bool function_results(hlo_parser *p, hlo_func *f)
{
    if (!hlo_take(p, "->")) return true;
    if (!hlo_take(p, "(")) return hlo_read_type(p, &HLO_MORE(p->arena, &f->ret)->type);
    if (hlo_take(p, ")")) return true;
    do {
        hlo_param *const r = HLO_MORE(p->arena, &f->ret);
        if (!hlo_read_type(p, &r->type)) return false;
        if (hlo_next(p, "{") && !hlo_read_dict(p, "{", "}", &r->attr)) return false;
    } while (hlo_take(p, ","));
    return hlo_need(p, ")");
}

static bool function(hlo_parser *p)
{
    hlo_func *const f = HLO_MORE(p->arena, &p->module->func);
    hlo_attrs ignored = { 0 };
    const char *loc;
    f->hidden = hlo_take(p, "private");
    if (!f->hidden) hlo_take(p, "public");
    f->module = p->inside;
    const char *const at = p->at;
    if (!hlo_symbol(p, &f->name)) return false;
    if (hlo_function_in(p->module, f->module, f->name))
        return hlo_fail(p, at, TT_EARG, "a second function @%.*s", HLO_SPAN(f->name));
    int *const head = &p->module->of_func[hlo_chain(f->name)];
    f->next = *head, *head = p->module->func.n;
    hlo_region g = { 0 };
    if (!hlo_need(p, "(") || !params(p, ")", &g) || !function_results(p, f)) return false;
    if (hlo_take(p, "attributes") && !hlo_read_dict(p, "{", "}", &ignored)) return false;
    f->arg = g.arg;
    return hlo_read_region(p, &f->body) && hlo_read_loc(p, &loc);
}

static bool mesh_line(hlo_parser *p)                     /* sdy.mesh @mesh = <["data"=2, "model"=4]> {...} */
{
    hlo_mesh *const m = HLO_MORE(p->arena, &p->module->mesh);
    hlo_attrs ignored = { 0 };
    const char *loc;
    m->module = p->inside;
    if (!hlo_symbol(p, &m->name) || !hlo_need(p, "=") || !hlo_balanced(p, &m->text)) return false;
    return (!hlo_next(p, "{") || hlo_read_dict(p, "{", "}", &ignored)) && hlo_read_loc(p, &loc);
}

static bool alias(hlo_parser *p)                         /* #name = attribute */
{
    const char *const from = p->at++;
    hlo_attr a = { 0 };
    if (!hlo_word(p).n) return hlo_expected(p, "a name behind \"#\"");
    const hlo_span key = { from, (size_t)(p->at - from) };
    if (!hlo_need(p, "=") || !hlo_read_attr(p, &a)) return false;
    a.key = key;
    int *const head = &p->module->of_alias[hlo_chain(key)];
    *HLO_MORE(p->arena, &p->module->alias) = (hlo_alias){ a, *head };
    *head = p->module->alias.n;
    return true;
}

static bool items(hlo_parser *p, bool inside)            /* functions, modules, meshes, aliases */
{
    const char *loc;
    for (;;) {
        hlo_blank(p);
        if (inside && hlo_take(p, "}")) return true;
        if (p->at >= p->end) return !inside || hlo_expected(p, "\"}\"");
        if (hlo_next(p, "{-#"))
            return hlo_fail(p, p->at, TT_EARG, "literals kept outside the module, which are not supported");
        if (hlo_next(p, "#")) {
            if (!alias(p)) return false;
        } else if (hlo_take(p, "module")) {
            hlo_span name;
            if (hlo_next(p, "@") && !hlo_symbol(p, &name)) return false;
            hlo_attrs attr = { 0 };
            if (hlo_take(p, "attributes") && !hlo_read_dict(p, "{", "}", &attr)) return false;
            *HLO_MORE(p->arena, &p->module->attr) = attr;
            const int around = p->inside;
            p->inside = ++p->modules;
            if (!hlo_need(p, "{") || !hlo_deeper(p) || !items(p, true) || !hlo_read_loc(p, &loc)) return false;
            p->inside = around;
            p->depth--;
        } else if (hlo_take(p, "func.func")) {
            if (!function(p)) return false;
        } else if (hlo_take(p, "sdy.mesh")) {
            if (!mesh_line(p)) return false;
        } else if (!strncmp(p->at, "ML\xef" "R", 4)) {
            hlo_fail(p, p->at, TT_EARG, "this is MLIR bytecode, not text");
            return base_hint("print the module as text: in Python, str(lowered.compiler_ir())");
        } else if (!strncmp(p->at, "\"vhlo.", 6)) {
            hlo_fail(p, p->at, TT_EARG, "VHLO, the form in which StableHLO is stored, is not read");
            return base_hint("print StableHLO: lowered.as_text(), or exported.mlir_module()");
        } else return hlo_expected(p, "a module or a function");
    }
}

bool hlo_parse(hlo_parser *p)
{
    if (!items(p, false)) return false;
    return p->module->func.n || hlo_fail(p, p->at, TT_EARG, "there is no function in this text");
}
