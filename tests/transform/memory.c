/* Every allocation of a transform, and of the evaluation of what it gives, fails once: the unwinding reaches the
 * caller, the error is out of memory, and nothing is lost. */
#include "api/transforms.h"

#define REGION \
    "mesh \"a:2\"\nfn f(x f64[2,2], w f64[2]) {\n" \
    "y = manual x, w {manual_axes=[a], in_shardings=[\"a, _\", \"_\"], out_shardings=[\"\"]} (x f64[1,2]{a}, "         \
    "w f64[2]) {\n"                                                                                                    \
    "r = reshape x {shape=[2]}\n" \
    "c = scan r, w {length=2, num_consts=1, num_carry=1} (r f64[2]{a}, c f64[2]) {\n" \
    "p = mul r, c\nq = sin p\ns = psum q {axes=[a]}\nreturn s\n}\n" \
    "t = dot_general c, c {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], " \
    "preferred_element_type=f64}\nreturn t\n}\n"
static const char *const loss = REGION "v = remat y (z f64[]) { u = exp z; v = sin u; return v }\nreturn v\n}";
static const char *const program = REGION
    "z, k = while y, y (y f64[], k f64[]) { p = compare k, 9 {comparison_direction=lt}; return p } (y f64[], "
    "k f64[]) { n = add "
    "k, 1; return y, n }\n"
    "v = remat z (z f64[]) { u = exp z; v = sin u; return v }\nreturn v\n}";

static bool finished;

static void once(void *arg)
{
    base_arena **a = arg;
    *a = base_open();
    ir_fn *h = ir_parse(*a, "memory", loss), *f = ir_parse(*a, "memory", program);
    const bool wrt[2] = { true, true };
    prop_value *in, *out;
    if (!h || !transform_grad(*a, "memory", h, wrt)) return;
    ir_fn *g = f ? transform_jvp(*a, f, wrt) : NULL;
    f = g ? transform_vmap(*a, f, wrt, NULL, NULL, 2) : NULL;
    if (!f) return;
    in = inputs_of(*a, g);
    out = BASE_NEW(*a, prop_value, g->nret);
    finished = prop_eval(*a, g, in, out);
}

static void after(void (*body)(void *), int64_t nth, int64_t *seen)
{
    base_arena *a = NULL;
    finished = false;
    base_fail_allocation(nth);
    const bool whole = base_catch(body, &a);
    base_fail_allocation(0);
    base_close(a);
    const base_error *e = base_failed();
    if (!finished) {
        ++*seen;
        CHECK(e && e->code == TT_EMEM, "allocation %lld: caught %d, %s", (long long)nth, whole,
              e ? e->what : "no error");
    }
    base_clear_error();
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    int64_t seen = 0, before = -1;
    base_arena *a = NULL;
    const bool ran = base_catch(once, &a);               /* fills what is interned, for ever */
    base_close(a);
    CHECK(ran && finished, "%s", prop_error());
    base_fail(TT_EARG, NULL, "an error: the thread keeps the memory of its text");
    base_clear_error();
    const size_t live = base_live_bytes();
    for (int64_t nth = 1; before < seen && nth < 100000; nth++) {
        before = seen;
        after(once, nth, &seen);
    }
    CHECK(seen > 20, "only %lld allocations failed", (long long)seen);
    CHECK(base_live_bytes() == live, "%zu bytes live, %zu before", base_live_bytes(), live);
    printf("%lld allocations failed\n", (long long)seen);
    return check_done();
}
