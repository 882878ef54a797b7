/* hlo/text/form.c - converts the pretty forms to the generic one while they are parsed.
 *
 * Most follow one pattern: operands, words and `key = value` between commas, an attribute list, ':' and types. Their
 * keys differ from the names of the generic form's attributes: a table maps them. A dozen have forms of their own. */
#include "../inner.h"

#include <ctype.h>
#include <string.h>

/* Keys per pretty form, as in "pretty=generic". */
static const struct { const char *op, *key, *generic; } keys[] = {
    { "stablehlo.broadcast_in_dim", "dims", "broadcast_dimensions" },
    { "stablehlo.transpose", "dims", "permutation" },
    { "stablehlo.reverse", "dims", "dimensions" },
    { "stablehlo.iota", "dim", "iota_dimension" },
    { "stablehlo.concatenate", "dim", "dimension" },
    { "stablehlo.get_dimension_size", "dim", "dimension" },
    { "stablehlo.dynamic_slice", "sizes", "slice_sizes" },
    { "stablehlo.pad", "low", "edge_padding_low" },
    { "stablehlo.pad", "high", "edge_padding_high" },
    { "stablehlo.pad", "interior", "interior_padding" },
    { "stablehlo.fft", "type", "fft_type" },
    { "stablehlo.fft", "length", "fft_length" },
    { "stablehlo.rng_bit_generator", "algorithm", "rng_algorithm" },
};

static const char *generic_key(const hlo_op *o, hlo_span key)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (hlo_is(o->name, keys[i].op) && hlo_is(key, keys[i].key)) return keys[i].generic;
    return NULL;
}

/* batching_dims = [0] x [0]: two lists. The generic names are lhs_... and rhs_... */
static bool paired(hlo_parser *p, hlo_op *o, hlo_span key)
{
    const bool batch = *key.at == 'b';
    return hlo_read_array(p, hlo_add(p, &o->attr, batch ? "lhs_batching_dimensions" : "lhs_contracting_dimensions",
                                     HLO_ARRAY)) &&
           hlo_need(p, "x") &&
           hlo_read_array(p, hlo_add(p, &o->attr, batch ? "rhs_batching_dimensions" : "rhs_contracting_dimensions",
                                     HLO_ARRAY));
}

static bool item(hlo_parser *p, hlo_op *o, int *nword)   /* %value, key = attribute, or a word known by its position */
{
    static const char *const words[] = { "comparison_direction", "compare_type" };
    if (hlo_next(p, "%")) return hlo_value(p, HLO_MORE(p->arena, &o->in));
    const hlo_span w = hlo_word(p);
    if (!w.n) return hlo_expected(p, "an operand or an attribute");
    if (hlo_is(w, "dense") && hlo_next(p, "<")) {        /* in a check */
        p->at = w.at;
        return hlo_read_attr(p, hlo_add(p, &o->attr, "value", HLO_DENSE));
    }
    if (!hlo_take(p, "=")) {
        if (!hlo_is(o->name, "stablehlo.compare") || *nword > 1) return p->at = w.at, hlo_expected(p, "an operand");
        hlo_add(p, &o->attr, words[(*nword)++], HLO_WORD)->text = w;
        return true;
    }
    if (hlo_is(o->name, "stablehlo.dot_general") && (hlo_is(w, "batching_dims") || hlo_is(w, "contracting_dims")))
        return paired(p, o, w);
    hlo_attr *const a = HLO_MORE(p->arena, &o->attr);
    p->bare = true;
    if (!hlo_read_attr(p, a)) return false;
    p->bare = false;
    const char *const known = generic_key(o, w);
    a->key = known ? (hlo_span){ known, strlen(known) } : w;
    return true;
}

/* The common pattern, from its first operand to its types. */
static bool form_plain(hlo_parser *p, hlo_op *o)
{
    int nword = 0;
    if (!hlo_next(p, ":") && !hlo_next(p, "{") && !hlo_next(p, "}"))
        do {
            if (!item(p, o, &nword)) return false;
        } while (hlo_take(p, ","));
    if (hlo_next(p, "{") && !hlo_read_dict(p, "{", "}", &o->attr)) return false;
    return !hlo_take(p, ":") || hlo_read_signature(p, o);
}

static bool values(hlo_parser *p, hlo_op *o)             /* (%a, %b, key = attribute) */
{
    int nword = 0;
    if (!hlo_need(p, "(")) return false;
    if (hlo_take(p, ")")) return true;
    do {
        if (!item(p, o, &nword)) return false;
    } while (hlo_take(p, ","));
    return hlo_need(p, ")");
}

static bool form_constant(hlo_parser *p, hlo_op *o)
{
    if (hlo_next(p, "{") && !hlo_read_dict(p, "{", "}", &o->attr)) return false;
    hlo_attr *const a = hlo_add(p, &o->attr, "value", HLO_DENSE);
    const char *const at = p->at;
    if (!hlo_read_attr(p, a)) return false;
    if (a->form != HLO_DENSE) return hlo_fail(p, at, TT_EARG, "a constant must be written as dense<...>");
    *HLO_MORE(p->arena, &o->to) = a->type;
    return true;
}

static bool slice(hlo_parser *p, hlo_op *o)              /* %a [0:4, 1:9:2] : types */
{
    hlo_attr start = { .form = HLO_ARRAY }, limit = start, stride = start;
    if (!hlo_value(p, HLO_MORE(p->arena, &o->in)) || !hlo_need(p, "[")) return false;
    start.text.at = limit.text.at = stride.text.at = p->at;
    if (!hlo_take(p, "]")) {
        do {
            hlo_attr n = { .form = HLO_INTEGER, .text = { p->at, 0 } };
            if (!hlo_integer(p, &n.i)) return false;
            *HLO_MORE(p->arena, &start.item) = n;
            if (!hlo_need(p, ":") || !hlo_integer(p, &n.i)) return false;
            *HLO_MORE(p->arena, &limit.item) = n;
            n.i = 1;
            if (hlo_take(p, ":") && !hlo_integer(p, &n.i)) return false;
            *HLO_MORE(p->arena, &stride.item) = n;
        } while (hlo_take(p, ","));
        if (!hlo_need(p, "]")) return false;
    }
    hlo_add(p, &o->attr, "start_indices", HLO_ARRAY)->item = start.item;
    hlo_add(p, &o->attr, "limit_indices", HLO_ARRAY)->item = limit.item;
    hlo_add(p, &o->attr, "strides", HLO_ARRAY)->item = stride.item;
    return form_plain(p, o);
}

/* (%x, %w) dim_numbers = [...]x[...]->[...], window = {stride = ..., pad = ..., ...} {attributes} : types */
static bool form_convolution(hlo_parser *p, hlo_op *o)
{
    static const char *const window[][2] = { { "stride", "window_strides" },     { "pad", "padding" },
                                             { "lhs_dilate", "lhs_dilation" },   { "rhs_dilate", "rhs_dilation" },
                                             { "reverse", "window_reversal" } };
    if (!values(p, o) || !hlo_need(p, "dim_numbers") || !hlo_need(p, "=")) return false;
    hlo_attr *const d = hlo_add(p, &o->attr, "dimension_numbers", HLO_DICT);
    hlo_attrs lists = { 0 };
    if (!hlo_read_array(p, hlo_add(p, &lists, "lhs", HLO_ARRAY)) || !hlo_need(p, "x") ||
        !hlo_read_array(p, hlo_add(p, &lists, "rhs", HLO_ARRAY)) || !hlo_need(p, "->") ||
        !hlo_read_array(p, hlo_add(p, &lists, "out", HLO_ARRAY)))
        return false;
    d->item = lists;
    if (hlo_take(p, ",")) {
        hlo_attrs w = { 0 };
        if (!hlo_need(p, "window") || !hlo_need(p, "=") || !hlo_read_dict(p, "{", "}", &w)) return false;
        for (int i = 0; i < w.n; i++)
            for (size_t k = 0; k < sizeof window / sizeof *window; k++)
                if (hlo_is(w.v[i].key, window[k][0])) {
                    w.v[i].key = (hlo_span){ window[k][1], strlen(window[k][1]) };
                    *HLO_MORE(p->arena, &o->attr) = w.v[i];
                    break;
                }
    }
    return form_plain(p, o);
}

static const hlo_type *scalar_of(hlo_parser *p, const hlo_type *t)
{
    hlo_type *const s = base_copy(p->arena, t, sizeof *t);
    if (t->type) s->type = ir_type_of(t->type->dtype, 0, NULL);
    return s;
}

/* applies stablehlo.add: the region (a, b) -> a + b */
static void applied(hlo_parser *p, hlo_op *o, hlo_span name, const hlo_type *t)
{
    hlo_region *const g = HLO_MORE(p->arena, &o->region);
    static const char *const arg[] = { "lhs", "rhs" };
    g->at = name.at;
    for (int i = 0; i < 2; i++) {
        *HLO_MORE(p->arena, &g->arg) = (hlo_param){ .name = { arg[i], 3 }, .type = *t };
    }
    hlo_op *const f = HLO_MORE(p->arena, &g->op);
    f->name = name;
    f->at = name.at;
    for (int i = 0; i < 2; i++) *HLO_MORE(p->arena, &f->in) = (hlo_use){ g->arg.v[i].name, 0 };
    *HLO_MORE(p->arena, &f->result) = (hlo_pack){ { "out", 3 }, 1 };
    *HLO_MORE(p->arena, &f->to) = *t;
    hlo_op *const r = HLO_MORE(p->arena, &g->op);
    r->name = (hlo_span){ "stablehlo.return", 16 };
    *HLO_MORE(p->arena, &r->in) = (hlo_use){ { "out", 3 }, 0 };
    *HLO_MORE(p->arena, &r->to) = *t;
    r->at = name.at;
}

static bool reducer(hlo_parser *p, hlo_op *o)            /* (%l0: t, %r0: t) (%l1: t, %r1: t) { ... } */
{
    HLO_LIST(hlo_param) left = { 0 }, right = { 0 };
    while (hlo_take(p, "("))
        for (int side = 0; side < 2; side++) {
            hlo_param a = { 0 };
            hlo_use u;
            if (!hlo_value(p, &u) || !hlo_need(p, ":") || !hlo_read_type(p, &a.type) || !hlo_read_loc(p, &a.loc))
                return false;
            a.name = u.name;
            if (side) *HLO_MORE(p->arena, &right) = a;
            else *HLO_MORE(p->arena, &left) = a;
            if (!hlo_need(p, side ? ")" : ",")) return false;
        }
    hlo_region g = { 0 };
    for (int i = 0; i < left.n; i++) *HLO_MORE(p->arena, &g.arg) = left.v[i];
    for (int i = 0; i < right.n; i++) *HLO_MORE(p->arena, &g.arg) = right.v[i];
    if (!hlo_read_region(p, &g)) return false;
    *HLO_MORE(p->arena, &o->region) = g;
    return true;
}

/* (%x init: %z), (%y init: %w) applies stablehlo.add across dimensions = [0] : types */
static bool form_reduce(hlo_parser *p, hlo_op *o)
{
    HLO_LIST(hlo_use) init = { 0 };
    hlo_span monoid = { 0 };
    do {
        if (!hlo_need(p, "(") || !hlo_value(p, HLO_MORE(p->arena, &o->in)) || !hlo_need(p, "init") ||
            !hlo_need(p, ":") ||
            !hlo_value(p, HLO_MORE(p->arena, &init)) || !hlo_need(p, ")"))
            return false;
    } while (hlo_take(p, ","));
    for (int i = 0; i < init.n; i++) *HLO_MORE(p->arena, &o->in) = init.v[i];
    if (hlo_take(p, "applies")) {
        monoid = hlo_word(p);
        if (!monoid.n) return hlo_expected(p, "an operation");
    }
    if (!hlo_need(p, "across") || !hlo_need(p, "dimensions") || !hlo_need(p, "=")) return false;
    if (!hlo_read_array(p, hlo_add(p, &o->attr, "dimensions", HLO_ARRAY))) return false;
    if (hlo_next(p, "{") && !hlo_read_dict(p, "{", "}", &o->attr)) return false;
    if (!hlo_need(p, ":") || !hlo_read_signature(p, o)) return false;
    if (monoid.n && o->to.n == 1) applied(p, o, monoid, scalar_of(p, &o->to.v[0]));
    else if (monoid.n) return hlo_fail(p, monoid.at, TT_EARG, "one operation for several operands");
    if (monoid.n) return true;
    if (!hlo_read_loc(p, &o->loc) || !hlo_need(p, "reducer")) return false;
    return reducer(p, o);
}

/* (%iterArg = %a, %iterArg_0 = %b) : types attributes {...} cond { ... } do { ... } */
static bool form_loop(hlo_parser *p, hlo_op *o)
{
    HLO_LIST(hlo_param) arg = { 0 };
    if (!hlo_need(p, "(")) return false;
    if (!hlo_take(p, ")")) {
        do {
            hlo_use u;
            if (!hlo_value(p, &u) || !hlo_need(p, "=") || !hlo_value(p, HLO_MORE(p->arena, &o->in))) return false;
            HLO_MORE(p->arena, &arg)->name = u.name;
        } while (hlo_take(p, ","));
        if (!hlo_need(p, ")") || !hlo_need(p, ":") || !hlo_read_types(p, &o->to)) return false;
    }
    if (o->to.n != arg.n) return hlo_fail(p, p->at, TT_EARG, "%d carries and %d types", arg.n, o->to.n);
    if (hlo_take(p, "attributes") && !hlo_read_dict(p, "{", "}", &o->attr)) return false;
    for (int side = 0; side < 2; side++) {
        hlo_region g = { 0 };
        for (int i = 0; i < arg.n; i++) {
            hlo_param a = arg.v[i];
            a.type = o->to.v[i];
            *HLO_MORE(p->arena, &g.arg) = a;
        }
        if (!hlo_need(p, side ? "do" : "cond") || !hlo_read_region(p, &g)) return false;
        *HLO_MORE(p->arena, &o->region) = g;
    }
    return true;
}

static bool form_part(hlo_parser *p, hlo_op *o)          /* %a[1] : (tuple<...>) -> type */
{
    return hlo_value(p, HLO_MORE(p->arena, &o->in)) && hlo_need(p, "[") &&
           hlo_integer(p, &hlo_add(p, &o->attr, "index", HLO_INTEGER)->i) && hlo_need(p, "]") && form_plain(p, o);
}

static bool form_named(hlo_parser *p, hlo_op *o, const char *key) /* @f(%a) {attributes} : types */
{
    hlo_attr *const a = hlo_add(p, &o->attr, key, HLO_SYMBOL);
    hlo_blank(p);
    if (!hlo_symbol(p, &a->text)) return false;
    return values(p, o) && form_plain(p, o);
}

static bool form_call(hlo_parser *p, hlo_op *o) { return form_named(p, o, "callee"); }
static bool custom_call(hlo_parser *p, hlo_op *o) { return form_named(p, o, "call_target_name"); }

static bool composite(hlo_parser *p, hlo_op *o)          /* "name" %a, %b {attributes} : types */
{
    return hlo_string(p, &hlo_add(p, &o->attr, "name", HLO_STRING)->text) && form_plain(p, o);
}

static bool check(hlo_parser *p, hlo_op *o)              /* types of the operands only */
{
    if (!form_plain(p, o)) return false;
    o->to = (hlo_types){ 0 };
    return true;
}

static bool parenthesised(hlo_parser *p, hlo_op *o) { return values(p, o) && form_plain(p, o); }

/* %a <@mesh, [...]> : type */
static bool constraint(hlo_parser *p, hlo_op *o)
{
    hlo_use u;
    if (!hlo_value(p, &u)) return false;
    *HLO_MORE(p->arena, &o->in) = u;
    hlo_attr *const a = hlo_add(p, &o->attr, "sharding", HLO_OPAQUE);
    return hlo_balanced(p, &a->text) && form_plain(p, o);
}

/* %a allowed_direction=FORWARD : type */
static bool form_one_way(hlo_parser *p, hlo_op *o)
{
    int nword = 0;
    return hlo_value(p, HLO_MORE(p->arena, &o->in)) && (hlo_next(p, ":") || item(p, o, &nword)) && form_plain(p, o);
}

static bool grouped(hlo_parser *p, hlo_op *o)            /* %a group_id=0 : type */
{
    if (!form_one_way(p, o)) return false;
    if (!o->typed) o->to = (hlo_types){ 0 };
    return true;
}

/* (%a) in_shardings=[<...>] out_shardings=[<...>] manual_axes={"data"} (%arg: type) { ... } : types */
static bool manual(hlo_parser *p, hlo_op *o)
{
    static const char *const keys_of[] = { "in_shardings", "out_shardings", "manual_axes" };
    hlo_region g = { 0 }, *to;
    if (!values(p, o)) return false;
    for (int i = 0; i < 3; i++) {
        if (!hlo_need(p, keys_of[i]) || !hlo_need(p, "=")) return false;
        hlo_attr *const a = hlo_add(p, &o->attr, keys_of[i], HLO_OPAQUE);
        if (!hlo_balanced(p, &a->text)) return false;
    }
    if (!hlo_need(p, "(")) return false;
    if (!hlo_take(p, ")")) {
        do {
            hlo_param *const a = HLO_MORE(p->arena, &g.arg);
            hlo_use u;
            if (!hlo_value(p, &u) || !hlo_need(p, ":") || !hlo_read_type(p, &a->type) || !hlo_read_loc(p, &a->loc))
                return false;
            a->name = u.name;
        } while (hlo_take(p, ","));
        if (!hlo_need(p, ")")) return false;
    }
    if (!hlo_read_region(p, &g)) return false;
    to = HLO_MORE(p->arena, &o->region);
    *to = g;
    return form_plain(p, o);
}

/* (%a, %b) inits(%c) dimension=0 attributes {...} { ... } : types */
static bool scan(hlo_parser *p, hlo_op *o)
{
    if (!values(p, o)) return false;
    hlo_add(p, &o->attr, "inputs", HLO_INTEGER)->i = o->in.n;
    if (!hlo_need(p, "inits") || !values(p, o) || !hlo_need(p, "dimension") || !hlo_need(p, "=")) return false;
    if (!hlo_integer(p, &hlo_add(p, &o->attr, "dimension", HLO_INTEGER)->i)) return false;
    if (hlo_take(p, "attributes") && !hlo_read_dict(p, "{", "}", &o->attr)) return false;
    return hlo_read_region(p, HLO_MORE(p->arena, &o->region)) && hlo_need(p, ":") && hlo_read_signature(p, o);
}

static const struct { const char *name; bool (*read)(hlo_parser *, hlo_op *); } forms[] = {
    { "stablehlo.constant", form_constant },  { "stablehlo.slice", slice },
    { "stablehlo.convolution", form_convolution }, { "stablehlo.reduce", form_reduce },
    { "stablehlo.while", form_loop },         { "stablehlo.custom_call", custom_call },
    { "stablehlo.composite", composite },     { "func.call", form_call },
    { "chlo.top_k", parenthesised },          { "sdy.sharding_constraint", constraint },
    { "sdy.reshard", constraint },            { "sdy.manual_computation", manual },
    { "sdy.propagation_barrier", form_one_way }, { "sdy.sharding_group", grouped },
    { "chlo.scan", scan },                    { "stablehlo.get_tuple_element", form_part },
};

bool hlo_read_pretty(hlo_parser *p, hlo_op *o)
{
    if (hlo_is(o->name, "call")) o->name = (hlo_span){ "func.call", 9 };
    if (hlo_is(o->name, "return")) o->name = (hlo_span){ "func.return", 11 };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (hlo_is(o->name, forms[i].name)) return forms[i].read(p, o);
    if ((o->name.n > 6 && !memcmp(o->name.at, "check.", 6)) || hlo_is(o->name, "interpreter.print")) return check(p, o);
    if (!memchr(o->name.at, '.', o->name.n)) return p->at = o->name.at, hlo_expected(p, "an operation");
    return form_plain(p, o);
}
