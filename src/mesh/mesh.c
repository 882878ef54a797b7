/* mesh/mesh.c - creates meshes from text: "data:2, model:4", "i:8 explicit", "a:2, b:2 @ 3 1 2 0".
 *
 * Each axis is factored into prime atoms, small primes major. If a mesh has more than 15 atoms, which do not fit a
 * mesh_list, the last two atoms of the axis with the most atoms are joined, until 15 are left. After '@' follow the
 * devices in the order of logical positions. Meshes are interned: equal meshes are one pointer. */
#include "mesh.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MODES = 3 };
static const char *const mode_name[MODES] = { "auto", "explicit", "manual" };
static const char once[] = "the order of a mesh names each of its devices once";
static const int64_t most = (int64_t)1 << 31;

typedef struct { base_site site; const char *text, *p; } reader;

static bool complain(const reader *r, const char *at, const char *what)
{
    base_fail(TT_EMESH, r->site, "%s", what);
    base_caret(r->text, (size_t)(at - r->text));
    return base_hint("a mesh is written \"data:2, model:4\": names and sizes, major axis first");
}

static void mesh_skip(reader *r) { while (isspace((unsigned char)*r->p)) r->p++; }

static size_t mesh_word(reader *r)                       /* skips blanks; length of the name at p */
{
    size_t n = 0;
    mesh_skip(r);
    if (isalpha((unsigned char)*r->p) || *r->p == '_') while (isalnum((unsigned char)r->p[n]) || r->p[n] == '_') n++;
    return n;
}

static bool mesh_number(reader *r, int64_t *out)
{
    int64_t v = 0;
    mesh_skip(r);
    if (!isdigit((unsigned char)*r->p)) return false;
    for (; isdigit((unsigned char)*r->p); r->p++) if (v <= most) v = 10 * v + (*r->p - '0');
    *out = v;
    return true;
}

static bool read_axis(reader *r, const mesh_axis *earlier, int n, mesh_axis *x, int64_t *total)
{
    const size_t len = mesh_word(r);
    const char *at = r->p;
    if (!len || (len == 1 && *at == '_')) return complain(r, at, "expected the name of a mesh axis");
    x->name = base_intern_n(at, len);
    for (int i = 0; i < n; i++)
        if (earlier[i].name == x->name) {
            char what[128];
            snprintf(what, sizeof what, "two mesh axes have the name \"%.64s\"", x->name);
            return complain(r, at, what);
        }
    r->p += len;
    mesh_skip(r);
    if (*r->p != ':') return complain(r, r->p, "expected ':' and the size of the mesh axis");
    r->p++;
    mesh_skip(r);
    at = r->p;
    if (!mesh_number(r, &x->size) || x->size < 1) return complain(r, at,
        "expected the size of the mesh axis, 1 or more");
    if (x->size > most / *total) return complain(r, at, "a mesh of more than the limit of 2^31 devices");
    *total *= x->size;
    const size_t mode = mesh_word(r);
    for (int i = 0; i < MODES; i++)
        if (mode == strlen(mode_name[i]) && !memcmp(r->p, mode_name[i], mode)) {
            x->mode = (uint8_t)i;
            r->p += mode;
            return true;
        }
    return !mode || complain(r, r->p, "the mode of a mesh axis is auto, explicit or manual");
}

static int factor(int64_t n, uint32_t *prime)
{
    int k = 0;
    for (int64_t p = 2; p * p <= n; p++) for (; n % p == 0; n /= p) prime[k++] = (uint32_t)p;
    if (n > 1 || k == 0) prime[k++] = (uint32_t)n;
    return k;
}

/* Fills m->atom, and first and natom of each axis. At most 31 primes per axis, at most 15 axes. */
static void mesh_split(mesh *m, mesh_axis *axis)
{
    uint32_t prime[MESH_ATOMS][32];
    int total = 0;
    for (int i = 0; i < m->naxis; i++) total += axis[i].natom = (uint8_t)factor(axis[i].size, prime[i]);
    while (total > MESH_ATOMS) {
        int longest = 0;
        for (int i = 1; i < m->naxis; i++) if (axis[i].natom > axis[longest].natom) longest = i;
        const int n = --axis[longest].natom;
        prime[longest][n - 1] *= prime[longest][n];
        total--;
    }
    for (int i = 0; i < m->naxis; i++) {
        axis[i].first = (uint8_t)m->natom;
        for (int a = 0; a < axis[i].natom; a++) m->atom[m->natom++] = prime[i][a];
    }
}

static const mesh *mesh_finish(mesh *m, mesh_axis *axis, const uint32_t *order)
{
    mesh_split(m, axis);
    m->axis = base_intern_bytes(axis, (size_t)m->naxis * sizeof *axis);
    m->order = order;
    return base_intern_bytes(m, sizeof *m);
}

typedef struct { reader r; base_arena *scratch; const int64_t *ids; const mesh *made; } job;

/* Checks and interns the order of devices; *order is NULL for the identity. Device numbers may be any below LAST (or
 * the mesh's size), each used once. */
static bool keep_order(job *j, const char *at, int64_t n, const int64_t *ids, const uint32_t **order)
{
    enum { LAST = 1 << 16 };
    const int64_t end = n > LAST ? n : LAST;
    uint32_t *u = BASE_NEW(j->scratch, uint32_t, n);
    bool *seen = BASE_NEW(j->scratch, bool, end), plain = true;
    for (int64_t i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= end || seen[ids[i]])
            return complain(&j->r, at, once);
        seen[ids[i]] = true;
        u[i] = (uint32_t)ids[i];
        plain &= ids[i] == i;
    }
    *order = plain ? NULL : base_intern_bytes(u, (size_t)n * sizeof *u);
    return true;
}

static bool read_order(job *j, int64_t n, const uint32_t **order)       /* after '@' */
{
    const char *at = j->r.p;
    const int64_t capacity = (int64_t)strlen(at) / 2 + 1; /* the text holds no more numbers than this */
    int64_t *ids = BASE_NEW(j->scratch, int64_t, n < capacity ? n : capacity);
    for (int64_t i = 0; i < n; i++)
        if (!mesh_number(&j->r, &ids[i])) return complain(&j->r, j->r.p, once);
    return keep_order(j, at, n, ids, order);
}

static void mesh_make(void *arg)
{
    job *j = arg;
    reader *r = &j->r;
    mesh m;
    mesh_axis axis[MESH_ATOMS];
    const uint32_t *order = NULL;
    int64_t total = 1;
    j->scratch = base_open();
    memset(&m, 0, sizeof m);                             /* padding too: both are interned as bytes */
    memset(axis, 0, sizeof axis);
    for (bool more = true; more; m.naxis++) {
        if (m.naxis == MESH_ATOMS) {
            complain(r, r->p, "a mesh of more than the limit of 15 axes");
            return;
        }
        if (!read_axis(r, axis, m.naxis, &axis[m.naxis], &total)) return;
        mesh_skip(r);
        more = *r->p == ',';
        r->p += more;
    }
    const bool ordered = *r->p == '@';
    r->p += ordered;
    if (ordered && !read_order(j, total, &order)) return;
    mesh_skip(r);
    if (*r->p) {
        complain(r, r->p, "expected ',' and the next mesh axis, or the end");
        return;
    }
    if (j->ids && !keep_order(j, r->text, total, j->ids, &order)) return;
    j->made = mesh_finish(&m, axis, order);
}

const mesh *mesh_ordered(base_site site, const char *text, const int64_t *ids)
{
    job j = { .r = { site, text, text }, .ids = ids };
    const bool ok = base_catch(mesh_make, &j);
    base_close(j.scratch);
    if (!ok) base_unwind(0);
    return j.made;
}

const mesh *mesh_of(base_site site, const char *text) { return mesh_ordered(site, text, NULL); }

mesh_set mesh_within(const mesh *m, int64_t each)
{
    mesh_set near = (mesh_set)((1u << m->natom) - 1);
    int64_t below = 1;                                   /* distance of neighbours along an atom, in places */
    for (int a = m->natom - 1; a >= 0; below *= m->atom[a--]) {
        bool within = m->order || each % (below * m->atom[a]) == 0 || m->atom[a] == 1;
        for (int64_t p = below; m->order && p < mesh_size(m) && within; p++)
            within = p / below % m->atom[a] == 0 || m->order[p] / each == m->order[p - below] / each;
        if (!within) near &= (mesh_set)~(1u << a);
    }
    return near;
}

bool mesh_same_devices(const mesh *a, const mesh *b)
{
    if (a == b) return true;
    if (mesh_size(a) != mesh_size(b)) return false;
    for (int64_t i = 0; (a->order || b->order) && i < mesh_size(a); i++)
        if ((a->order ? a->order[i] : i) != (b->order ? b->order[i] : i)) return false;
    return true;
}

const char *mesh_text(base_arena *a, const mesh *m)
{
    base_text t = { .arena = a };
    base_appendf(&t, "%s", "");
    for (int i = 0; m && i < m->naxis; i++) {
        base_appendf(&t, "%s%s:%lld", i ? ", " : "", m->axis[i].name, (long long)m->axis[i].size);
        if (m->axis[i].mode != MESH_AUTO) base_appendf(&t, " %s", mode_name[m->axis[i].mode]);
    }
    if (m && m->order) base_appendf(&t, " @");
    for (int64_t i = 0; m && m->order && i < mesh_size(m); i++) base_appendf(&t, " %u", m->order[i]);
    return t.s;
}
