/* hlo/text/attr.c - parses attributes: numbers, words, lists, dictionaries, dense literals, records of the dialects.
 *
 * #stablehlo.gather<offset_dims = [1], ...> is parsed as a dictionary, #stablehlo<precision DEFAULT> as the word
 * DEFAULT, #stablehlo.conv<[b, 0, f]x[...]->[...]> as three lists. Attributes that no reader uses (layouts, accuracy of
 * results, records of other dialects) are skipped as text with balanced brackets. */
#include "../inner.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

hlo_attr *hlo_add(hlo_parser *p, hlo_attrs *list, const char *key, hlo_form form)
{
    hlo_attr *const a = HLO_MORE(p->arena, list);
    *a = (hlo_attr){ .form = form, .key = { key, strlen(key) }, .text = { p->at, 0 } };
    return a;
}

const hlo_attr *hlo_find(const hlo_attrs *list, const char *key)
{
    for (int i = 0; i < list->n; i++) if (hlo_is(list->v[i].key, key)) return &list->v[i];
    return NULL;
}

bool hlo_read_loc(hlo_parser *p, const char **loc)
{
    hlo_span s;
    if (!hlo_next(p, "loc")) return true;
    const char *const before = p->at;
    p->at += 3;
    if (!hlo_next(p, "(")) {
        p->at = before;                                  /* an operation whose name has that prefix */
        return true;
    }
    *loc = p->at;
    return hlo_balanced(p, &s);
}

bool hlo_read_array(hlo_parser *p, hlo_attr *a)
{
    const bool bare = p->bare;
    p->bare = false;
    a->form = HLO_ARRAY;
    if (!hlo_need(p, "[") || !hlo_deeper(p)) return false;
    if (!hlo_take(p, "]")) {
        do {
            if (!hlo_read_attr(p, HLO_MORE(p->arena, &a->item))) return false;
        } while (hlo_take(p, ","));
        if (!hlo_need(p, "]")) return false;
    }
    p->bare = bare;
    p->depth--;
    return true;
}

bool hlo_read_dict(hlo_parser *p, const char *open, const char *close, hlo_attrs *list)
{
    const bool bare = p->bare;
    if (!hlo_need(p, open) || !hlo_deeper(p)) return false;
    p->bare = false;
    while (!hlo_take(p, close)) {
        hlo_span key;
        hlo_blank(p);
        if (hlo_next(p, "\"")) {
            if (!hlo_string(p, &key)) return false;
        } else key = hlo_word(p);
        if (!key.n) return hlo_expected(p, "the name of an attribute");
        hlo_attr value = { .form = HLO_UNIT, .text = { p->at, 0 } };
        if (hlo_take(p, "=") && !hlo_read_attr(p, &value)) return false;
        value.key = key;
        *HLO_MORE(p->arena, list) = value;
        if (!hlo_take(p, ",") && !hlo_next(p, close)) return hlo_expected(p, "\",\" or the end of the attributes");
    }
    p->bare = bare;
    p->depth--;
    return true;
}

static bool scalar_type(hlo_parser *p, hlo_attr *a)      /* a number may state its type: 1 : i64 */
{
    return p->bare || !hlo_take(p, ":") || hlo_read_type(p, &a->type);
}

static bool attr_number(hlo_parser *p, hlo_attr *a)
{
    const char *const from = p->at;
    a->form = HLO_INTEGER;
    p->at += *p->at == '-' || *p->at == '+';
    const bool hex = p->at + 1 < p->end && p->at[0] == '0' && p->at[1] == 'x';
    while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '.' ||
                              ((*p->at == '-' || *p->at == '+') && !hex && (p->at[-1] == 'e' || p->at[-1] == 'E')))) {
        if (!hex && (*p->at == '.' || *p->at == 'e' || *p->at == 'E')) a->form = HLO_REAL;
        p->at++;
    }
    a->text = (hlo_span){ from, (size_t)(p->at - from) };
    const char *const end = p->at;
    if (a->form == HLO_INTEGER) {
        p->at = from;
        if (a->text.n > 19 && *from != '-') return a->form = HLO_REAL, p->at = end, scalar_type(p, a); /* beyond i64 */
        if (!hlo_integer(p, &a->i) || p->at != end) return p->at = from, hlo_expected(p, "an integer");
    }
    return scalar_type(p, a);
}

static bool packed(hlo_parser *p, hlo_attr *a)           /* array<i64: 1, 3> */
{
    hlo_type t;
    a->form = HLO_ARRAY;
    if (!hlo_need(p, "<") || !hlo_read_type(p, &t)) return false;
    if (hlo_take(p, ":"))
        do {
            if (!hlo_read_attr(p, HLO_MORE(p->arena, &a->item))) return false;
        } while (hlo_take(p, ","));
    return hlo_need(p, ">");
}

static bool attr_dense(hlo_parser *p, hlo_attr *a)
{
    hlo_span s;
    a->form = HLO_DENSE;
    if (!hlo_next(p, "<")) return hlo_expected(p, "\"<\"");
    if (!hlo_balanced(p, &s)) return false;
    a->text = (hlo_span){ s.at + 1, s.n - 2 };
    return hlo_need(p, ":") && hlo_read_type(p, &a->type);
}

/* [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] */
static bool attr_convolution(hlo_parser *p, hlo_attr *a)
{
    a->form = HLO_DICT;
    return hlo_read_array(p, hlo_add(p, &a->item, "lhs", HLO_ARRAY)) && hlo_need(p, "x") &&
           hlo_read_array(p, hlo_add(p, &a->item, "rhs", HLO_ARRAY)) && hlo_need(p, "->") &&
           hlo_read_array(p, hlo_add(p, &a->item, "out", HLO_ARRAY));
}

/* #stablehlo<precision DEFAULT>, #chlo<comparison_direction LT> */
static bool attr_word_of(hlo_parser *p, hlo_attr *a)
{
    a->form = HLO_WORD;
    if (!hlo_need(p, "<")) return false;
    if (!hlo_word(p).n) return hlo_expected(p, "an enum's name");
    a->text = hlo_word(p);
    return (a->text.n || hlo_expected(p, "an enum's word")) && hlo_need(p, ">");
}

static bool record(hlo_parser *p, hlo_attr *a)           /* after '#' */
{
    static const char *const dictionaries[] = { "stablehlo.gather", "stablehlo.scatter", "stablehlo.dot",
                                                "stablehlo.channel_handle", "chlo.ragged_dot", "stablehlo.mesh",
                                                "stablehlo.mesh_axis", "stablehlo.axis_ref",
                                                "stablehlo.replica_group_mesh_axes" };
    const char *const from = p->at++;
    const hlo_span name = hlo_word(p);
    if (!name.n) return hlo_expected(p, "a name behind \"#\"");
    if (hlo_is(name, "stablehlo") || hlo_is(name, "chlo") || hlo_is(name, "mhlo")) return attr_word_of(p, a);
    if (hlo_is(name, "stablehlo.conv")) {
        if (!hlo_need(p, "<") || !attr_convolution(p, a)) return false;
        return hlo_need(p, ">");
    }
    for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++)
        if (hlo_is(name, dictionaries[i])) {
            a->form = HLO_DICT;
            return hlo_read_dict(p, "<", ">", &a->item);
        }
    a->form = HLO_OPAQUE;
    hlo_span rest;
    if (hlo_next(p, "<") && !hlo_balanced(p, &rest)) return false;
    a->text = (hlo_span){ from, (size_t)(p->at - from) };
    if (a->text.n != name.n + 1) return true;
    const hlo_attr *const known = hlo_alias_of(p, a->text);
    const hlo_span key = a->key;
    if (known) *a = *known, a->key = key;
    return true;
}

/* <@mesh, [{"data"}, {}]> after a key that implies the record's kind: Shardy prints its records so */
static bool angles(hlo_parser *p, hlo_attr *a)
{
    a->form = HLO_OPAQUE;
    return hlo_balanced(p, &a->text);
}

/* (1)2 of an axis: size of the major part before it, and size; an array of both */
static bool part_of_axis(hlo_parser *p, hlo_attr *a)
{
    hlo_attr n = { .form = HLO_INTEGER, .text = { p->at, 0 } };
    a->form = HLO_ARRAY;
    if (!hlo_need(p, "(") || !hlo_integer(p, &n.i)) return false;
    *HLO_MORE(p->arena, &a->item) = n;
    if (!hlo_need(p, ")") || !hlo_integer(p, &n.i)) return false;
    *HLO_MORE(p->arena, &a->item) = n;
    return true;
}

static bool worded(hlo_parser *p, hlo_attr *a)
{
    const char *const from = p->at;
    const hlo_span w = hlo_word(p);
    a->text = w;
    if (hlo_is(w, "true") || hlo_is(w, "false")) {
        a->form = *w.at == 't' ? HLO_TRUE : HLO_FALSE;
        return true;
    }
    if (hlo_is(w, "unit")) return a->form = HLO_UNIT, true;
    if (hlo_is(w, "array") && hlo_next(p, "<")) return packed(p, a);
    if (hlo_is(w, "dense") && hlo_next(p, "<")) return attr_dense(p, a);
    if (hlo_is(w, "dense_resource"))
        return hlo_fail(p, from, TT_EARG, "a literal kept outside the text (dense_resource), which is not supported");
    if (hlo_is(w, "loc")) {
        p->at = from;
        a->form = HLO_OPAQUE;
        return hlo_read_loc(p, &a->text.at);
    }
    if (hlo_is(w, "tensor") || (hlo_is(w, "complex") && hlo_next(p, "<")) || hlo_is(w, "vector") ||
        hlo_is(w, "memref")) {
        p->at = from;
        a->form = HLO_TYPED;
        return hlo_read_type(p, &a->type);
    }
    a->form = HLO_WORD;
    return true;
}

bool hlo_read_attr(hlo_parser *p, hlo_attr *a)
{
    const hlo_span key = a->key;
    hlo_blank(p);
    if (p->at >= p->end) return hlo_expected(p, "an attribute");
    *a = (hlo_attr){ .key = key, .text = { p->at, 0 } };
    const char c = *p->at;
    if (c == '[') return hlo_read_array(p, a);
    if (c == '"') {
        a->form = HLO_STRING;
        return hlo_string(p, &a->text) && scalar_type(p, a);
    }
    if (c == '@') {
        a->form = HLO_SYMBOL;
        if (!hlo_symbol(p, &a->text)) return false;
        hlo_span nested;
        while (hlo_take(p, "::")) if (!hlo_symbol(p, &nested)) return false;
        return true;
    }
    if (c == '{') {
        a->form = HLO_DICT;
        return hlo_read_dict(p, "{", "}", &a->item);
    }
    if (c == '#') return record(p, a);
    if (c == '<') return angles(p, a);
    if (c == '(') return part_of_axis(p, a);
    if (isdigit((unsigned char)c) || c == '-' || c == '+') return attr_number(p, a);
    if (isalpha((unsigned char)c) || c == '_') return worded(p, a);
    if (c == '?') {
        p->at++;
        a->form = HLO_WORD;
        a->text.n = 1;
        return true;
    }
    return hlo_expected(p, "an attribute");
}
