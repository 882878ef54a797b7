/* nn/record.c - the layers and variables of a module, found by running it on an abstract value.
 *
 * A run of tt_init with a record adds a row per layer when the layer is entered, the type of its result when it is
 * left, and a row per variable when it is created. The table is Keras's summary(): layers inside layers count as one.
 */
#include "nn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1024 };

int nn_record_layer(nn_record *r, const char *path, const char *cls)
{
    if (r->nlayer == ROWS) return tt_fail_at(NULL, TT_EARG, "summary: more than %d layers", ROWS), 0;
    nn_layer *l = &r->layer[r->nlayer++];
    memset(l, 0, sizeof *l);
    l->rank = -1;
    snprintf(l->path, sizeof l->path, "%s", path);
    snprintf(l->cls, sizeof l->cls, "%s", cls);
    return r->nlayer;
}

void nn_record_variable(nn_record *r, const char *path, tt_val v, bool frozen)
{
    if (r->nvar == ROWS) {
        tt_fail_at(NULL, TT_EARG, "summary: more than %d variables", ROWS);
        return;
    }
    nn_variable *w = &r->var[r->nvar++];
    memset(w, 0, sizeof *w);
    snprintf(w->path, sizeof w->path, "%s", path);
    w->frozen = frozen;
    w->rank = tt_rank_at(NULL, v);
    w->dtype = tt_dtype_of_at(NULL, v);
    for (int i = 0; i < w->rank; i++) w->dim[i] = tt_dim_at(NULL, v, i);
}

tt_val nn_leave(nn_frame *f, tt_val y)
{
    if (!f->row || !tt_ok() || tt_rank_at(f->site, y) < 0) return y;
    nn_layer *l = &f->root->record->layer[f->row - 1];
    l->rank = tt_rank_at(f->site, y);
    l->dtype = tt_dtype_of_at(f->site, y);
    for (int i = 0; i < l->rank; i++) l->dim[i] = tt_dim_at(f->site, y, i);
    return y;
}

tt_val tt_called_at(const char *site, tt_nn m, const char *cls, tt_val y)
{
    TT_ENTRY(site);
    nn_frame f;
    if (!cls || !*cls) return tt_fail_at(site, TT_EARG, "called: the class is %s", cls ? "an empty text" : "NULL");
    return nn_enter(&f, m, site, cls, NULL) ? nn_leave(&f, y) : tt_poison;
}

/* ---- the run ---- */

typedef struct { const char *site, *keys; tt_module *module; nn_record *record; } job;

static tt_val record_run(void *env, int n, const tt_val *arg)
{
    const job *j = env;
    (void)n;
    return nn_init(j->site, j->module, arg[0], arg[1], j->keys, j->record);
}

/* The record of a module, to be freed by drop(); NULL with the error set. */
static nn_record *recorded(const char *site, tt_module *module, tt_val x, const tt_layers_opts *o)
{
    nn_record *r = calloc(1, sizeof *r);
    if (r) r->layer = malloc(ROWS * sizeof *r->layer), r->var = malloc(ROWS * sizeof *r->var);
    if (!r || !r->layer || !r->var) {
        tt_fail_at(site, TT_EMEM, "summary: out of memory");
        return r;
    }
    job j = { site, o->keys, module, r };
    const tt_scope scope = tt_scope_open();
    const tt_fn f = tt_bind_env_at(NULL, "module", record_run, &j, 0, 2);
    tt_eval_shape_at(site, f, (const tt_val[]){ tt_shape_at(site, TT_U32, (const int64_t[]){ 2, TT_DIM_END }), x,
        tt_end });
    tt_scope_close(scope);
    return r;
}

static void drop(nn_record *r)
{
    if (r) free(r->layer), free(r->var);
    free(r);
}

int tt_variables_at(const char *site, tt_module *module, tt_val x, int n, tt_variable *out, const tt_layers_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_layers_opts, site, "variables", o)) return -1;
    nn_record *r = recorded(site, module, x, o);
    const int all = r && tt_ok() ? r->nvar : -1;
    const nn_variable *named = NULL;
    if (all > 0 && out) named = tt_keep_latest("variables", r->var, (size_t)all * sizeof *r->var);
    for (int i = 0; named && i < all && i < n; i++) {
        const nn_variable *v = &named[i];
        int64_t dims[NN_RANK + 1];
        memcpy(dims, v->dim, sizeof v->dim);
        dims[v->rank] = TT_DIM_END;
        out[i] = (tt_variable){ v->path, tt_shape_at(site, v->dtype, dims), !v->frozen };
    }
    drop(r);
    return all;
}

/* ---- the table ---- */

static int64_t count_of(const nn_variable *v)
{
    int64_t n = 1;
    for (int i = 0; i < v->rank; i++) n *= v->dim[i];
    return n;
}

static int record_bytes_of(tt_dtype d)
{
    static const uint8_t size[] = { 0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16 };
    return size[d];
}

/* True if the variable is the state of a seed, which is not a parameter. */
static bool is_seed(const nn_variable *v) { return v->frozen && v->dtype == TT_U32; }

static int64_t of_layer(const nn_record *r, const char *path)
{
    const size_t n = strlen(path);
    int64_t sum = 0;
    for (int i = 0; i < r->nvar; i++)
        if (!strncmp(r->var[i].path, path, n) && r->var[i].path[n] == '.' && !is_seed(&r->var[i]))
            sum += count_of(&r->var[i]);
    return sum;
}

static void rule(FILE *t, const int *width, const char *left, const char *line, const char *mid, const char *right)
{
    for (int c = 0; c < 3; c++) {
        fprintf(t, "%s", c ? mid : left);
        for (int i = 0; i < width[c] + 2; i++) fprintf(t, "%s", line);
    }
    fprintf(t, "%s\n", right);
}

static void shape_text(char to[256], int rank, const int64_t *dim)
{
    size_t n = (size_t)snprintf(to, 256, rank < 0 ? "-" : rank ? "(None" : "()");
    for (int i = 1; i < rank && n < 230; i++) n += (size_t)snprintf(to + n, 256 - n, ", %lld", (long long)dim[i]);
    if (rank > 0) snprintf(to + n, 256 - n, rank == 1 ? ",)" : ")");
}

typedef struct { char cell[3][256]; } row;

static void sum_line(FILE *t, const char *what, const nn_record *r, bool learn, bool fixed)
{
    static const char *const unit[] = { "B", "KB", "MB", "GB", "TB" };
    int64_t n = 0;
    double bytes = 0;
    int u = 0;
    char number[32];
    for (int i = 0; i < r->nvar; i++) {
        const nn_variable *v = &r->var[i];
        if (is_seed(v) || !(v->frozen ? fixed : learn)) continue;
        n += count_of(v);
        bytes += (double)count_of(v) * record_bytes_of(v->dtype);
    }
    while (bytes >= 1024 && u < 4) bytes /= 1024, u++;
    tt_fprintf(t, " %s: %s (%.2f %s)\n", what, nn_thousands(n, number), bytes, unit[u]);
}

static void table(FILE *t, const nn_record *r, int n, const row *rows, const char *name)
{
    static const char *const head[] = { "Layer (type)", "Output Shape", "Param #" };
    int width[3] = { 31, 22, 13 };                       /* Keras's widths; larger if a row needs it */
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            const int w = (int)strlen(rows[i].cell[c]);
            if (w > width[c]) width[c] = w;
        }
    fprintf(t, "Model: \"%s\"\n", name);
    rule(t, width, "\u250f", "\u2501", "\u2533", "\u2513");
    fprintf(t, "\u2503 %-*s \u2503 %-*s \u2503 %*s \u2503\n", width[0], head[0], width[1], head[1], width[2], head[2]);
    rule(t, width, "\u2521", "\u2501", "\u2547", "\u2529");
    for (int i = 0; i < n; i++) {
        if (i) rule(t, width, "\u251c", "\u2500", "\u253c", "\u2524");
        fprintf(t, "\u2502 %-*s \u2502 %-*s \u2502 %*s \u2502\n", width[0], rows[i].cell[0], width[1], rows[i].cell[1],
            width[2], rows[i].cell[2]);
    }
    rule(t, width, "\u2514", "\u2500", "\u2534", "\u2518");
    sum_line(t, "Total params", r, true, true);
    sum_line(t, "Trainable params", r, true, false);
    sum_line(t, "Non-trainable params", r, false, true);
}

const char *tt_layers_at(const char *site, tt_module *module, tt_val x, const tt_layers_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_layers_opts, site, "layers", o)) return "";
    char *made = NULL;
    size_t bytes = 0;
    nn_record *r = recorded(site, module, x, o);
    row *rows = r ? calloc((size_t)r->nlayer + 2, sizeof *rows) : NULL;
    int n = 0;
    FILE *t = rows ? tt_open_memstream(&made, &bytes) : NULL;
    if (!t || !tt_ok()) {
        if (r && tt_ok()) tt_fail_at(site, TT_EMEM, "layers: out of memory");
        if (t) fclose(t);
        free(made);
        free(rows);
        drop(r);
        return "";
    }
    if (o->keys && !strcmp(o->keys, "keras") && tt_rank_at(site, x) >= 0) {
        int64_t dim[NN_RANK] = { 0 };
        for (int i = 0; i < tt_rank_at(site, x); i++) dim[i] = tt_dim_at(site, x, i);
        snprintf(rows[n].cell[0], 256, "input_layer (InputLayer)");
        shape_text(rows[n].cell[1], tt_rank_at(site, x), dim);
        snprintf(rows[n++].cell[2], 256, "0");
    }
    for (int i = 0; i < r->nlayer; i++) {
        const nn_layer *l = &r->layer[i];
        char number[32];
        if (strchr(l->path, '.')) continue;
        row *to = &rows[n++];
        snprintf(to->cell[0], 256, "%.150s (%s)", l->path, l->cls);
        shape_text(to->cell[1], l->rank, l->dim);
        snprintf(to->cell[2], 256, "%s", nn_thousands(of_layer(r, l->path), number));
    }
    table(t, r, n, rows, o->name ? o->name : "model");
    free(rows);
    drop(r);
    if (fclose(t)) tt_fail_at(site, TT_EMEM, "layers: out of memory");
    const char *text = tt_ok() ? tt_keep_latest("layers", made, bytes + 1) : NULL;
    free(made);
    return text ? text : "";
}
