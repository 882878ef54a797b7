/* Every case of every row, its operands laid out in every way that a small mesh offers: partitioned, planned and run, the
 * answer is ir_eval's. And the layouts and exchanges of a few programs, as text. */
#include "road.h"
#include "pass/pass.h"
#include "spmd/spmd.h"

static const char *const meshes[] = { "x:2", "x:3", "x:2, y:4", "x:8" };

/* The n-th layout of a rank over a mesh: dims over axes, each axis on at most one dim. -1: no more. */
static const mesh_layout *nth(const mesh *m, int rank, int n)
{
    mesh_list dim[IR_RANK + 1] = { 0 };
    for (int axis = 0; axis < m->naxis; axis++, n /= rank + 1) {
        const int d = n % (rank + 1) - 1;
        if (d < 0) continue;
        const mesh_list more = mesh_axis_list(m, m->axis[axis].name);
        for (int i = 0; i < mesh_list_n(more); i++) dim[d] = mesh_list_push(dim[d], mesh_list_at(more, i));
    }
    return n ? NULL : mesh_layout_dims(m, rank, dim);
}

static bool whole_program(const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++)
        if (f->eqn[k].op->kernel == OP_EXCHANGE || f->eqn[k].op == &row_to_varying) return false;
    return f->narg <= ROAD_MOST && f->nret <= ROAD_MOST && !f->mesh;
}

static void one_case(const char *text)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_case(a, text);
    road r = { .a = a };
    CHECK(f, "%s: %s", text, road_error());
    if (f && whole_program(f) && road_open(&r, f)) {
        road_run(&r, text, NULL, NULL, 1e-5);
        for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
            const mesh *mesh = mesh_of(NULL, meshes[m]);
            r.fn = pass_on_mesh(a, f, mesh);
            for (int n = 0, some = 1; some && n < 60; n++) {
                const mesh_layout *in[ROAD_MOST];
                some = 0;
                for (uint32_t i = 0; i < f->narg; i++) {
                    in[i] = nth(mesh, f->type[1 + i]->rank, n);
                    some |= in[i] != NULL;
                    if (!in[i]) in[i] = nth(mesh, f->type[1 + i]->rank, 0);
                }
                if (!some) break;
                const char *what = base_format(a, "%s on %s, layouts %d", text, meshes[m], n);
                road_run(&r, what, in, &(drive_opts){ .once = true }, 1e-4);
            }
        }
    }
    base_forget();
    base_close(a);
}

int main(int argc, char **argv)
{
    for (const op_row *const *r = op_rows; *r; r++)
        for (const char *const *c = (*r)->cases; c && *c; c++)
            if (argc < 2 || !strcmp(argv[1], (*r)->name)) one_case(*c);
    drive_forget();
    return check_done();
}
