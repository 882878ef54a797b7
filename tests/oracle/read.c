/* oracle/read.c - reading a suite: its cases, its arrays, and the fields of a case. */
#include "suite.h"

#include "data/data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *oracle_suite_name(const oracle_suite *s) { return s->name; }
const char *oracle_suite_dir(const oracle_suite *s) { return s->dir; }

/* ---- the fields of a case ---- */

const char *oracle_text(const json_t *o, const char *key, const char *usual)
{
    const json_t *v = json_object_get(o, key);
    return json_is_string(v) ? json_string_value(v) : usual;
}

double oracle_real(const json_t *o, const char *key, double usual)
{
    const json_t *v = json_object_get(o, key);
    if (json_is_number(v)) return json_number_value(v);
    return json_is_string(v) ? strtod(json_string_value(v), NULL) : usual;
}

int64_t oracle_int(const json_t *o, const char *key, int64_t usual)
{
    const json_t *v = json_object_get(o, key);
    if (json_is_string(v)) return strtoll(json_string_value(v), NULL, 10);
    return json_is_integer(v) ? json_integer_value(v) : json_is_real(v) ? (int64_t)json_real_value(v) : usual;
}

bool oracle_flag(const json_t *o, const char *key) { return json_is_true(json_object_get(o, key)); }

bool oracle_has(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return v && !json_is_null(v);
}

int oracle_dims(const json_t *o, const char *key, int64_t *dim)
{
    const json_t *v = json_object_get(o, key);
    int n = 0;
    if (json_is_integer(v)) dim[n++] = json_integer_value(v);
    else if (!json_is_array(v)) return dim[0] = TT_DIM_END, -1;
    else for (size_t i = 0; i < json_array_size(v) && n < 12; i++) dim[n++] = json_integer_value(json_array_get(v, i));
    dim[n] = TT_DIM_END;
    return n;
}

tt_dtype oracle_dtype(const char *name)
{
    static const struct { const char *name; tt_dtype d; } t[] = {
        { "bool", TT_BOOL },   { "int8", TT_I8 },       { "int16", TT_I16 },       { "int32", TT_I32 },
        { "int64", TT_I64 },   { "uint8", TT_U8 },      { "uint16", TT_U16 },      { "uint32", TT_U32 },
        { "uint64", TT_U64 },  { "float16", TT_F16 },   { "bfloat16", TT_BF16 },   { "float32", TT_F32 },
        { "float64", TT_F64 }, { "complex64", TT_C64 }, { "complex128", TT_C128 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) if (!strcmp(name, t[i].name)) return t[i].d;
    return (tt_dtype)0;
}

const char *oracle_notation(const char *text)
{
    static char ring[8][512];
    static int at;
    char *to = ring[at++ % 8];
    size_t n = 0;
    for (; *text && n + 3 < sizeof ring[0]; text++) to[n++] = *text == '=' ? ':' : *text == '-' ? '_' : *text;
    to[n] = 0;
    return to;
}

const array *array_of(const oracle_suite *s, const char *name)
{
    for (int i = 0; i < s->n; i++) if (!strcmp(s->array[i].name, name)) return &s->array[i];
    return NULL;
}

tt_val oracle_array(oracle_case *c, const char *name)
{
    const array *a = array_of(c->suite, name);
    if (a) return tt_array_at(0, a->dtype, a->data, a->dim);
    oracle_fail(c, "the file has no array %s", name);
    return tt_none();
}

tt_val oracle_in(oracle_case *c, int i)
{
    return oracle_array(c, json_string_value(json_array_get(json_object_get(c->json, "in"), (size_t)i)));
}

const char *oracle_out_name(oracle_case *c, int i)
{
    return json_string_value(json_array_get(json_object_get(c->json, "out"), (size_t)i));
}

int64_t oracle_named_dims(oracle_case *c, const char *name, int64_t *dim)
{
    const array *a = array_of(c->suite, name);
    if (!a) return -1;
    memcpy(dim, a->dim, sizeof a->dim);
    return a->rank;
}

const char *oracle_label(oracle_case *c, int i)
{
    const json_t *list = json_object_get(c->params, "out");
    const char *s = json_string_value(json_array_get(list ? list : json_object_get(c->params, "outs"), (size_t)i));
    return s ? s : "";
}

tt_val oracle_crc_of(tt_val v)
{
    const size_t n = tt_bytes(v);
    uint8_t *p = malloc(n + 1);
    const uint32_t crc = p && tt_read(v, (void *)p, n) ? data_crc(p, n) : 0;
    free(p);
    return tt_array(TT_U32, &crc);
}

/* ---- a suite ---- */

/* The cases of a file. Integers beyond 64 signed bits, which jansson refuses, become strings of their digits. */
json_t *oracle_cases_of(const char *path, json_error_t *error)
{
    data_bytes file;
    if (!data_slurp(0, path, &file)) {
        snprintf(error->text, sizeof error->text, "%s", tt_error());
        return NULL;
    }
    char *text = malloc(2 * file.n + 1);
    size_t n = 0;
    bool quoted = false;
    for (size_t i = 0; text && i < file.n;) {
        const char *at = (const char *)file.p + i;
        size_t len = 1;
        if (quoted && *at == '\\' && i + 1 < file.n) len = 2;
        else if (*at == '"') quoted = !quoted;
        else if (!quoted && (*at == '-' || (*at >= '0' && *at <= '9')))
            while (i + len < file.n && strchr("0123456789+-.eE", at[len])) len++;
        errno = 0;
        if (len > 18 && strspn(at, "-0123456789") >= len) strtoll(at, NULL, 10);
        n += (size_t)sprintf(text + n, errno == ERANGE ? "\"%.*s\"" : "%.*s", (int)len, at);
        i += len;
    }
    json_t *cases = text ? json_loadb(text, n, 0, error) : NULL;
    free(text);
    data_free(&file);
    return cases;
}

bool oracle_suite_load(oracle_suite *s)
{
    char path[2400];
    snprintf(path, sizeof path, "%s/arrays.npz", s->dir);
    if (!data_slurp(0, path, &s->zip) || !data_unzip(0, path, s->zip, &s->nentry, &s->entry)) return false;
    s->array = calloc((size_t)s->nentry + 1, sizeof *s->array);
    for (int i = 0; s->array && i < s->nentry; i++) {
        data_array a;
        char *name = s->entry[i].name;
        const size_t n = strlen(name);
        if (n > 4 && !strcmp(name + n - 4, ".npy")) name[n - 4] = 0;
        if (!data_npy(0, path, s->entry[i].bytes, &a)) return false;
        array *to = &s->array[s->n++];
        *to = (array){ .name = name, .dtype = a.dtype, .data = s->entry[i].bytes.p + a.at, .bytes = a.bytes };
        if (strlen(name) > 5 && !strcmp(name + strlen(name) - 5, ".bf16")) to->dtype = TT_BF16;
        memcpy(to->dim, a.dim, sizeof to->dim);
        while (to->dim[to->rank] != TT_DIM_END) to->rank++;
    }
    return s->array != NULL;
}

void oracle_suite_free(oracle_suite *s)
{
    json_decref(s->cases);
    free(s->array);
    data_entries_free(s->nentry, s->entry);
    data_free(&s->zip);
}
