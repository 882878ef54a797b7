/* transforms.c - programs that JAX printed (tests/corpus/transforms), imported: their derivatives against
 * differences, and derivatives of those; vmap against a loop; and partitioned over 2x4 in every way, the single
 * device's values. */
#include "hlo/hlo.h"
#include "pass/pass.h"
#include "api/pipeline.h"
#include "api/transforms.h"

#include <dirent.h>

/* What may not be looked at so: its second derivatives' differences are too coarse, or it has none in reverse. */
static const struct { const char *name; int depth; } depths[] = { { "conv", 0 }, { "special", 0 } };

typedef struct { base_arena *a; const char *name, *text; ir_fn *fn; } reading;

static void read_it(void *arg)
{
    reading *const r = arg;
    ir_fn *const f = hlo_read(r->a, base_intern(r->name), r->text);
    r->fn = f ? hlo_raise(r->a, f) : NULL;
}

/* The n-th way to lay a value of that rank over the mesh: each axis on one dim, or none. NULL: no more. */
static const mesh_layout *nth(const mesh *m, int rank, int n)
{
    mesh_list dim[IR_RANK + 1] = { 0 };
    for (int axis = 0; axis < m->naxis; axis++, n /= rank + 1) {
        const int d = n % (rank + 1) - 1;
        const mesh_list more = mesh_axis_list(m, m->axis[axis].name);
        for (int i = 0; d >= 0 && i < mesh_list_n(more); i++) dim[d] = mesh_list_push(dim[d], mesh_list_at(more, i));
    }
    return n ? NULL : mesh_layout_dims(m, rank, dim);
}

static void partitioned(const reading *t)
{
    pipeline r = { .a = t->a };
    const mesh *const m = mesh_of(NULL, "x:2, y:4");
    if (!pipeline_open(&r, t->fn)) {
        CHECK(false, "%s: %s", t->name, pipeline_error());
        return;
    }
    pipeline_run(&r, t->name, NULL, NULL, 1e-9);
    r.fn = pass_on_mesh(t->a, t->fn, m);
    for (int n = 1, some = 1; some && n < 9; n++) {
        const mesh_layout *in[PIPELINE_MOST];
        some = 0;
        for (uint32_t i = 0; i < t->fn->narg; i++) {
            const int rank = t->fn->type[1 + i]->rank;
            some |= (in[i] = nth(m, rank, n)) != NULL;
            if (!in[i]) in[i] = nth(m, rank, 0);
        }
        if (some) pipeline_run(&r, base_format(t->a, "%s on 2x4, layouts %d", t->name, n), in,
                           &(driver_opts){ .once = true }, 1e-9);
    }
}

static void one(const char *name, const char *text)
{
    reading r = { .a = base_open(), .name = name, .text = text };
    prop_state = 88172645463325252u;                     /* the same draws in whatever order the folder is read */
    base_clear_error();
    CHECK(base_catch(read_it, &r) && r.fn, "%s: %s", name, prop_error());
    if (r.fn) {
        int depth = 1;
        for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
            if (!strncmp(name, depths[i].name, strlen(depths[i].name))) depth = depths[i].depth;
        r.fn->name = base_intern_n(name, strlen(name) - 5);
        sound(ir_print(r.a, r.fn), depth, false);
        partitioned(&r);
    }
    base_clear_error();
    base_close(r.a);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[NAME...]")) return check_done();
    static const char folder[] = "tests/corpus/transforms";
    DIR *const d = opendir(folder);
    CHECK(d, "%s", folder);
    for (const struct dirent *e; d && (e = readdir(d));) {
        static char text[1 << 16];
        char path[400];
        const size_t len = strlen(e->d_name);
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++) wanted |= strstr(e->d_name, argv[i]) != NULL;
        if (!wanted || len < 6 || strcmp(e->d_name + len - 5, ".mlir")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *const f = fopen(path, "rb");
        const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
        if (f) fclose(f);
        text[n] = 0;
        one(e->d_name, text);
    }
    if (d) closedir(d);
    return check_done();
}
