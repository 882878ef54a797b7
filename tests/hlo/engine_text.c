/* engine_text.c - what texts for engines of PJRT say besides what others do: how exact products are, and linear algebra
 * that is spelled out in a checked manual region. */
#include "hlo/hlo.h"
#include "prop/primitives.h"

#include <tutti.h>

/* The words of precision that an engine's text has, and another compiler's: of f32 the default of ours is exact. */
static void products(void)
{
#define DOT "{lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], preferred_element_type="
#define CONV "{input_spatial_dimensions=[], input_batch_dimension=0, input_feature_dimension=1, " \
    "kernel_output_feature_dimension=0, kernel_input_feature_dimension=1, output_batch_dimension=0, " \
    "output_feature_dimension=1, feature_group_count=1, batch_group_count=1, preferred_element_type="
    static const struct { const char *text, *engine, *other; } all[] = {
        { "dot_general f32[2,3], f32[3,2] " DOT "f32}", "HIGHEST", NULL },
        { "dot_general f32[2,3], f32[3,2] " DOT "f32, precision=high}", "HIGHEST", "HIGH" },
        { "dot_general f32[2,3], f32[3,2] " DOT "f32, precision=highest}", "HIGHEST", "HIGHEST" },
        { "dot_general c64[2,3], c64[3,2] " DOT "c64}", "HIGHEST", NULL },
        { "dot_general bf16[2,3], bf16[3,2] " DOT "f32}", NULL, NULL },
        { "dot_general f64[2,3], f64[3,2] " DOT "f64}", NULL, NULL },
        { "convolution f32[4,3], f32[2,3] " CONV "f32}", "HIGHEST", NULL },
        { "convolution bf16[4,3], bf16[2,3] " CONV "bf16}", NULL, NULL },
    };
    base_arena *const a = base_open();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const ir_fn *const f = ir_case(a, all[i].text);
        for (int engine = 0; f && engine < 2; engine++) {
            const char *const s = hlo_write_with(a, f, &(hlo_borders){ .spelled = engine });
            const char *const word = engine ? all[i].engine : all[i].other;
            char want[40] = "precision";
            if (word) snprintf(want, sizeof want, "<precision %s>", word);
            CHECK(s && !word == !strstr(s, want), "%s, %s: %s", all[i].text, engine ? "an engine" : "others",
                  s ? s : prop_error());
        }
        CHECK(f, "%s: %s", all[i].text, prop_error());
    }
    base_close(a);
}

/* In a checked manual region: types say that each device has another matrix, the loops that are spelled out do not. */
static void in_regions(void)
{
    static const char *const all[][2] = {
        { "y, p, q = lu x", "i, _, _" }, { "y, u, v = svd x {full_matrices=false}", "i, _" },
        { "y = svdvals x", "i, _" }, { "y, t = hessenberg x", "i, _, _" },
        { "y, m, e, t = tridiagonal x {lower=true}", "i, _, _" },
        { "y, p, t = geqp3 x, o", "i, _, _" },
        { "y = tridiagonal_solve x, d, d, d {perturb_singular=true}", "i, _, _" },
        { "y, z, w = schur x", "i, _, _" },
        { "y, u, v = eig x {compute_left_eigenvectors=false, compute_right_eigenvectors=true}", "i, _" },
    };
    base_arena *const a = base_open();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const char *const text = base_format(a, "mesh \"i:2\"\nfn f(x f32[4,3,3], w f32[4,3], o i32[4,3]) {\n"
            "y = manual x, w, o {manual_axes=[i], in_shardings=[\"i, _, _\", \"i, _\", \"i, _\"], "
            "out_shardings=[\"%s\"]} "
            "(x f32[2,3,3]{i}, d f32[2,3]{i}, o i32[2,3]{i}) {\n%s\nreturn y\n}\nreturn y\n}", all[k][1], all[k][0]);
        ir_fn *const f = ir_parse(a, "regions", text);
        CHECK(f, "%s: %s", all[k][0], f ? "" : prop_error());
        const char *const s = f ? hlo_write_with(a, f, &(hlo_borders){ .spelled = true }) : NULL;
        ir_fn *const g = s ? hlo_read(a, base_intern("spelled"), s) : NULL;
        CHECK(!f || g, "%s: %s", all[k][0], g ? "" : prop_error());
        prop_value x[3], *const y = BASE_NEW(a, prop_value, 2);
        for (uint32_t i = 0; g && i < 3; i++) x[i] = prop_fresh(a, f->type[i + 1], PROP_WIDE);
        if (g) for (int i = 0; i < 12; i++) ((int32_t *)x[2].at)[i] = 0;
        CHECK(!g || (prop_eval(a, f, x, y) && prop_eval(a, g, x, y + 1)), "%s: %s", all[k][0], prop_error());
        const char *const differs = g && !strstr(all[k][0], "schur") && !strstr(all[k][0], "eig")
                                        ? prop_differs(a, y, y + 1, 2e-3) : NULL;
        CHECK(!differs, "%s: %s", all[k][0], differs);
    }
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(products());
    CHECK_RUN(in_regions());
    return check_done();
}
