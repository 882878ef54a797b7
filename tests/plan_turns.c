/* Rows of stacks: what is made where it belongs. */
#include "road.h"

/* Products of devices that are no one task are made in the rows of the stack. */
static void products(const char *spec, const char *text)
{
    base_arena *a = base_open();
    road r = { .a = a };
    drive_view view;
    const ir_fn *f = ir_parse(a, "products", "mesh \"i:4\"\nfn f(y f32[8,80], x f32[3,8,64]) {\n"
        "c, g = scan y, y, x {length=3, nconst=1, ncarry=1, reverse=false} (y f32[8,80], c f32[8,80], x f32[8,64]) {\n"
        "d = dot_general x, y {lhs_contracting=[0], rhs_contracting=[0], result=f32}\nn = neg c\nreturn n, d }\n"
        "return g\n}");
    CHECK(f && road_open(&r, f), "%s", road_error());
    const mesh_layout *in[2] = { NULL, f ? mesh_parse(NULL, f->mesh, 3, spec) : NULL };
    const drive_opts o = { .in = in };
    const bool looked = f && drive_look(a, f, &o, true, &view);
    CHECK(looked && strstr(run_plan_text(a, view.plan), text), "no \"%s\" in\n%s", text,
          looked ? run_plan_text(a, view.plan) : road_error());
    if (looked) road_run(&r, text, in, &o, 1e-6);
    base_close(a);
}

int main(void)
{
    products("_, _, i", "dot: r0 f32[64@i, 80]");
    drive_forget();
    return check_done();
}
