/* api/layout_text.c - layouts and meshes as JAX prints them, in the syntax of three versions; queries on layouts
 * without values. The compilers' own texts are in mesh_shardy and mesh_gspmd. */
#include "grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- forms: "sharding short 0.10" ---- */

typedef enum { AGE_2023, AGE_2024, AGE_2026 } age;       /* syntax since jax 0.4.13, 0.4.34, 0.10 */
typedef struct { char what[24]; age age; bool brief, list; } form;

/* True if the word is a version, "0.4.34" or "0.10", whose syntax is then in *to. */
static bool age_of(const char *word, age *to)
{
    int v[3] = { 0, 0, 0 }, end[2] = { 0, 0 };
    const int n = sscanf(word, "%4d.%4d%n.%4d%n", &v[0], &v[1], &end[0], &v[2], &end[1]);
    if (n < 2 || word[end[n - 2]] || word[strspn(word, "0123456789.")]) return false;
    if (v[0] > 0 || v[1] >= 10) *to = AGE_2026;
    else *to = v[1] > 4 || v[2] >= 34 ? AGE_2024 : AGE_2023;
    return true;
}

static bool read_form(base_site site, const char *call, const char *text, const char *known, form *f)
{
    bool aged = false;
    *f = (form){ .age = AGE_2024 };
    for (const char *p = text ? text : ""; *p; p += strspn(p, " ")) {
        const size_t n = strcspn(p, " ");
        const char *const w = base_format(trace_temp(), " %.*s ", (int)n, p);
        const bool number = *p >= '0' && *p <= '9', brief = !strcmp(w, " short "),
                   list = !strcmp(w, " list ") && *f->what;
        if ((number && aged) || (brief && f->brief) || (list && f->list)) {
            base_fail(TT_EARG, site, number ? "%s: a second version, \"%.*s\"" : "%s: \"%.*s\" is given twice", call,
                      (int)n, p);
            return base_caret(text, (size_t)(p - text)), false;
        }
        if (number && !age_of(base_format(trace_temp(), "%.*s", (int)n, p), &f->age)) {
            base_fail(TT_EARG, site, "%s: no version \"%.*s\"", call, (int)n, p);
            base_caret(text, (size_t)(p - text));
            return base_hint("a version is two or three numbers: \"0.4.13\", \"0.4.34\", \"0.10\"");
        }
        if (number) aged = true;
        else if (brief) f->brief = true;
        else if (list) f->list = true;
        else if (!*f->what && n < sizeof f->what && strstr(known, w)) memcpy(f->what, p, n);
        else {
            if (*f->what && strstr(known, w))
                base_fail(TT_EARG, site, "%s: \"%.*s\" after the form \"%s\"; a text names one", call, (int)n, p,
                          f->what);
            else base_fail(TT_EARG, site, "%s: no form \"%.*s\"", call, (int)n, p);
            base_caret(text, (size_t)(p - text));
            return base_hint_choices("the forms are", p, n, known);
        }
        p += n;
    }
    if (f->list && strcmp(f->what, "gspmd")) {
        base_fail(TT_EARG, site, "%s: \"list\" has no effect with the form \"%s\"", call, f->what);
        return base_hint("\"gspmd list\" lists all devices");
    }
    return *f->what || base_fail(TT_EARG, site, "%s: the text names no form", call) ||
        base_hint_choices("the forms are", "", 0, known);
}

static bool layout_text_is(const form *f, const char *what) { return !strcmp(f->what, what); }

/* ---- meshes ---- */

static int64_t device(const mesh *m, int64_t place) { return m->order ? m->order[place] : place; }

typedef struct { const mesh *mesh; int digits; } places;

static const char *device_word(void *env, int64_t i)
{
    const places *const p = env;
    return base_format(trace_temp(), "CpuDevice(id=%lld)", (long long)device(p->mesh, i));
}

static const char *number_word(void *env, int64_t i)
{
    const places *const p = env;
    return base_format(trace_temp(), "%*lld", p->digits, (long long)device(p->mesh, i));
}

static void put_tuple(base_text *t, const mesh *m, void (*put)(base_text *, const mesh_axis *))
{
    base_appendf(t, "(");
    for (int i = 0; i < m->naxis; i++) {
        if (i) base_appendf(t, ", ");
        put(t, &m->axis[i]);
    }
    base_appendf(t, m->naxis == 1 ? ",)" : ")");
}

static void put_size(base_text *t, const mesh_axis *x) { base_appendf(t, "%lld", (long long)x->size); }
static void put_name(base_text *t, const mesh_axis *x) { base_appendf(t, "'%s'", x->name); }
static void put_mode(base_text *t, const mesh_axis *x)
{
    static const char *const mode[] = { [MESH_AUTO] = "Auto", [MESH_EXPLICIT] = "Explicit", [MESH_MANUAL] = "Manual" };
    base_appendf(t, "%s", mode[x->mode]);
}

static void put_modes(base_text *t, const mesh *m, age a)
{
    if (a < AGE_2026) return;
    base_appendf(t, ", axis_types=");
    put_tuple(t, m, put_mode);
}

static void put_pairs(base_text *t, const mesh *m)       /* 'data': 2, 'model': 4 */
{
    for (int i = 0; i < m->naxis; i++)
        base_appendf(t, "%s'%s': %lld", i ? ", " : "", m->axis[i].name, (long long)m->axis[i].size);
}

static void put_grid(base_text *t, const mesh *m, bool ids)
{
    int64_t dim[MESH_ATOMS], top = 0;
    for (int i = 0; i < m->naxis; i++) dim[i] = m->axis[i].size;
    for (int64_t k = 0; k < mesh_size(m); k++) if (device(m, k) > top) top = device(m, k);
    places p = { m, snprintf(NULL, 0, "%lld", (long long)top) };
    const api_grid g = { m->naxis,    dim,          ids ? number_word : device_word, &p, ids ? ", " : " ",
                         ids ? 6 : 0, ids ? 74 : 75 };
    api_grid_put(t, &g);
}

static void put_mesh_str(base_text *t, const mesh *m, age a)
{
    base_appendf(t, "Mesh(");
    put_pairs(t, m);
    put_modes(t, m, a);
    base_appendf(t, ")");
}

static void put_mesh_repr(base_text *t, const mesh *m, age a)
{
    if (a == AGE_2026) {
        base_appendf(t, "Mesh(axis_sizes=");
        put_tuple(t, m, put_size);
    } else {
        base_appendf(t, "Mesh(device_ids=array(");
        put_grid(t, m, true);
        base_appendf(t, ")");
    }
    base_appendf(t, ", axis_names=");
    put_tuple(t, m, put_name);
    put_modes(t, m, a);
    base_appendf(t, ")");
}

/* True if the form, of all devices of the mesh if `lists`, may be printed; else sets the error. */
static bool listed(base_site site, const char *call, const mesh *m, bool lists)
{
    if (!lists || mesh_size(m) <= API_LISTED) return true;
    base_fail(TT_EMESH, site, "%s: the form lists %lld devices; at most %d are listed", call, (long long)mesh_size(m),
              API_LISTED);
    return base_hint("\"repr 0.10\" of a mesh and \"gspmd\" of a layout list no devices");
}

ENTRY2(const char *, "", tt_mesh_text, tt_mesh, on, const char *, text)
{
    base_text t = { .arena = trace_temp() };
    form f;
    if (!read_form(site, "tt_mesh_text", text, " str repr devices list device name ", &f)) return "";
    if (!api_good_mesh(site, "tt_mesh_text", on)) return "";
    const mesh *const m = on.p;
    if (!listed(site, "tt_mesh_text", m, layout_text_is(&f, "list"))) return "";
    if (layout_text_is(&f, "str") && f.age > AGE_2023) put_mesh_str(&t, m, f.age);
    else if (layout_text_is(&f, "str") || layout_text_is(&f, "repr")) put_mesh_repr(&t, m, f.age);
    else if (layout_text_is(&f, "devices")) put_grid(&t, m, false);
    else if (layout_text_is(&f, "device")) base_appendf(&t, "CpuDevice(id=%lld)", (long long)device(m, 0));
    else if (layout_text_is(&f, "name")) base_appendf(&t, "%s%lld", f.age == AGE_2026 ? "cpu:" : "TFRT_CPU_",
        (long long)device(m, 0));
    else {
        for (int64_t k = 0; k < mesh_size(m); k++)
            base_appendf(&t, "%sCpuDevice(id=%lld)", k ? ", " : "[", (long long)device(m, k));
        base_appendf(&t, "]");
    }
    return api_keep_text(t.s);
}

/* ---- specs ---- */

static void put_axes(base_text *t, const mesh *m, const mesh_dim *x)     /* None, 'data' or ('data', 'model') */
{
    const mesh_axis *axis;
    int64_t before, size;
    int n = 0;
    base_text names = { .arena = t->arena };
    for (int i = 0, k; i < mesh_list_n(x->atoms); i += k, n++) {
        k = mesh_run(m, x->atoms, i, &axis, &before, &size);
        base_appendf(&names, "%s'%s", n ? ", " : "", axis->name);
        if (k == axis->natom) base_appendf(&names, "'");
        /* Shardy's syntax of a sub-axis */
        else base_appendf(&names, ":(%lld)%lld'", (long long)before, (long long)size);
    }
    if (n) base_appendf(t, n > 1 ? "(%s)" : "%s", names.s);
    else base_appendf(t, x->open ? "UNCONSTRAINED" : "None");
}

static void put_items(base_text *t, const mesh_layout *l, bool brief)    /* "'data', None"; one item: with a comma */
{
    int n = l->rank;
    while (brief && n && !l->dim[n - 1].atoms && !l->dim[n - 1].open) n--;
    for (int d = 0; d < n; d++) {
        if (d) base_appendf(t, ", ");
        put_axes(t, l->mesh, &l->dim[d]);
    }
    if (n == 1) base_appendf(t, ",");
}

static void put_spec(base_text *t, const mesh_layout *l, const form *f)
{
    base_appendf(t, f->age == AGE_2026 ? "P(" : "PartitionSpec(");
    put_items(t, l, f->brief);
    base_appendf(t, ")");
}

static const char *memory_of(age a)
{
    return a == AGE_2023 ? "" : a == AGE_2024 ? ", memory_kind=unpinned_host" : ", memory_kind=device";
}

static void put_sharding(base_text *t, const mesh_layout *l, const form *f)
{
    base_appendf(t, "NamedSharding(mesh=");
    if (f->age == AGE_2023) {
        base_appendf(t, "{");
        put_pairs(t, l->mesh);
        base_appendf(t, "}");
    } else put_mesh_str(t, l->mesh, f->age);
    base_appendf(t, ", spec=");
    put_spec(t, l, f);
    base_appendf(t, "%s)", memory_of(f->age));
}

static void put_device(base_text *t, int64_t id, age a)
{
    base_appendf(t, "SingleDeviceSharding(device=CpuDevice(id=%lld)%s)", (long long)id, memory_of(a));
}

/* ---- positional: the devices of each part ---- */

typedef struct { int64_t part, id; } holder;
typedef struct { holder *of; int64_t n; } holders;       /* sorted */

static int by_part(const void *a, const void *b)
{
    const holder *const x = a, *const y = b;
    return x->part != y->part ? (x->part > y->part) - (x->part < y->part) : (x->id > y->id) - (x->id < y->id);
}

static const char *holders_word(void *env, int64_t part)
{
    const holders *const h = env;
    base_text t = { .arena = trace_temp() };
    int n = 0;
    for (int64_t k = 0; k < h->n; k++)
        if (h->of[k].part == part) base_appendf(&t, "%s%lld", n++ ? ", " : "{CPU ", (long long)h->of[k].id);
    base_appendf(&t, "}");
    return t.s;
}

static void put_positional(base_text *t, const mesh_layout *l, age a)
{
    static const char head[] = "PositionalSharding(";
    int64_t dim[IR_RANK];
    uint32_t coord[MESH_ATOMS] = { 0 };
    holders h = { BASE_NEW(trace_temp(), holder, mesh_size(l->mesh)), mesh_size(l->mesh) };
    for (int d = 0; d < l->rank; d++) dim[d] = mesh_list_size(l->mesh, l->dim[d].atoms);
    for (int64_t k = 0; k < h.n; k++) {
        mesh_coord(l->mesh, k, coord);
        h.of[k].id = device(l->mesh, k);
        for (int d = 0; d < l->rank; d++) {
            int64_t lo, hi;
            mesh_range(l->mesh, l->dim[d].atoms, dim[d], coord, &lo, &hi);
            h.of[k].part = h.of[k].part * dim[d] + lo;
        }
    }
    qsort(h.of, (size_t)h.n, sizeof *h.of, by_part);
    const api_grid g = { l->rank, dim, holders_word, &h, " ", (int)strlen(head), 99 };
    base_appendf(t, "%s", head);
    api_grid_put(t, &g);
    base_appendf(t, "%s, shape=(", memory_of(a));
    for (int d = 0; d < l->rank; d++) base_appendf(t, "%s%lld", d ? ", " : "", (long long)dim[d]);
    base_appendf(t, l->rank == 1 ? ",))" : "))");
}

/* ---- layouts ---- */

static const char layout_forms[] = " spec tuple sharding positional shardy gspmd device ";

static const char *layout_text(base_site site, const char *call, const mesh_layout *l, const form *f)
{
    base_text t = { .arena = trace_temp() };
    const bool lists = layout_text_is(f, "positional") || (layout_text_is(f, "gspmd") && f->list);
    if (!listed(site, call, l->mesh, lists)) return "";
    if (layout_text_is(f, "spec")) put_spec(&t, l, f);
    else if (layout_text_is(f, "sharding")) put_sharding(&t, l, f);
    else if (layout_text_is(f, "positional")) put_positional(&t, l, f->age);
    else if (layout_text_is(f, "shardy")) base_appendf(&t, "#sdy.sharding<@mesh, %s>", mesh_shardy(trace_temp(), l));
    else if (layout_text_is(f, "gspmd")) base_appendf(&t, "%s", mesh_gspmd(trace_temp(), l, f->list));
    else if (layout_text_is(f, "device")) put_device(&t, device(l->mesh, 0), f->age);
    else {
        base_appendf(&t, "(");
        put_items(&t, l, f->brief);
        base_appendf(&t, ")");
    }
    return api_keep_text(t.s);
}

static int items_of(const char *spec)                    /* counts commas outside the parentheses of `unreduced` */
{
    int n = 0, open = 0;
    const char *p = spec + strspn(spec, " ");
    if (!*p || *p == '+') return 0;
    for (; *p; p++) {
        open += (*p == '(') - (*p == ')');
        n += *p == ',' && !open;
    }
    return n + 1;
}

static const mesh_layout *layout_text_layout_of(base_site site, const char *call, tt_mesh on, int rank,
    const char *spec)
{
    const char *const s = spec ? spec : "";
    if (rank < -1) return base_fail(TT_ESHAPE, site, "%s: rank %d; expected 0 to %d", call, rank, IR_RANK), NULL;
    const int dims = rank < 0 ? items_of(s) : rank;
    if (dims > IR_RANK) return base_fail(TT_ESHAPE, site, "%s: %d dims; at most %d", call, dims, IR_RANK), NULL;
    return api_good_mesh(site, call, on) ? mesh_parse(site, on.p, dims, s) : NULL;
}

ENTRY4(const char *, "", tt_layout_text, tt_mesh, on, int, rank, const char *, spec, const char *, text)
{
    form f;
    if (!read_form(site, "tt_layout_text", text, layout_forms, &f)) return "";
    const mesh_layout *const l = layout_text_layout_of(site, "tt_layout_text", on, rank, spec);
    return l ? layout_text(site, "tt_layout_text", l, &f) : "";
}

ENTRY2(const char *, "", tt_text, tt_val, v, const char *, text)
{
    trace_value *const x = trace_array(site, "tt_text", v);
    form f;
    if (!x || !read_form(site, "tt_text", text ? text : "spec", layout_forms, &f)) return "";
    if (x->layout && x->layout->mesh) return layout_text(site, "tt_text", x->layout, &f);
    if (!layout_text_is(&f, "sharding") && !layout_text_is(&f, "device")) return "";
    base_text t = { .arena = trace_temp() };
    put_device(&t, 0, f.age);
    return api_keep_text(t.s);
}

/* ---- queries ---- */

ENTRY5(bool, false, tt_same_layout, tt_mesh, a, const char *, spec_a, tt_mesh, b, const char *, spec_b, int, rank)
{
    if (rank < 0) return base_fail(TT_ESHAPE, site, "tt_same_layout: rank %d; expected 0 to %d", rank, IR_RANK);
    const mesh_layout *const x = layout_text_layout_of(site, "tt_same_layout", a, rank, spec_a),
                      *const y = x ? layout_text_layout_of(site, "tt_same_layout", b, x->rank, spec_b) : NULL;
    return y && mesh_same(trace_temp(), x, y);
}

ENTRY4(bool, false, tt_shard_shape, tt_mesh, on, const char *, spec, const int64_t *, dims, int64_t *, part)
{
    int64_t dim[IR_RANK];
    const int rank = api_dims(site, "tt_shard_shape", dims, dim);
    const mesh_layout *const l = rank < 0 ? NULL : layout_text_layout_of(site, "tt_shard_shape", on, rank, spec);
    if (!l || !mesh_even(site, l, dim)) return false;
    for (int d = 0; part && d < rank; d++) part[d] = dim[d] / mesh_list_size(l->mesh, l->dim[d].atoms);
    return true;
}

ENTRY4(const char *, "", tt_fsdp_spec, tt_mesh, on, const char *, axis, int64_t, least, const int64_t *, dims)
{
    int64_t dim[IR_RANK], count = 1;
    const int rank = api_dims(site, "tt_fsdp_spec", dims, dim);
    base_text t = { .arena = trace_temp() };
    mesh_set atoms;
    if (rank < 0 || !api_good_mesh(site, "tt_fsdp_spec", on) || !mesh_set_parse(site, on.p, axis ? axis : "", &atoms))
        return "";
    if (least < 0) {
        base_fail(TT_EARG, site, "tt_fsdp_spec: least is %lld; expected 0 or more elements", (long long)least);
        return "";
    }
    const int64_t n = mesh_set_size(on.p, atoms);
    int cut = -1;
    for (int d = 0; d < rank; d++) count *= dim[d];
    for (int d = 0; d < rank && count > least; d++)
        if (dim[d] % n == 0 && (cut < 0 || dim[d] >= dim[cut])) cut = d;
    base_appendf(&t, "%s", "");
    for (int d = 0; d < rank; d++) base_appendf(&t, "%s%s", d ? ", " : "", d == cut ? axis : "_");
    return api_keep_text(t.s);
}
