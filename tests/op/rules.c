/* rules.c - golden texts: factor rules, windows, types and their errors, reducers.
 *
 * A rule prints as tensors, then factors: "ab -> a b | a=2 b=4". Letters of a dim stand major to minor; kinds are
 * + sum, ~ shift, ! whole; a window is a(mul,lo,hi,div). */
#include "check.h"
#include "op/op.h"

static const char *rule_text(base_arena *a, const ir_eqn *e, const op_rule *r)
{
    static const char *const kind[] = { "", "+", "~", "!" };
    base_text s = { .arena = a };
    base_appendf(&s, "%s", "");
    for (int t = 0; t < r->ntensor; t++) {
        const int rank = t < (int)e->nin ? IR_IN(e, t)->rank : IR_OUT(e, t - (int)e->nin)->rank;
        base_appendf(&s, "%s", t == (int)e->nin ? (t ? " -> " : "-> ") : t ? ", " : "");
        for (int d = 0; d < rank; d++) {
            const struct op_rule_dim *dim = &r->dim[t * IR_RANK + d];
            base_appendf(&s, "%s", d ? " " : "");
            for (int k = 0; k < dim->n; k++) {
                const op_window w = dim->at[k].window;
                base_appendf(&s, "%c", 'a' + dim->at[k].factor);
                if (dim->at[k].windowed)
                    base_appendf(&s, "(%lld,%lld,%lld,%lld)", (long long)w.mul, (long long)w.lo, (long long)w.hi,
                                 (long long)w.div);
            }
        }
    }
    base_appendf(&s, " |");
    for (int f = 0; f < r->nfactor; f++)
        base_appendf(&s, " %s%c=%lld%s", kind[r->factor[f].kind], 'a' + f, (long long)r->factor[f].size,
                     r->factor[f].blocked ? "#" : "");
    return s.s;
}

static void rule_is(const char *text, const char *want)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_case(a, text);
    op_rule *r = NULL, *again = NULL;
    CHECK(f, "%s: %s", text, base_failed() ? base_failed()->what : "");
    if (f) {
        const ir_eqn *e = &f->eqn[f->neqn - 1];
        CHECK(op_rule_of(e, &r), "%s: %s", text, base_failed() ? base_failed()->what : "");
        CHECK(r && !strcmp(rule_text(a, e, r), want), "%s\n  is   %s\n  want %s", text, r ? rule_text(a, e, r) : "",
              want);
        CHECK(op_rule_of(&ir_case(a, text)->eqn[f->neqn - 1], &again) && again == r, "%s: not interned", text);
    }
    base_clear_error();
    base_close(a);
}

static void rules(void)
{
    rule_is("add f32[2,3], f32[2,3]", "a b, a b -> a b | a=2 b=3");
    rule_is("iota {dtype=f32, shape=[3,4], iota_dimension=1}", "-> a b | a=3 b=4");
    rule_is("reshape f32[2,4] {shape=[8]}", "a b -> ab | a=2 b=4");
    rule_is("reshape f32[8] {shape=[2,4]}", "ab -> a b | a=2 b=4");
    rule_is("reshape f32[4,6] {shape=[6,4]}", "ab d -> ac e | a=2 !b=2 !c=3 !d=6 !e=4");
    rule_is("reshape f32[12,5] {shape=[4,15]}", "ab c -> a bc | a=4 b=3 c=5");
    rule_is("reshape f32[3,2,7] {shape=[2,3,7]}", "a d e -> b c e | !a=3 !b=2 !c=3 !d=2 e=7");
    rule_is("reshape f32[1,6] {shape=[6,1]}", "b a -> a c | a=6 !b=1 !c=1");
    rule_is("reshape f32[2,0,3] {shape=[2,5,0]}", "a b c -> a d e | a=2 !b=0 !c=3 !d=5 !e=0");
    rule_is("transpose f32[2,3,4] {permutation=[2,0,1]}", "b c a -> a b c | a=4 b=2 c=3");
    rule_is("slice f32[8,5] {start_indices=[1,0], limit_indices=[8,5], strides=[3,1]}",
            "a(3,1,1,1) b -> a b | ~a=3 b=5");
    rule_is("pad f32[3,4], f32[] {edge_padding_low=[1,0], edge_padding_high=[0,0], interior_padding=[2,0]}",
            "a(1,-1,-1,3) b,  -> a b | ~a=8 b=4");
    rule_is("concatenate f32[2,3], f32[2,4] {dimension=1}", "a b(1,0,0,1), a b(1,-3,-3,1) -> a b | a=2 ~b=7");
    rule_is("reverse f32[5,3] {dimensions=[0]}", "a(-1,4,4,1) b -> a b | ~a=5 b=3");
    rule_is("broadcast_in_dim f32[3,1] {shape=[2,3,4], broadcast_dimensions=[1,2]}", "b d -> a b c | a=2 b=3 c=4 !d=1");
    rule_is(
        "dot_general f32[2,3,4], f32[4,2,5] {lhs_batching_dimensions=[0], rhs_batching_dimensions=[1], "
        "lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[0], preferred_element_type=f32}",
        "a b d, d a c -> a b c | a=2 b=3 c=5 +d=4");
    rule_is("dynamic_slice f32[5,4], i32[], i32[] {slice_sizes=[2,4]}", "c b, ,  -> a b | a=2 b=4 !c=5");
    rule_is("dynamic_update_slice f32[5,4], f32[2,4], i32[], i32[]", "a b, c b, ,  -> a b | a=5 b=4 !c=2");
    rule_is(
        "gather f32[5,3], i32[4,1] {offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], "
        "index_vector_dim=1, "
        "slice_sizes=[1,3]}",
        "c b, a d -> a b | a=4 b=3 +c=5 !d=1");
    rule_is("scatter f32[5,3], i32[4,1], f32[4,3] {update_window_dims=[1], inserted_window_dims=[0], "
            "scatter_dims_to_operand_dims=[0], index_vector_dim=1} add",
            "b c, a d, a c -> b c | +a=4 b=5 c=3 !d=1");
    rule_is("scatter f32[5,3], i32[4,1], f32[4,3] {update_window_dims=[1], inserted_window_dims=[0], "
            "scatter_dims_to_operand_dims=[0], index_vector_dim=1} (a f32, b f32) { return b }",
            "b c, a d, a c -> b c | !a=4 b=5 c=3 !d=1");
}

static void range_is(op_window w, int64_t a, int64_t b, int64_t size, int64_t lo, int64_t hi)
{
    int64_t p, q;
    op_window_range(&w, a, b, size, &p, &q);
    CHECK(p == lo && q == hi, "window (%lld,%lld,%lld,%lld) of [%lld,%lld): [%lld,%lld), not [%lld,%lld)",
          (long long)w.mul, (long long)w.lo, (long long)w.hi, (long long)w.div, (long long)a, (long long)b,
          (long long)p, (long long)q, (long long)lo, (long long)hi);
}

static void windows(void)
{
    range_is((op_window){ 3, 1, 1, 1 }, 1, 3, 10, 4, 8);  /* slice, stride 3 */
    range_is((op_window){ -1, 4, 4, 1 }, 1, 3, 5, 2, 4);  /* reverse */
    range_is((op_window){ 1, -2, -2, 3 }, 0, 2, 5, 0, 0); /* pad: only padding */
    range_is((op_window){ 1, -2, -2, 3 }, 1, 7, 5, 0, 2); /* pad: elements at 2 and 5 */
    range_is((op_window){ 2, -1, 1, 1 }, 0, 2, 4, 0, 4);  /* a window of 3, stride 2, clipped below */
    range_is((op_window){ 2, -1, 1, 1 }, 2, 4, 5, 3, 5);  /* and above */
    range_is((op_window){ 1, -7, -7, 1 }, 2, 5, 4, 0, 0); /* an operand of concatenate that is behind */
    int64_t lo, hi;
    op_window_range(&(op_window){ 2, -1, 1, 1 }, 3, 3, 9, &lo, &hi);
    CHECK(lo == hi && lo >= 0 && hi <= 9, "an empty range needs [%lld,%lld)", (long long)lo, (long long)hi);
}

static void refuses(const char *text, const char *want)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_case(a, text);
    const base_error *e = base_failed();
    CHECK(!f, "%s is accepted", text);
    CHECK(e && strstr(e->what, want), "%s\n  says %s\n  want %s", text, e ? e->what : "nothing", want);
    base_clear_error();
    base_close(a);
}

static void errors(void)
{
    refuses("add f32[3], f32[4]", "add: operands of shapes f32[3] and f32[4] differ in dim 0: 3 and 4");
    refuses("add f32[3], f32[3,1]", "add: operands of ranks 1 and 2; expected one rank");
    refuses("add f32[3], i32[3]", "add: operands of types f32 and i32");
    refuses("tanh i32[3]", "tanh: operand 0 must be a float, not i32");
    refuses("transpose f32[2,3] {permutation=[0,0]}", "transpose: permutation names dim 0 twice");
    refuses("transpose f32[2,3] {permutation=[0]}", "transpose: permutation has 1 entry; expected 2");
    refuses("reshape f32[2,3] {shape=[7]}", "reshape: 6 elements cannot become 7");
    refuses("reshape f32[2,3] {shape=[-2,-3]}", "reshape: shape has a negative size -2");
    refuses("iota {dtype=f32, shape=[9223372036854775807,4], iota_dimension=0}",
            "iota: more elements than memory can hold");
    refuses("slice f32[4] {start_indices=[2], limit_indices=[5], strides=[1]}", "slice: [2:5:1] of dim 0 of size 4");
    refuses("pad f32[2], f32[] {edge_padding_low=[-3], edge_padding_high=[0], interior_padding=[0]}",
            "pad: dim 0 of size 2");
    refuses("concatenate f32[2,3], f32[3,3] {dimension=1}", "concatenate: dim 0 is 2 in operand 0 and 3 in operand 1");
    refuses("broadcast_in_dim f32[3] {shape=[4], broadcast_dimensions=[0]}",
            "dim 0 of size 3 cannot become dim 0 of size 4");
    refuses("dot_general f32[3,4], f32[5,6] {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}",
            "dot_general: the contracting dims 1 of operand 0 and 0 of operand 1 have sizes 4 and 5");
    refuses("dynamic_slice f32[5], f32[] {slice_sizes=[2]}",
            "dynamic_slice: start index 0 is f32; expected an integer scalar");
    refuses("dynamic_slice f32[5], i32[] {slice_sizes=[6]}", "dynamic_slice: 6 elements of dim 0; expected 0 to 5");
    refuses(
        "gather f32[5,3], i32[4,1] {offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], "
        "index_vector_dim=1, "
        "slice_sizes=[1,4]}",
        "gather: a slice of 4 elements in dim 1 of size 3");
    refuses(
        "scatter f32[5], i32[3], f32[4] {inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], "
        "index_vector_dim=1} add",
        "scatter: dim 0 of updates has size 4, its indices 3");
}

static void reducers(void)
{
    base_arena *a = base_open();
    const ir_fn *add = ir_case(a, "reduce f32[3], f32[] {dimensions=[0]} (a f32, b f32) { c = add b, a; return c }");
    const ir_fn *sub = ir_case(a, "reduce f32[3], f32[] {dimensions=[0]} (a f32, b f32) { c = sub a, b; return c }");
    const ir_fn *same = ir_case(a, "reduce f32[3], f32[] {dimensions=[0]} (a f32, b f32) { c = add a, a; return c }");
    CHECK(add && op_monoid(add->eqn[0].sub[0]) == MESH_SUM, "b + a is a sum");
    CHECK(sub && op_monoid(sub->eqn[0].sub[0]) == MESH_NONE, "a - b is no monoid");
    CHECK(same && op_monoid(same->eqn[0].sub[0]) == MESH_NONE, "a + a is no monoid");
    for (tt_dtype d = TT_BOOL; d <= TT_F64; d++)
        for (mesh_reduce h = MESH_SUM; h <= MESH_XOR; h++) {
            const bool real = ir_is_float(d);
            if (real && h >= MESH_AND) continue;
            uint64_t mem = 0;
            const int64_t at[1] = { 0 };
            const ir_box box = { .at = &mem, .dtype = d };
            for (int v = 0; v < 3; v++) {
                ir_store(&box, at, real ? (ir_num){ .f = v - 1.5 } : (ir_num){ .i = d == TT_BOOL ? v & 1 : v - 1 });
                const ir_num x = ir_load(&box, at);
                ir_store(&box, at, op_combine(h, d, op_identity_num(h, d), x));
                CHECK(ir_load(&box, at).u == x.u, "%s: the identity of %d changes %d", ir_dtype_of(d)->name, (int)h, v);
            }
        }
    base_close(a);
    for (const op_prim *const *r = op_prims; *r; r++) {
        CHECK(op_find((*r)->name) == *r, "%s is not found by name", (*r)->name);
        CHECK(!(*r)->hlo || !*(*r)->hlo || op_find_hlo((*r)->hlo), "%s is not found by %s", (*r)->name, (*r)->hlo);
    }
    CHECK(!op_find("no_such_row"), "a row that is not there");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(rules());
    CHECK_RUN(windows());
    CHECK_RUN(errors());
    CHECK_RUN(reducers());
    return check_done();
}
