/* mesh/spec.c - parses specs: "data, _", "a+b, ?", "_ +sum(model)". See layout.c for the notation.
 *
 * Dims without an item are not sharded. More items than dims are an error, except a lone "_" for a scalar. Every error
 * shows the spec with a caret and a hint; an unknown axis also shows the axes of the mesh. */
#include "mesh.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct { base_site site; const char *text, *p; const mesh *mesh; mesh_set taken; } reader;

static void in_force(const mesh *m, char *s, size_t capacity)    /* "data:2, model:4"; "": no mesh */
{
    size_t n = 0;
    *s = 0;
    for (int i = 0; m && i < m->naxis && n < capacity; i++)
        n += (size_t)snprintf(s + n, capacity - n, "%s%s:%lld", i ? ", " : "", m->axis[i].name,
            (long long)m->axis[i].size);
}

#define GRAMMAR "a spec has an axis per dim: \"data, _\"; '_' is an unsharded dim, '+' joins axes, " \
                "'?' leaves the dim to the compiler"

__attribute__((format(printf, 3, 4)))
static bool complain(const reader *r, const char *at, const char *fmt, ...)
{
    char what[256];
    va_list v;
    va_start(v, fmt);
    vsnprintf(what, sizeof what, fmt, v);
    va_end(v);
    base_fail(TT_ESPEC, r->site, "%s", what);
    base_caret(r->text, (size_t)(at - r->text));
    return base_hint(GRAMMAR);
}

static void spec_skip(reader *r) { while (isspace((unsigned char)*r->p)) r->p++; }

static bool letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t spec_word(reader *r)
{
    size_t n = 0;
    spec_skip(r);
    while (letter(r->p[n])) n++;
    return n;
}

static bool state_follows(const reader *r)               /* True at "+sum(", a state; false at "+model", an axis */
{
    const char *p = r->p;
    if (*p != '+') return false;
    for (p++; isspace((unsigned char)*p); p++) ;
    while (letter(*p)) p++;
    return *p == '(';
}

static int64_t spec_number(reader *r)                    /* -1: none */
{
    int64_t v = -1;
    for (; isdigit((unsigned char)*r->p); r->p++) if (v < INT32_MAX) v = 10 * (v < 0 ? 0 : v) + (*r->p - '0');
    return v;
}

/* Reads the part of an axis: all atoms, or after ".m.k" those after the major atoms with product m, with product k. */
static bool part_of_axis(reader *r, const char *at, mesh_list whole, mesh_list *part)
{
    int64_t before = 1, size = 1, m = -1, k = -1;
    int i = 0;
    *part = whole;
    if (*r->p != '.') return true;
    r->p++;
    m = spec_number(r);
    if (*r->p == '.') r->p++, k = spec_number(r);
    *part = 0;
    for (; i < mesh_list_n(whole) && before < m; i++) before *= r->mesh->atom[mesh_list_at(whole, i)];
    for (; i < mesh_list_n(whole) && size < k; i++) {
        size *= r->mesh->atom[mesh_list_at(whole, i)];
        *part = mesh_list_push(*part, mesh_list_at(whole, i));
    }
    return (before == m && size == k && *part) ||
           complain(r, at, "no such part of the axis: name.m.k is k places below the m major ones, and an axis is "
               "split between its prime factors");
}

static bool read_axis(reader *r, mesh_list *list)
{
    const size_t n = spec_word(r);
    const char *at = r->p;
    char axes[512];
    mesh_list whole, part;
    if (!n) return complain(r, at, *at && *at != ',' ? "expected an axis, '_' or '?'"
                                                     : "an empty item; write '_' for an unsharded dim");
    whole = mesh_axis_list(r->mesh, base_intern_n(at, n));
    in_force(r->mesh, axes, sizeof axes);
    if (!whole && n == 1 && *at == '_') return complain(r, at, "'_' stands alone: it leaves a dim unsharded");
    if (!whole) {
        base_fail(TT_ESPEC, r->site, "no axis \"%.*s\" in %s%s", (int)(n < 64 ? n : 64), at,
                  *axes ? "mesh " : "no mesh", axes);
        base_caret(r->text, (size_t)(at - r->text));
        base_hint_choices(NULL, at, n, axes);
        return base_hint(GRAMMAR);
    }
    r->p += n;
    if (!part_of_axis(r, at, whole, &part)) return false;
    if (mesh_list_set(part) & r->taken)
        return complain(r, at, "axis \"%.*s\" is used twice: an axis shards one dim only", (int)n, at);
    r->taken |= mesh_list_set(part);
    for (int i = 0; i < mesh_list_n(part); i++) *list = mesh_list_push(*list, mesh_list_at(part, i));
    return true;
}

static bool read_list(reader *r, mesh_list *list)        /* "a+b" */
{
    for (;;) {
        if (!read_axis(r, list)) return false;
        spec_skip(r);
        if (*r->p != '+' || state_follows(r)) return true;
        r->p++;
    }
}

static bool read_item(reader *r, mesh_dim *d)
{
    const size_t n = spec_word(r);
    if (n == 1 && *r->p == '_') {
        r->p++;
        spec_skip(r);
        return true;
    }
    if (*r->p != '?' && !read_list(r, &d->atoms)) return false;
    if (*r->p == '?') r->p++, d->open = true;
    spec_skip(r);
    if (*r->p == '!') {
        const char *at = r->p++;
        const int64_t level = spec_number(r);
        if (level < 0 || level > 255) return complain(r, at, "expected a priority, 0 to 255, after '!'");
        d->priority = (uint8_t)level;
    }
    spec_skip(r);
    return true;
}

static bool read_state(reader *r, mesh_layout *l)        /* "+sum(a+b)" */
{
    const char *at = r->p++;
    const size_t n = spec_word(r);
    const char *name = r->p;
    mesh_list atoms = 0;
    mesh_set *into = NULL;
    for (int h = MESH_SUM; h <= MESH_XOR; h++)
        if (strlen(mesh_reduce_name[h]) == n && !memcmp(name, mesh_reduce_name[h], n))
            into = &l->partial, l->reduce = (mesh_reduce)h;
    if (n == 7 && !memcmp(name, "reduced", n)) into = &l->reduced;
    if (n == 6 && !memcmp(name, "closed", n)) into = &l->closed;
    if (!into || *into)
        return complain(r, at, "a state is sum, prod, max, min, and, or, xor, reduced or closed, once each");
    r->p += n + 1;
    if (!read_list(r, &atoms)) return false;
    if (*r->p != ')') return complain(r, r->p, "')' is missing");
    r->p++;
    spec_skip(r);
    *into = mesh_list_set(atoms);
    return true;
}

size_t mesh_first_name(const char *spec)
{
    size_t i = 0;
    while (spec[i] && !isalpha((unsigned char)spec[i])) i++;
    return i;
}

const mesh_layout *mesh_parse(base_site site, const mesh *m, int rank, const char *spec)
{
    reader r = { site, spec, spec, m, 0 };
    mesh_dim dim[MESH_RANK] = { 0 };
    mesh_layout l = { .mesh = m, .rank = rank, .dim = dim };
    spec_skip(&r);
    bool more = *r.p != '\0' && !state_follows(&r);
    for (int d = 0; more; d++) {
        spec_skip(&r);
        const char *at = r.p;
        mesh_dim lone = { 0 }, *into = d < rank ? &dim[d] : &lone;
        if (!read_item(&r, into)) return NULL;
        if (d >= rank && (d || lone.atoms || lone.open || *r.p == ',')) {
            complain(&r, at, rank == 0 ? "a spec for dims, but the value is a scalar"
                                       : "the spec has more items than the value has dims (%d)", rank);
            return NULL;
        }
        more = *r.p == ',';
        r.p += more;
    }
    while (state_follows(&r)) if (!read_state(&r, &l)) return NULL;
    if (*r.p) {
        complain(&r, r.p, "expected ',' and the next item, or the end");
        return NULL;
    }
    return mesh_intern(&l);
}

bool mesh_set_parse(base_site site, const mesh *m, const char *text, mesh_set *set)
{
    reader r = { site, text, text, m, 0 };
    mesh_list atoms = 0;
    if (!read_list(&r, &atoms)) return false;
    if (*r.p) return complain(&r, r.p, "expected '+' and the next axis, or the end");
    *set = mesh_list_set(atoms);
    return true;
}
