/* nn/packed.c - packed weights (tutti/array.h) in the place of kernels and tables: a dict of "codes" and "scales" where
 * a dense layer or an embedding has its array. A module does not change; its layers find what they are given.
 *
 * How a kernel becomes a matrix, only its layer knows: [heads, depth, embed] has two dims of inputs, [embed, heads,
 * depth] one. So tt_pack_params runs the module on abstract values, and the layers note their kernels. */
#include "nn.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACKS = 4096 };

static void path_of_packed(const nn_frame *f, const char *name, char to[NN_PATH + NN_NAME])
{
    snprintf(to, NN_PATH + NN_NAME, "%s%s%s", f->path, *f->path ? "." : "", name);
}

void nn_packable(nn_frame *f, const char *name, const int64_t *dims, int inputs)
{
    nn_packs *const p = f->root->packs;
    char path[NN_PATH + NN_NAME];
    if (!p) return;
    path_of_packed(f, name, path);
    for (int i = 0; i < p->n; i++) if (!strcmp(p->of[i].path, path)) return;
    if (p->n == PACKS) {
        tt_fail_at(f->site, TT_EARG, "pack_params: more than %d kernels", PACKS);
        return;
    }
    nn_pack *const a = &p->of[p->n++];
    snprintf(a->path, sizeof a->path, "%s", path);
    a->inputs = inputs;
    for (a->rank = 0; dims[a->rank] != TT_DIM_END && a->rank < 2 * NN_RANK; a->rank++) a->dim[a->rank] = dims[a->rank];
}

bool nn_packed(nn_frame *f, const char *name, int64_t rows, int64_t columns, tt_val part[2])
{
    static const char *const names[] = { "codes", "scales" };
    char path[NN_PATH + NN_NAME];
    path_of_packed(f, name, path);
    if (!tt_ok() || f->root->mode == NN_INIT || !tt_has_at(f->site, nn_now(f), path)) return false;
    const tt_val v = tt_get_at(f->site, nn_now(f), path);
    if (tt_rank_at(f->site, v) >= 0) return false;
    for (int i = 0; i < 2; i++) {
        if (!tt_has_at(f->site, v, names[i]))
            return tt_fail_at(f->site, TT_ETREE, "variable \"%s\" is a tree without \"%s\"", path, names[i]), true;
        part[i] = tt_get_at(f->site, v, names[i]);
    }
    const bool four = tt_dtype_of_at(f->site, part[0]) == TT_U8;
    const bool fits = tt_rank_at(f->site, part[0]) == 2 && tt_dim_at(f->site, part[0], 0) == rows &&
                      tt_dim_at(f->site, part[0], 1) << four == columns;
    if (tt_ok() && !fits)
        tt_fail_at(f->site, TT_ESHAPE, "variable \"%s\" is packed as %s; this layer's is [%lld, %lld]", path,
                   tt_type_text_at(f->site, part[0]), (long long)rows, (long long)columns);
    if (tt_ok() && f->through) {
        tt_fail_at(f->site, TT_EARG, "variable \"%s\" is packed, in a module whose parameters pass through a function",
                   path);
        tt_hint("tt_dequantize() gives the numbers; or pack other layers (.skip)");
    }
    return true;
}

/* ---- packing ---- */

typedef struct { const char *site; tt_module *module; nn_packs *packs; } packing;

static tt_val noted_run(void *env, int n, const tt_val *arg)
{
    const packing *const p = env;
    (void)n;
    nn_frame f = { .site = p->site, .mode = NN_APPLY, .keys = nn_keys_of_vars(p->site, arg[0]), .vars = arg[0] };
    f.root = &f, f.packs = p->packs;
    return nn_close(&f, p->module(nn_open(&f), arg[1]));
}

/* True if an end of the path is one of the words; all such words are used. */
static bool named_in(const char *words, const char *path, bool *used)
{
    bool is = false;
    for (int k = 0; words && *words; k++) {
        const size_t n = strcspn(words, " "), all = strlen(path);
        const char *const at = all >= n ? path + all - n : path;
        if (n && all >= n && !strncmp(at, words, n) && (at == path || at[-1] == '.')) is = used[k] = true;
        words += n + strspn(words + n, " ");
    }
    return is;
}

static void word_of_axes(const char *axes, int d, char to[NN_NAME])
{
    for (; axes && d > 0; d--) axes = strchr(axes, ',') ? strchr(axes, ',') + 1 : NULL;
    if (axes) axes += strspn(axes, " ");
    snprintf(to, NN_NAME, "%.*s", axes ? (int)strcspn(axes, ", ") : 1, axes ? axes : "_");
}

/* Codes or scales [.., rows, columns], with the names of the kernel's dims: of several the first. */
static tt_val packed_leaf(const packing *p, tt_val v, tt_val kernel, const nn_pack *a, int lead)
{
    const char *const axes = tt_leaf_axes_at(p->site, kernel);
    const bool table = !a->inputs;
    char all[NN_LIST] = "", one[NN_NAME];
    int64_t dims[NN_RANK + 3];
    for (int d = 0; d < lead + 2; d++) {
        word_of_axes(axes, d < lead ? d : d == lead ? lead + (table ? 0 : a->inputs) : lead + table, one);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", d ? ", " : "", one);
    }
    for (int d = 0; d < lead; d++) dims[d] = tt_dim_at(p->site, kernel, d);
    int64_t rows = tt_dim_at(p->site, v, 0);
    for (int d = 0; d < lead; d++) rows /= dims[d];
    dims[lead] = rows, dims[lead + 1] = -1, dims[lead + 2] = TT_DIM_END;
    const tt_leaf_opts leaf = { .size = sizeof leaf, .axes = axes ? all : NULL, .frozen = 1 };
    return tt_leaf_at(p->site, tt_reshape_at(p->site, v, dims), &leaf);
}

/* A kernel [.., in.., out..], or a table [.., rows, columns], as a dict of codes and scales. */
static tt_val pack_one(const packing *p, const nn_pack *a, tt_val kernel, const tt_pack_opts *o)
{
    const int lead = tt_rank_at(p->site, kernel) - a->rank;
    bool same = tt_ok() && lead >= 0 && lead <= NN_RANK && tt_dtype_kind(tt_dtype_of_at(p->site, kernel)) == 'f';
    int64_t in = 1, out = 1;
    for (int d = 0; d < a->rank; d++) {
        same = same && tt_dim_at(p->site, kernel, lead + d) == a->dim[d];
        *(d < (a->inputs ? a->inputs : 1) ? &in : &out) *= a->dim[d];
    }
    if (tt_ok() && !same) {
        tt_fail_at(p->site, TT_ESHAPE, "pack_params: \"%s\" is %s", a->path, tt_type_text_at(p->site, kernel));
        tt_hint("kernels are arrays of floats; the dims of stacked layers come first");
    }
    const int64_t columns = a->inputs ? in : out, group = o->group ? o->group : 32;
    if (tt_ok() && columns % group) {
        tt_fail_at(p->site, TT_EARG, "pack_params: \"%s\" has rows of %lld, which groups of %lld do not divide",
                   a->path, (long long)columns, (long long)group);
        tt_hint(".skip = \"%s\" leaves it as it is; .group sets the size of all groups", a->path);
    }
    if (!tt_ok()) return tt_poison;
    tt_val w = tt_reshape_at(p->site, kernel, (const int64_t[]){ -1, in, out, TT_DIM_END });
    if (a->inputs) w = tt_transpose_at(p->site, w, (const int64_t[]){ 0, 2, 1, TT_DIM_END });
    w = tt_reshape_at(p->site, w, (const int64_t[]){ -1, columns, TT_DIM_END });
    const tt_quantize_opts q = { .size = sizeof q, .bits = o->bits, .group = group };
    const tt_val both = tt_quantize_at(p->site, w, &q);
    return tt_dict_at(p->site, "codes", packed_leaf(p, tt_get_at(p->site, both, "codes"), kernel, a, lead), "scales",
                      packed_leaf(p, tt_get_at(p->site, both, "scales"), kernel, a, lead), (const char *)0,
                      (const char *)0, (const char *)0);
}

static tt_val pack_all(packing *p, tt_val params, const tt_pack_opts *o)
{
    bool used[64] = { 0 };
    tt_val y = params;
    int k = 0, taken = 0, tables = 0;
    for (int i = 0; i < p->packs->n && tt_ok(); i++) {
        const nn_pack *const a = &p->packs->of[i];
        tables += !a->inputs;
        if (named_in(o->skip, a->path, used) || (!a->inputs && !o->tables)) continue;
        const tt_val kernel = tt_get_at(p->site, params, a->path);
        if (!tt_ok() || (tt_rank_at(p->site, kernel) < 0 && tt_has_at(p->site, kernel, "codes"))) continue;
        y = tt_set_at(p->site, y, a->path, pack_one(p, a, kernel, o));
        taken++;
    }
    for (const char *w = o->skip; tt_ok() && w && *w; k++) {
        const size_t n = strcspn(w, " ");
        if (n && !used[k])
            tt_fail_at(p->site, TT_EARG, "pack_params: .skip: no kernel's path ends with \"%.*s\"", (int)n, w);
        w += n + strspn(w + n, " ");
    }
    if (tt_ok() && o->tables && !tables)
        tt_fail_at(p->site, TT_EARG, "pack_params: .tables = %d, but the module has no table of embeddings", o->tables);
    if (tt_ok() && !taken)
        tt_fail_at(p->site, TT_EARG, "pack_params: the module has no kernel that is to be packed");
    return tt_ok() ? y : tt_poison;
}

tt_val tt_pack_params_at(const char *site, tt_module *module, tt_val params, tt_val x, const tt_pack_opts *o)
{
    TT_ENTRY(site);
    static atomic_ullong turns;
    if (!TT_CHECKED(tt_pack_opts, site, "pack_params", o)) return tt_poison;
    if (!module) return tt_fail_at(site, TT_EARG, "pack_params: the module is NULL");
    int words = 0;
    for (const char *w = o->skip; w && *w; w += strcspn(w, " "), w += strspn(w, " ")) words++;
    if (words > 64) return tt_fail_at(site, TT_EARG, "pack_params: .skip has %d words; at most 64", words);
    nn_packs packs = { .turn = atomic_fetch_add(&turns, 1) + 1, .of = calloc(PACKS, sizeof *packs.of) };
    if (!packs.of) return tt_fail_at(site, TT_EMEM, "pack_params: out of memory");
    packing p = { site, module, &packs };
    const tt_scope scope = tt_scope_open();
    const tt_fn f = tt_bind_env_at(NULL, "module", noted_run, &p, 0, 2);
    tt_eval_shape_at(site, f, (const tt_val[]){ params, x, tt_end });
    tt_scope_close(scope);
    const tt_val y = tt_ok() ? pack_all(&p, params, o) : tt_poison;
    free(packs.of);
    return y;
}
