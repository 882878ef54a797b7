/* ir/parse.c - parses functions: the output of print.c, and the text of tests and of primitives' cases.
 *
 * Accepts more than print.c writes:
 * - Names of values are any words; types of values may be omitted.
 * - ';' separates equations as a newline does.
 * - An operand may be a literal (0, -inf, true, 3:i32): a scalar constant of the named dtype, else of the dtype of the
 *   first operand that is not a literal.
 * - "const f32[3] 0" is a splat.
 * A written type that differs from the inferred one is an error.
 *
 * Longer than 400 lines: one recursive descent, whose functions call each other. */
#include "inner.h"

#include <string.h>

typedef struct { base_name name; ir_id id; } symbol;
typedef struct scope {                                   /* the values of one function by name: open addressing */
    ir_build *b;
    symbol *at;
    uint32_t n, cap;
    const mesh_layout **layout;                          /* [id]: layout given by '@', or NULL */
    uint32_t layouts;                                    /* capacity of layout */
    bool any_layout, typed;                              /* typed: operands are types, each a new argument (ir_case) */
} scope;
typedef struct { base_name name; const ir_type *type; const mesh_layout *layout; const char *at; } result;
typedef struct { ir_id id; const char *literal; size_t n; tt_dtype dtype; } operand;

static ir_fn *read_fn(ir_reader *r, ir_build *b, bool top);

static symbol *slot(const scope *s, base_name name)
{
    uint32_t k = (uint32_t)base_hash(0, &name, sizeof name) & (s->cap - 1);
    while (s->at[k].name && s->at[k].name != name) k = (k + 1) & (s->cap - 1);
    return &s->at[k];
}

static bool define(ir_reader *r, scope *s, const result *v, ir_id id)
{
    if (2 * (s->n + 1) > s->cap) {
        const scope old = *s;
        s->cap = old.cap ? 2 * old.cap : 32;
        s->at = BASE_NEW(r->arena, symbol, s->cap);
        for (uint32_t k = 0; k < old.cap; k++) if (old.at[k].name) *slot(s, old.at[k].name) = old.at[k];
    }
    symbol *x = slot(s, v->name);
    if (x->name) return ir_complain(r, v->at, "\"%s\" is defined twice", v->name);
    *x = (symbol){ v->name, id };
    s->n++;
    if (v->layout) {
        if (id >= s->layouts) {
            const mesh_layout **l = BASE_NEW(r->arena, const mesh_layout *, 2 * id + 16);
            if (s->layouts) memcpy(l, s->layout, s->layouts * sizeof *l);
            s->layout = l;
            s->layouts = 2 * id + 16;
        }
        s->layout[id] = v->layout;
        s->any_layout = true;
    }
    return true;
}

static bool type_and_layout(ir_reader *r, result *v)     /* f32[8, 4] @"data, _" */
{
    if (!ir_type_read(r, &v->type)) return false;
    ir_skip_blanks(r);
    if (*r->p != '@') return true;
    r->p++;
    return ir_layout_read(r, v->type->rank, &v->layout);
}

/* ---- operands ---- */

static bool read_operand(ir_reader *r, scope *s, operand *o)
{
    const size_t n = ir_word(r), digits = ir_literal(r);
    const char *at = r->p;
    const ir_type *t;
    *o = (operand){ 0 };
    if (n && s->cap) {
        const symbol *x = slot(s, base_intern_n(at, n));
        if (x->name) {
            o->id = x->id;
            r->p += n;
            return true;
        }
    }
    if (digits) {
        *o = (operand){ .literal = at, .n = digits };
        r->p += digits;
        if (*r->p != ':') return true;
        r->p++;
        if (!ir_type_read(r, &t)) return false;
        o->dtype = t->dtype;
        return t->rank == 0 || ir_complain(r, at, "a literal is a scalar");
    }
    if (!n) return ir_complain(r, at, "an operand is missing here");
    if (!s->typed) return ir_complain(r, at, "no value named \"%.*s\" in this function", (int)(n < 64 ? n : 64), at);
    if (!ir_type_read(r, &t)) return false;
    o->id = ir_arg(s->b, t);
    return o->id != 0;
}

static bool set_field(const op_prim *op, char *attr, const char *name, const void *value, size_t bytes)
{
    for (const ir_field *f = op->field; f && f->name; f++)
        if (!strcmp(f->name, name)) {
            memcpy(attr + f->at, value, bytes);
            return true;
        }
    return base_bug(NULL, "const has no attribute %s", name);
}

/* Reads the element at r->p as a splat of type t. */
static ir_id parse_constant(ir_reader *r, scope *s, const op_prim *op, const ir_type *t)
{
    const bool yes = true;
    uint64_t mem[2] = { 0 };
    char *attr = base_new(r->arena, op->attr);
    const ir_dims dims = { t->rank, t->dim };
    const ir_data data = { ir_dtype_of(t->dtype)->bytes, mem };
    return ir_element(r, t->dtype, mem) && set_field(op, attr, "dtype", &t->dtype, sizeof t->dtype) &&
           set_field(op, attr, "shape", &dims, sizeof dims) && set_field(op, attr, "splat", &yes, sizeof yes) &&
           set_field(op, attr, "data", &data, sizeof data) ? ir_emit(s->b, op, attr, 0, NULL, 0, NULL) : 0;
}

static ir_id literal(ir_reader *r, scope *s, operand *o, tt_dtype dtype)
{
    const op_prim *op = op_find("const");
    ir_reader at = *r;
    at.p = o->literal;
    if (!dtype)
        return ir_complain(r, o->literal,
                           "a literal without a data type; write the type behind the literal, as in 0:f32");
    if (!op) return base_bug(NULL, "there is no primitive const");
    return parse_constant(&at, s, op, ir_type_of(dtype, 0, NULL));
}

/* Reads "x, 0, y" up to attributes, regions or the end of the equation. Literals become constants after all operands
 * are read. */
static bool read_operands(ir_reader *r, scope *s, int want, uint32_t *n, ir_id **in)
{
    operand *o = NULL;
    tt_dtype dtype = 0;
    *n = 0;
    ir_skip_blanks(r);
    for (bool more = want != 0 && *r->p && !strchr("{(;}\n#", *r->p); more; ++*n) {
        o = ir_more(r, o, *n, sizeof *o);
        if (!read_operand(r, s, &o[*n])) return false;
        if (!dtype && o[*n].id) dtype = ir_typeof(s->b, o[*n].id)->dtype;
        ir_skip_blanks(r);
        more = *r->p == ',';
        r->p += more;
    }
    *in = BASE_NEW(r->arena, ir_id, *n);
    for (uint32_t i = 0; i < *n; i++) {
        (*in)[i] = o[i].literal ? literal(r, s, &o[i], o[i].dtype ? o[i].dtype : dtype) : o[i].id;
        if (!(*in)[i]) return false;
    }
    return true;
}

/* ---- regions ---- */

/* The region of a primitive's name alone: (a, b) { return name a, b }, on scalars of the dtype of the equation's first
 * operand. */
static ir_fn *monoid(ir_reader *r, scope *s, const char *at, const op_prim *op, uint32_t nin, const ir_id *in)
{
    const ir_type *t = nin ? ir_typeof(s->b, in[0]) : NULL;
    ir_build *b = ir_region(s->b, op->name);
    if (!t) {
        ir_complain(r, at, "an equation without operands takes no primitive as its region");
        return NULL;
    }
    t = ir_type_as(t, t->dtype, 0, NULL);
    const ir_id arg[2] = { ir_arg(b, t), ir_arg(b, t) };
    const ir_id y = ir_emit(b, op, NULL, 2, arg, 0, NULL);
    return ir_end(b, 1, &y);
}

static ir_fn *read_region(ir_reader *r, scope *s, uint32_t nin, const ir_id *in)
{
    base_name name = "";
    ir_skip(r);
    const char *at = r->p;
    if (*at != '(') {
        if (!ir_name(r, "a region", &name)) return NULL;
        ir_skip_blanks(r);
        const op_prim *op = op_find(name);
        if (*r->p != '(' && op) return monoid(r, s, at, op, nin, in);
        if (*r->p != '(') {
            ir_complain(r, at, "no primitive named \"%s\", and no '(' after it to begin a region", name);
            return NULL;
        }
    }
    return read_fn(r, ir_region(s->b, name), false);
}

static bool read_regions(ir_reader *r, scope *s, const op_prim *op, uint32_t nin, const ir_id *in, uint32_t *n,
                         ir_fn ***sub)
{
    *n = 0;
    *sub = NULL;
    for (;;) {
        if (op->nsub >= 0 && *n == (uint32_t)op->nsub) return true;
        ir_skip_blanks(r);
        if (op->nsub < 0 && (!*r->p || strchr(";}\n#", *r->p))) return true;
        *sub = ir_more(r, *sub, *n, sizeof **sub);
        if (!((*sub)[*n] = read_region(r, s, nin, in))) return false;
        ++*n;
    }
}

/* ---- equations and functions ---- */

static const op_prim *read_row(ir_reader *r)
{
    ir_skip(r);
    const char *at = r->p;
    base_name name;
    if (!ir_name(r, "a primitive", &name)) return NULL;
    const op_prim *op = op_find(name);
    if (!op) ir_complain(r, at, "no primitive named \"%s\"", name);
    return op;
}

static ir_id read_application(ir_reader *r, scope *s)    /* op x, y {attributes} regions */
{
    ir_id *in;
    uint32_t nin, nsub;
    ir_fn **sub;
    const op_prim *op = read_row(r);
    if (!op) return 0;
    ir_site(s->b, base_intern(base_format(r->arena, "%s:%d", r->site ? r->site : "text", ir_line(r))));
    char *attr = base_new(r->arena, op->attr);
    const ir_type *t;
    ir_skip_blanks(r);
    if (op->nin == 0 && ir_word(r)) return ir_type_read(r, &t) ? parse_constant(r, s, op, t) : 0; /* const f32[3] 0 */
    if (!read_operands(r, s, op->nin, &nin, &in)) return 0;
    if (*r->p == '{') {
        r->p++;
        if (!ir_fields_read(r, op, attr)) return 0;
    }
    if (!read_regions(r, s, op, nin, in, &nsub, &sub)) return 0;
    return ir_emit(s->b, op, attr, nin, in, nsub, sub);
}

static const ir_eqn *latest(const scope *s)              /* the equation just emitted, even when it has no results */
{
    const ir_fn *f = ir_build_fn(s->b);
    return &f->eqn[f->neqn - 1];
}

static bool read_result(ir_reader *r, result *v)
{
    *v = (result){ 0 };
    ir_skip(r);
    v->at = r->p;
    if (!ir_name(r, "the name of a value", &v->name)) return false;
    ir_skip(r);
    return *r->p == '=' || *r->p == ',' || type_and_layout(r, v);
}

static bool read_eqn(ir_reader *r, scope *s)             /* a f32, b = op ... ; or op ... when it has no results */
{
    const char *at = r->p;
    const size_t word = ir_word(r);
    const op_prim *effect = op_find(base_intern_n(r->p, word));
    result *v = NULL;
    uint32_t n = 0;
    if (effect && effect->nout == 0) return read_application(r, s) != 0;
    do {
        v = ir_more(r, v, n, sizeof *v);
        if (!read_result(r, &v[n++])) return false;
    } while (ir_accept(r, ','));
    if (!ir_expect(r, '=')) return false;
    const ir_id first = read_application(r, s);
    if (!first) return false;
    const ir_eqn *e = latest(s);
    if (e->nout != n) return ir_complain(r, at, "%s has %u results, not %u", e->op->name, e->nout, n);
    for (uint32_t i = 0; i < n; i++) {
        const ir_type *t = ir_typeof(s->b, first + i);
        if (v[i].type && v[i].type != t)
            return ir_complain(r, v[i].at, "\"%s\" is %s", v[i].name, ir_type_text_on(r->arena, r->mesh, t));
        if (!define(r, s, &v[i], first + i)) return false;
    }
    return true;
}

static bool read_params(ir_reader *r, scope *s, bool **donate)
{
    bool *d = NULL;
    uint32_t n = 0;
    if (!ir_expect(r, '(')) return false;
    while (!ir_accept(r, ')')) {
        if (n && !ir_expect(r, ',')) return false;
        d = ir_more(r, d, n, sizeof *d);
        ir_skip(r);
        result v = { .at = r->p };
        if (!ir_name(r, "the name of a parameter", &v.name) || !type_and_layout(r, &v)) return false;
        d[n] = ir_is(r, "donate");
        if (!define(r, s, &v, ir_arg(s->b, v.type))) return false;
        n++;
    }
    *donate = d;
    return true;
}

static bool check_returns(ir_reader *r, const scope *s, const char *at, uint32_t nret, const ir_id *ret)
{
    ir_reader again = *r;                                /* "-> types" precedes the body: read types now */
    again.p = at;
    for (uint32_t i = 0; at && i < nret; i++) {
        const ir_type *t, *is = ir_typeof(s->b, ret[i]);
        if (i && !ir_expect(&again, ',')) return false;
        ir_skip(&again);
        const char *here = again.p;
        if (!ir_type_read(&again, &t)) return false;
        if (t != is) return ir_complain(&again, here, "result %u is %s", i, ir_type_text_on(r->arena, r->mesh, is));
    }
    return true;
}

static bool skip_types(ir_reader *r, const char **at)    /* -> f32[2], i32 */
{
    const ir_type *t;
    *at = NULL;
    ir_skip(r);
    if (r->p[0] != '-' || r->p[1] != '>') return true;
    r->p += 2;
    *at = r->p;
    do if (!ir_type_read(r, &t)) return false; while (ir_accept(r, ','));
    return true;
}

static ir_fn *parse_finish(ir_reader *r, scope *s, const char *types, const bool *donate) /* after "return" */
{
    ir_id *ret;
    uint32_t n;
    if (!read_operands(r, s, -1, &n, &ret) || !check_returns(r, s, types, n, ret)) return NULL;
    ir_accept(r, ';');
    if (!ir_expect(r, '}')) return NULL;
    ir_fn *f = ir_end(s->b, n, ret);
    if (!f) return NULL;
    if (donate) f->donate = donate;
    if (s->any_layout) {
        f->layout = BASE_NEW(r->arena, const mesh_layout *, f->nvalue + 1);
        for (ir_id i = 0; i <= f->nvalue && i < s->layouts; i++) f->layout[i] = s->layout[i];
    }
    return f;
}

static ir_fn *read_fn(ir_reader *r, ir_build *b, bool top)      /* (parameters) -> types { equations; return values } */
{
    scope s = { .b = b };
    bool *donate = NULL;
    const char *types = NULL, *tag;
    ir_fn *f = NULL;
    if (++r->depth > 64) return ir_complain(r, r->p, "regions nested deeper than 64"), NULL;
    if (!read_params(r, &s, &donate)) return NULL;
    if (ir_is(r, "tag")) {
        if (!ir_quoted(r, &tag)) return NULL;
        ir_build_fn(b)->tag = base_intern(tag);
    }
    if (top && !skip_types(r, &types)) return NULL;
    if (!ir_expect(r, '{')) return NULL;
    while (!ir_is(r, "return")) {
        if (ir_accept(r, ';')) continue;
        if (!*r->p) return ir_complain(r, r->p, "the text ends where \"return\" is missing"), NULL;
        if (!read_eqn(r, &s)) return NULL;
    }
    f = parse_finish(r, &s, types, donate);
    r->depth--;
    return f;
}

ir_fn *ir_parse(base_arena *a, base_site site, const char *text)
{
    ir_reader r = { .site = site, .text = text, .p = text, .arena = a };
    base_name name;
    const char *s;
    if (ir_is(&r, "mesh") && !(ir_quoted(&r, &s) && (r.mesh = mesh_of(site, s)))) return NULL;
    if (!ir_is(&r, "fn")) return ir_complain(&r, r.p, "a function begins with \"fn\""), NULL;
    if (!ir_name(&r, "the name of the function", &name)) return NULL;
    ir_fn *f = read_fn(&r, ir_begin(a, name, r.mesh), true);
    ir_skip(&r);
    if (f && *r.p) return ir_complain(&r, r.p, "unexpected text after the end of the function"), NULL;
    return f;
}

ir_fn *ir_case(base_arena *a, const char *text)
{
    const char *on = NULL;
    for (const char *p = strstr(text, " on "); p; p = strstr(p + 1, " on ")) on = p;
    char *head = base_copy(a, text, strlen(text) + 1);
    ir_reader r = { .site = base_intern(text), .text = head, .p = head, .arena = a };
    if (on) {
        head[on - text] = '\0';
        if (!(r.mesh = mesh_of(r.site, on + 4))) return NULL;
    }
    scope s = { .b = ir_begin(a, "case", r.mesh), .typed = true };
    const ir_id first = read_application(&r, &s);
    ir_skip(&r);
    if (first && *r.p) return ir_complain(&r, r.p, "unexpected text after the end of the equation"), NULL;
    if (!first) return NULL;
    const uint32_t n = latest(&s)->nout;
    ir_id *ret = BASE_NEW(a, ir_id, n);
    for (uint32_t i = 0; i < n; i++) ret[i] = first + i;
    return ir_end(s.b, n, ret);
}
