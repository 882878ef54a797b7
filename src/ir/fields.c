/* ir/fields.c - attributes from text, by a primitive's field table: {dimensions=[1], comparison_direction=lt, axes=[a,
 * b]}. */
#include "inner.h"

#include <string.h>

static bool names_text(ir_reader *r, ir_names *out)
{
    base_name *v = NULL;
    int n = 0;
    if (!ir_expect(r, '[')) return false;
    while (!ir_accept(r, ']')) {
        if (n && !ir_expect(r, ',')) return false;
        v = ir_more(r, v, (size_t)n, sizeof *v);
        if (!ir_name(r, "a name", &v[n++])) return false;
    }
    *out = (ir_names){ n, v };
    return true;
}

static int items(const char *spec)                       /* number of dims of a printed layout */
{
    int n = 0;
    bool within = false;
    while (*spec == ' ') spec++;
    if (*spec && *spec != '+') n = 1;
    for (; *spec; spec++) {
        within = *spec == '(' || (within && *spec != ')');
        n += *spec == ',' && !within;
    }
    return n;
}

bool ir_layout_read(ir_reader *r, int rank, const mesh_layout **out)   /* "data, _"; rank -1: the number of items */
{
    const char *s, *at;
    ir_skip(r);
    at = r->p;
    if (!ir_quoted(r, &s)) return false;
    if (rank < 0) rank = items(s);
    if (rank > MESH_RANK) return ir_complain(r, at, "a layout of %d dims", rank);
    *out = mesh_parse(r->site, r->mesh, rank, s);
    return *out != NULL;
}

static bool layouts_text(ir_reader *r, ir_layouts *out)
{
    const mesh_layout **v = NULL;
    int n = 0;
    if (!ir_expect(r, '[')) return false;
    while (!ir_accept(r, ']')) {
        if (n && !ir_expect(r, ',')) return false;
        v = ir_more(r, v, (size_t)n, sizeof *v);
        v[n] = NULL;
        if (!ir_is(r, "none") && !ir_layout_read(r, -1, &v[n])) return false;
        n++;
    }
    *out = (ir_layouts){ n, v };
    return true;
}

static bool data_text(ir_reader *r, const op_prim *op, const char *attr, ir_data *out)
{
    tt_dtype d = TT_U8;
    for (const ir_field *f = op->field; f->name; f++)
        if (f->kind == IR_DTYPE) {
            d = *(const tt_dtype *)(attr + f->at);
            break;
        }
    if (!ir_dtype_of(d)) return ir_complain(r, r->p, "the dtype must come before the data");
    const size_t one = ir_dtype_of(d)->bytes;
    size_t n = 0;
    char *v = NULL;
    if (!ir_accept(r, '[')) {
        v = base_new(r->arena, one);
        if (!ir_element(r, d, v)) return false;
        *out = (ir_data){ one, v };
        return true;
    }
    while (!ir_accept(r, ']')) {
        if (n && !ir_expect(r, ',')) return false;
        v = ir_more(r, v, n, one);
        if (!ir_element(r, d, v + n++ * one)) return false;
    }
    *out = (ir_data){ n * one, v };
    return true;
}

static bool word_text(ir_reader *r, const ir_field *f, int64_t *out)
{
    const size_t n = ir_word(r);
    char list[256] = "";
    for (int i = 0; f->choices[i]; i++) {
        if (strlen(f->choices[i]) == n && !memcmp(r->p, f->choices[i], n)) {
            *out = i;
            r->p += n;
            return true;
        }
        if (strlen(list) + strlen(f->choices[i]) + 2 < sizeof list) strcat(strcat(list, " "), f->choices[i]);
    }
    return ir_complain(r, r->p, "%s is one of:%s", f->name, list);
}

static bool truth(ir_reader *r, bool *out)
{
    *out = ir_is(r, "true");
    return *out || ir_is(r, "false") || ir_complain(r, r->p, "true or false is missing here");
}

static bool dtype_text(ir_reader *r, tt_dtype *out)
{
    const ir_type *t;
    const char *at = r->p;
    if (!ir_type_read(r, &t)) return false;
    *out = t->dtype;
    return t->rank == 0 || ir_complain(r, at, "expected a data type without dims here");
}

static bool field_text(ir_reader *r, const op_prim *op, char *attr, const ir_field *f)
{
    char *to = attr + f->at;
    switch (f->kind) {
    case IR_INT:     return ir_integer(r, (int64_t *)to);
    case IR_REAL:    return ir_element(r, TT_F64, to);
    case IR_BOOL:    return truth(r, (bool *)to);
    case IR_ENUM:    return f->choices ? word_text(r, f, (int64_t *)to) : ir_integer(r, (int64_t *)to);
    case IR_DTYPE:   return dtype_text(r, (tt_dtype *)to);
    case IR_DIMS:    return ir_dims_text(r, (ir_dims *)to);
    case IR_NAME:    return ir_name(r, "a name", (base_name *)to);
    case IR_NAMES:   return names_text(r, (ir_names *)to);
    case IR_LAYOUTS: return layouts_text(r, (ir_layouts *)to);
    case IR_DATA:    return data_text(r, op, attr, (ir_data *)to);
    case IR_HOST:    return ir_complain(r, r->p, "a function of the host cannot be read from text");
    }
    return false;
}

static bool no_field(ir_reader *r, const op_prim *op, const char *at, size_t n)
{
    char list[256] = "";
    for (const ir_field *f = op->field; f && f->name; f++)
        if (strlen(list) + strlen(f->name) + 2 < sizeof list) strcat(strcat(list, " "), f->name);
    return ir_complain(r, at, "%s has no attribute \"%.*s\"; it has:%s", op->name, (int)(n < 64 ? n : 64), at,
                       *list ? list : " none");
}

bool ir_fields_read(ir_reader *r, const op_prim *op, char *attr) /* after '{', through '}' */
{
    for (bool first = true; !ir_accept(r, '}'); first = false) {
        if (!first && !ir_expect(r, ',')) return false;
        const size_t n = ir_word(r);
        const char *at = r->p;
        const ir_field *f = op->field;
        while (f && f->name && (strlen(f->name) != n || memcmp(f->name, at, n))) f++;
        if (!f || !f->name) return no_field(r, op, at, n);
        r->p += n;
        if (!ir_expect(r, '=') || !field_text(r, op, attr, f)) return false;
    }
    return true;
}
