/* Propagation of layouts: published cases of Shardy (by their names), what XLA answers, and our own for loops, cases,
 * manual regions, priorities, boundaries, origins and symmetries.
 *
 * A case is a function with layouts behind its types ('?' leaves a dim open, '!1' is a priority); what is expected are
 * the layouts of all values in order, and behind "->" those of the results. */
#include "check.h"
#include "pass/pass.h"
#include "spmd/inner.h"

enum { MOST = 8 };

typedef struct { const char *id, *mesh, *body, *out, *want; } published;

static const char *error(void) { return base_failed() ? base_failed()->what : ""; }

static void put_values(base_text *t, const ir_fn *f)
{
    for (ir_id i = 1; i <= f->nvalue; i++) base_put(t, "%s%s", i > 1 ? " | " : "", mesh_print(t->arena, f->layout[i]));
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; f->eqn[k].op->ties && i < f->eqn[k].nsub; i++) {
            base_put(t, " { ");
            put_values(t, f->eqn[k].sub[i]);
            base_put(t, " }");
        }
}

/* out: specs of the wanted results, separated by ';'; an empty one is none. */
static ir_fn *propagated(base_arena *a, spmd_all *s, const char *mesh, const char *body, const char *out)
{
    const mesh_layout *wanted[MOST] = { 0 };
    ir_fn *f = ir_parse(a, "t", base_format(a, "mesh \"%s\"\nfn f%s", mesh, body));
    if (!f) return NULL;
    s->a = a;
    s->mesh = f->mesh;
    for (uint32_t i = 0; out && *out && i < MOST; i++) {
        const size_t n = strcspn(out, ";");
        if (n) wanted[i] = mesh_parse("t", f->mesh, f->type[f->ret[i]]->rank, base_format(a, "%.*s", (int)n, out));
        out += n + (out[n] == ';');
    }
    ir_fn *g = spmd_prepare(s, f);
    if (!g || !spmd_propagate(s, g, wanted) || !ir_verify(g)) return NULL;
    return g;
}

static const char *spread(base_arena *a, const char *mesh, const char *body, const char *out, bool at_once)
{
    spmd_all s = { .at_once = at_once };
    base_text t = { .arena = a };
    ir_fn *f = propagated(a, &s, mesh, body, out);
    if (!f) return error();
    put_values(&t, f);
    for (uint32_t i = 0; i < f->nret; i++) base_put(&t, "%s%s", i ? " | " : " -> ", mesh_print(a, s.result[i]));
    return t.s;
}

static void lies(const char *id, const char *mesh, const char *body, const char *out, const char *want)
{
    base_arena *a = base_open();
    const char *got = spread(a, mesh, body, out, false);
    CHECK(!strcmp(got, want), "%s\n  got  %s\n  want %s", id, got, want);
    base_forget();
    base_close(a);
}

/* ---- published ---- */

#define DOT(x, y) "dot_general " #x ", " #y " {lhs_contracting=[1], rhs_contracting=[0], result=f32}"
#define BATCHED(x, y) "dot_general " #x ", " #y \
    " {lhs_batching=[0], rhs_batching=[0], lhs_contracting=[2], rhs_contracting=[1], result=f32}"
#define BAR(x, way) "propagation_barrier " #x " {allowed_direction=" #way "}"
#define AB "a:2, b:2"
#define ABC "a:2, b:2, c:2"
#define ADD2 " { r = add x, y; return r }"

static const published cases[] = {
    { "1 simple", AB, "(x f32[8,8] @\"a, b\", y f32[8,8], z f32[8,16]) { s = add x, y; r = " DOT(s, z) "; return r }",
      "",
      "a, b | a, b | b, _ | a, b | a, _ -> a, _" },
    { "2 multi_axes_conflict", ABC, "(x f32[8,8] @\"b+a, _\", y f32[8,8] @\"b+c, _\", z f32[8,8] @\"a+b, _\") "
      "{ r = add x, y; s = add x, z; return r, s }", "",
      "b+a, _ | b+c, _ | a+b, _ | b, _ | _, _ -> b, _ | _, _" },
    { "2 multi_axes", AB, "(x f32[8,8] @\"b+a, _\", y f32[8,8] @\"b?, _\", z f32[8,16]) { s = add x, y; r = " DOT(s, z)
      "; return r }", "", "b+a, _ | b+a, _ | _, _ | b+a, _ | b+a, _ -> b+a, _" },
    { "6 slice_then_concat", AB, "(x f32[8,8] @\"a+b, _\") "
      "{ p = slice x {start_indices=[0,0], limit_indices=[1,8], strides=[1,1]}; "
      "q = slice x {start_indices=[1,0], limit_indices=[8,8], strides=[1,1]}; r = concatenate q, p {dimension=0}; "
      "return r }",
      "", "a+b, _ | a+b, _ | a+b, _ | a+b, _ -> a+b, _" },
    { "7 reshape_merge_dim_major_factor_fully_sharded", AB,
      "(x f32[2,4] @\"a, b\") { r = reshape x {dims=[8]}; return r }", "", "a, b | a+b -> a+b" },
    { "7 reshape_merge_dim_major_factor_partially_sharded", AB,
      "(x f32[4,4] @\"a, b\") { r = reshape x {dims=[16]}; return r }", "", "a, b | a -> a" },
    { "7 reshape_merge_dim_only_major_most_factor_sharded", AB,
      "(x f32[2,4] @\"a, _\") { r = reshape x {dims=[8]}; return r }", "", "a, _ | a -> a" },
    { "8 reshape_split_dim_single_axis_fully_shards_major_factor", AB,
      "(x f32[8] @\"b+a\") { r = reshape x {dims=[2,4]}; return r }", "", "b+a | b, a -> b, a" },
    { "8 reshape_split_dim_only_major_most_factor_sharded", AB,
      "(x f32[16] @\"b+a\") { r = reshape x {dims=[4,4]}; return r }", "", "b+a | b+a, _ -> b+a, _" },
    { "9 reshape_split_dim_single_axis_shards_both_factors", "a:4, b:2",
      "(x f32[8] @\"a\") { r = reshape x {dims=[2,4]}; return r }", "", "a | a.1.2, a.2.2 -> a.1.2, a.2.2" },
    { "10 reshape_split_dim_twice", "a:16, b:2", "(x f32[32] @\"a\") "
      "{ p = reshape x {dims=[8,4]}; q = add p, p; r = reshape q {dims=[2,4,4]}; return r }", "",
      "a | a.1.8, a.8.2 | a.1.8, a.8.2 | a.1.2, a.2.4, a.8.2 -> a.1.2, a.2.4, a.8.2" },
    { "11 reshape_split_dim_then_merge", "a:16, b:2", "(x f32[32] @\"a\") { p = reshape x {dims=[4,2,4]}; "
      "q = add p, p; "
      "r = reshape q {dims=[4,8]}; s = add r, r; t = reshape s {dims=[32]}; return t }", "",
      "a | a.1.4, a.4.2, a.8.2 | a.1.4, a.4.2, a.8.2 | a.1.4, a.4.4 | a.1.4, a.4.4 | a -> a" },
    { "12 reshape_split_and_merge_dims", "a:4, b:2, c:2",
      "(x f32[8,4] @\"c+a, b\") { r = reshape x {dims=[2,16]}; return r }", "", "c+a, b | c, a+b -> c, a+b" },
    { "13 minor_most_factor_overflows_multiple_axes", "a:4, b:4", "(x f32[8] @\"a+b\") "
      "{ r = reshape x {dims=[2,4]}; return r }", "", "a+b | a.1.2, a.2.2+b -> a.1.2, a.2.2+b.1.2" },
    { "13 minor_most_factor_overflows", "a:16, b:2", "(x f32[8] @\"a\") { r = reshape x {dims=[2,4]}; return r }", "",
      "a | a.1.2, a.2.8 -> a.1.2, a.2.4" },
    { "14 non_minor_most_factor_non_divisible", "a:3",
      "(x f32[8] @\"a\") { r = reshape x {dims=[2,4]}; return r }", "", "a | _, _ -> _, _" },
    { "14 minor_most_factor_non_divisible", "a:6", "(x f32[8] @\"a\") { r = reshape x {dims=[2,4]}; return r }", "",
      "a | a.1.2, a.2.3 -> a.1.2, a.2.3" },
    { "14 non_minor_most_factor_non_divisible_multiple_axes", "a:2, b:3, c:2, d:2", "(x f32[2,2,32] @\"c, ?, a+b\") "
      "{ r f32[2,2,8,4] @\"?, d, ?, ?\" = reshape x {dims=[2,2,8,4]}; return r }", "",
      "c, d, a+b | c, d, a, _ -> c, d, a, _" },
    { "14 non_minor_most_factor_non_divisible_sub_axis", "a:6, b:2", "(x f32[2,32] @\"?, a\") "
      "{ r f32[2,8,4] @\"b, ?, ?\" = reshape x {dims=[2,8,4]}; return r }", "", "b, a | b, a.1.2, _ -> b, a.1.2, _" },
    { "14 non_minor_most_factor_non_divisible_other_open_dim_unchanged", "a:2, b:3", "(x f32[3,32] @\"?, a+b?\") "
      "{ r f32[3,8,4] @\"b, ?, ?\" = reshape x {dims=[3,8,4]}; return r }", "", "_, a+b | b, a, _ -> b, a, _" },
    { "14 non_minor_most_factor_non_divisible_same_open_dim_unchanged", "a:2, b:3, c:2, d:2",
      "(x f32[2,32] @\"?, a+b?\") { r f32[2,8,4] @\"d, ?, c\" = reshape x {dims=[2,8,4]}; return r }", "",
      "d, a+b | d, a, c -> d, a, c" },
    { "15 merge_dim_minor_most_factor_non_divisible", "a:2, b:3",
      "(x f32[2,4] @\"a, b\") { r = reshape x {dims=[8]}; return r, x }", "", "a, b | a+b -> a+b | a, b" },
    { "15 merge_dim_non_minor_most_factor_non_divisible", "a:3",
      "(x f32[2,4] @\"a, _\") { r = reshape x {dims=[8]}; return r }", "", "a, _ | _ -> _" },
    { "15 merge_dim_non_minor_most_factor_non_divisible_multiple_axes", "a:3, b:3",
      "(x f32[6,4] @\"a+b, _\") { r = reshape x {dims=[24]}; return r }", "", "a+b, _ | a -> a" },
    { "15 merge_dim_non_minor_most_factor_propagate_sub_axis", "a:4, b:2, c:2",
      "(x f32[4,4] @\"b+a, _\") { r = reshape x {dims=[16]}; return r }", "", "b+a, _ | b+a.1.2 -> b+a.1.2" },
    { "15 merge_dim_non_minor_most_factor_propagate_sub_axis_and_concat", "a:4, b:2, c:2",
      "(x f32[4,4] @\"b+a, c\") { r = reshape x {dims=[16]}; return r }", "", "b+a, c | b+a.1.2+c -> b+a.1.2+c" },
    { "16 reshape_size_zero_dim", AB, "(x f32[8,0] @\"a, _\") { r = reshape x {dims=[0,4]}; return r }", "",
      "a, _ | _, _ -> _, _" },
    { "16 pointwise_size_zero_dim", AB, "(x f32[8,0] @\"a, _\") { r = add x, x; return r }", "",
      "a, _ | a, _ -> a, _" },
    { "16 single_factor_non_divisible", "a:3", "(x f32[2,4] @\"_, a\") { r = add x, x; return r, x }", "",
      "_, a | _, a -> _, a | _, a" },
    { "16 single_factor_overflows", "a:4, b:2", "(x f32[2,4] @\"a, _\") { r = add x, x; return r, x }", "",
      "a, _ | a, _ -> a.1.2, _ | a, _" },
    { "16 propagate_full_to_sub_axis", "a:4, b:2", "(x f32[32,8] @\"a?, _\") "
      "{ r f32[32,8] @\"a.1.2?, _\" = add x, x; return r }", "", "a, _ | a, _ -> a, _" },
    { "17 cx64_combine_used_then_rng_bit_generator (as random_bits)", AB, "(k u32[2]) "
      "{ r = random_bits k {shape=[4,1000], width=32, layout=partitionable}; return r }", "a, b", "_ | a, b -> a, b" },
    { "18 propagation_barrier_backward_just_arg_sharding", ABC, "(x f32[8,8] @\"a?, c?\") { r = " BAR(x, backward)
      "; return r }", "", "a, c | _, _ -> _, _" },
    { "18 propagation_barrier_backward_just_result_sharding", ABC, "(x f32[8,8]) { r = " BAR(x, backward)
      "; return r }", "a+b?, ?", "a+b, _ | a+b, _ -> a+b, _" },
    { "18 propagation_barrier_backward_two_shardings", ABC, "(x f32[8,8] @\"a?, c?\") { r = " BAR(x, backward)
      "; return r }", "a+b?, ?", "a+b, c | a+b, _ -> a+b, _" },
    { "18 propagation_barrier_backward_multiple_uses", ABC, "(x f32[8,8] @\"a?, c?\") { p = add x, x; q = "
      BAR(p, backward) "; r = add q, q; s = add q, q; return r, s }", "a+b?, ?",
      "a+b, c | a+b, c | a+b, _ | a+b, _ | a+b, _ -> a+b, _ | a+b, _" },
    { "18 propagation_barrier_forward_just_arg_sharding", ABC, "(x f32[8,8] @\"a?, c?\") { r = " BAR(x, forward)
      "; return r }", "", "a, c | a, c -> a, c" },
    { "18 propagation_barrier_forward_just_result_sharding", ABC, "(x f32[8,8]) { r = " BAR(x, forward)
      "; return r }", "a+b?, ?", "_, _ | a+b, _ -> a+b, _" },
    { "18 propagation_barrier_forward_two_shardings", ABC, "(x f32[8,8] @\"a?, c?\") { r = " BAR(x, forward)
      "; return r }", "a+b?, ?", "a, c | a+b, c -> a+b, c" },
    { "18 propagation_barrier_forward_multiple_uses", ABC, "(x f32[8,8] @\"a?, c?\") { p = add x, x; q = "
      BAR(p, forward) "; r = add q, q; s = add q, q; return r, s }", "a+b?, ?",
      "a, c | a, c | a+b, c | a+b, c | a+b, c -> a+b, c | a+b, c" },
    { "18 propagation_barrier_none_two_shardings", ABC, "(x f32[8,8] @\"a?, c?\") { r = " BAR(x, none)
      "; return r }", "a+b?, ?", "a, c | a+b, _ -> a+b, _" },
    { "19 closed_dim", AB, "(x f32[8,8] @\"a, _\", y f32[8,16] @\"_, b\") { r f32[8,16] @\"_, ?\" = " DOT(x, y)
      "; return r }", "", "a, _ | _, b | _, b -> _, b" },
    { "20 fake_conflict_between_two_non_contracting_dims", AB, "(x f32[256,512] @\"a?, ?\", y f32[128,512]) "
      "{ r f32[256,128] @\"?, a?\" = dot_general x, y {lhs_contracting=[1], rhs_contracting=[1], result=f32}; "
      "return r }", "",
      "a, _ | a, _ | _, a -> _, a" },
    { "21 fake_conflict_between_contracting_and_non_contracting_dims", ABC,
      "(x f32[256,512] @\"a, b+c\", y f32[128,512] @\"c+b, a\") "
      "{ r = dot_general x, y {lhs_contracting=[1], rhs_contracting=[1], result=f32}; return r }", "",
      "a, b+c | c+b, a | a, c+b -> a, c+b" },
    { "21 fake_conflict_closed_dims", ABC, "(x f32[8,8] @\"a?, b\", y f32[8,8] @\"_, b+c?\")" ADD2, "",
      "a, b | _, b+c | a, b+c -> a, b+c" },
    { "22 real_conflict_within_a_factor", ABC, "(x f32[8,8] @\"a?, _\", y f32[8,8] @\"b?, _\")" ADD2, "",
      "a, _ | b, _ | _, _ -> _, _" },
    { "22 real_conflict_within_a_factor2", ABC, "(x f32[8,8] @\"a, b\", y f32[8,8] @\"_, a+b+c\")" ADD2, "",
      "a, b | _, a+b+c | a, _ -> a, _" },
    { "22 real_and_fake_conflicts", ABC, "(x f32[8,8] @\"a?, ?\", y f32[8,8] @\"b?, a?\")" ADD2, "",
      "a, _ | b, a | _, a -> _, a" },
    { "23 real_conflict_across_factors_same_tensors_size", ABC, "(x f32[8,8] @\"a, ?\", y f32[8,8] @\"?, a\")" ADD2, "",
      "a, _ | _, a | a, _ -> a, _" },
    { "24 real_conflict_across_factors_diff_tensors_size", ABC, "(x f32[8,4] @\"a+b, ?\", y f32[4,16] @\"?, "
      "a+c\") { r = "
      DOT(x, y) "; return r }", "", "a+b, _ | _, a+c | _, a+c -> _, a+c" },
    { "25 partial_conflict_across_factors", ABC, "(x f32[2,8,4] @\"a, b, _\", w f32[2,4,16]) "
      "{ y = neg w; r f32[2,8,16] @\"a+b, _, _\" = " BATCHED(x, y) "; return r }", "",
      "a, b, _ | a, _, _ | a+b, _, _ | a+b, _, _ -> a+b, _, _" },
    { "26 multiple_conflicts_across_factors", "a:2, b:2, c:2, d:2",
      "(x f32[2,8,4] @\"?, a+b, ?\", y f32[2,4,16] @\"?, d+c, b+a\") { r f32[2,8,16] @\"d, ?, ?\" = " BATCHED(x, y)
      "; return r }", "", "d, a+b, _ | _, d+c, b+a | d, _, b+a -> d, _, b+a" },
    { "27 sideways_propagation_if_result_is_closed_empty", AB, "(x f32[8] @\"a\", y f32[8]) "
      "{ r f32[8] @\"_\" = add x, y; return r }", "", "a | _ | _ -> _" },
    { "27 allow_sideways_propagation_if_result_is_open_empty", AB, "(x f32[8] @\"a+b\", y f32[8] @\"?\") "
      "{ r f32[8] @\"?\" = add x, y; return r }", "", "a+b | a+b | a+b -> a+b" },
    { "27 sideways_propagation_if_result_is_closed_sub_axis", "a:4", "(x f32[8] @\"a\", y f32[8] @\"?\") "
      "{ r f32[8] @\"a.1.2\" = add x, y; return r }", "", "a | a.1.2 | a.1.2 -> a.1.2" },
    { "27 allow_partial_sideways_propagation_if_conflicting_with_result", AB, "(x f32[8] @\"a+b\", y f32[8] @\"?\") "
      "{ r f32[8] @\"a\" = add x, y; return r }", "", "a+b | a | a -> a" },
    { "27 allow_sideways_propagation_if_result_fully_matches", AB, "(x f32[8] @\"a+b\", y f32[8] @\"?\") "
      "{ r f32[8] @\"a+b\" = add x, y; return r }", "", "a+b | a+b | a+b -> a+b" },
    { "28 prefer_most_sharded_factor_elementwise_op", AB, "(x f32[8,8] @\"_, a\", y f32[8,8] @\"b+a, _\")" ADD2, "",
      "_, a | b+a, _ | b+a, _ -> b+a, _" },
    { "28 prefer_most_sharded_factor_elementwise_op2", "a:2, b:2, c:8",
      "(x f32[16,8] @\"_, a+b\", y f32[16,8] @\"a+c, _\")" ADD2, "", "_, a+b | a+c, _ | a+c, _ -> a+c, _" },
    { "28 prefer_most_sharded_factor_on_operand_elementwise_op", "a:2, b:2, c:8",
      "(x f32[16,8] @\"_, a+b\", y f32[16,8] @\"?, ?\") { r f32[16,8] @\"a+c, _\" = add x, y; return r }", "",
      "_, a+b | a+c, _ | a+c, _ -> a+c, _" },
    { "29 prefer_lhs_factor_non_elementwise", AB, "(x f32[8,8] @\"a, _\", y f32[8,8] @\"_, b+a\") { r = " DOT(x, y)
      "; return r }", "", "a, _ | _, b+a | a, b -> a, b" },
    { "30 unreduced_axes_block_bwd_propagation", AB, "(x f32[8,8] @\"a, b\", y f32[8,16]) "
      "{ r f32[8,16] @\"?, ? +sum(b)\" = " DOT(x, y) "; s = add r, r; return s }", "?, b",
      "a, b | b, _ | a, _ | a, b -> a, b" },
};

static const published staged[] = {
    { "30 unreduced_axes_block_bwd_propagation (op priority)", AB, "(x f32[8,8] @\"a, b\", y f32[8,16]) "
      "{ r f32[8,16] @\"?, ? +sum(b)\" = " DOT(x, y) "; s = add r, r; return s }", "?, b",
      "a, b | b, _ | a, _ | a, b -> a, b" },
    { "31 element_wise_over_dot_general", AB, "(x f32[8,8] @\"a?, ?\", y f32[8,8]) { p = " DOT(x, y)
      "; q = add p, p; r = add q, q; return r }", "?, a?", "a, _ | _, a | _, a | _, a | _, a -> _, a" },
    { "31 element_wise_over_dot_general_flipped_op_order", AB, "(x f32[8,8] @\"a?, ?\", y f32[8,8]) "
      "{ p = add x, x; q = add y, y; r = " DOT(p, q) "; return r }", "?, a?", "a, _ | _, a | a, _ | _, a | _, a -> _, "
          "a" },
    { "32 defer_forward_propagation_for_multi_use_ops", AB, "(x f32[8,8] @\"a, _\") "
      "{ p = sin x; q = add p, p; r = add p, p; s = cos q; t = cos r; return s, t }", "_, a;_, a",
      "a, _ | a, _ | _, a | _, a | _, a | _, a -> _, a | _, a" },
    { "32 defer_forward_propagation_for_multi_use_dynamic_slice", AB, "(x f32[8,8] @\"a, _\", i i32, j i32) "
      "{ p = dynamic_slice x, i, j {slice_sizes=[8,2]}; q = add p, p; r = add p, p; s = mul q, r; return s }", "_, a",
      "a, _ |  |  | a, _ | _, a | _, a | _, a -> _, a" },
    { "32 defer_backwards_propagation_for_op_with_multi_use_operand", AB, "(x f32[8,8]) "
      "{ p = add x, x; q = add x, x; r = sin p; return q, r }", "_, a;a, _",
      "a, _ | a, _ | _, a | a, _ -> _, a | a, _" },
    { "33 defer_backwards_propagation_dynamic_slice", AB, "(x f32[8,8], i i32, j i32) "
      "{ p = dynamic_slice x, i, j {slice_sizes=[8,2]}; q = add x, x; return p, q }", "a, _;_, a",
      "_, a |  |  | a, _ | _, a -> a, _ | _, a" },
    { "33 sharding_constraint_propagated", AB, "(x f32[8,8] @\"a?, ?\", y f32[8,8]) { p = " DOT(x, y)
      "; q = add p, p; r = add q, q; s = constrain r {to=[\"?, a?\"]}; return s }", "",
      "a, _ | _, a | _, a | _, a | _, a | _, a -> _, a" },
    { "33 chained_dot_generals", AB, "(x f32[8,8] @\"a?, ?\", y f32[8,8]) { p = " DOT(x, y) "; q = " DOT(p, p)
      "; r = add q, q; s = add r, r; return s }", "?, a?", "a, _ | _, _ | a, _ | _, a | _, a | _, a -> _, a" },
    { "34 pass_through_factor_higher_priority_than_reduction_factor", AB,
      "(x f32[32,1024], y f32[1024,16] @\"a?, b?\") { r = " DOT(x, y) "; return r }", "a?, b?",
      "a, _ | a, b | a, b -> a, b" },
    { "35 broadcast_forward_higher_priority_than_backwards", AB, "(x f32[32] @\"a\") "
      "{ p = broadcast_in_dim x {dims=[32,16], broadcast_dimensions=[0]}; "
      "q = broadcast_in_dim p {dims=[32,16,8], broadcast_dimensions=[0,1]}; return q }", "_, a, _",
      "a | _, a | _, a, _ -> _, a, _" },
    { "36 no_priorities", ABC, "(x f32[8,8] @\"a, b\", y f32[8,8], z f32[8,8]) { p = add x, y; r = div p, z; "
      "return r }", "",
      "a, b | a, b | a, b | a, b | a, b -> a, b" },
    { "36 skipped_priorities", ABC, "(x f32[8,8] @\"a, b!4\", y f32[8,8], z f32[8,8]) "
      "{ p = add x, y; r f32[8,8] @\"?, c?!1\" = div p, z; return r }", "",
      "a, b | a, c | a, c | a, c | a, c -> a, c" },
    { "37 arg_lower_priority_than_return_value", ABC, "(x f32[8,8] @\"a?!1, b!1\", y f32[8,8], z f32[8,8], w f32[8,8]) "
      "{ p = add x, y; q = add p, z; r f32[8,8] @\"c!0, ?\" = div q, w; return r }", "",
      "a, b | c, b | c, b | c, b | c, b | c, b | c, b -> c, b" },
    { "37 result_lower_priority_than_arg", ABC, "(x f32[8,8], y f32[8,8] @\"c!0, ?\", z f32[8,8], w f32[8,8]) "
      "{ p = add x, y; q = add p, z; r = div q, w; return r }", "a?!1, b!1",
      "c, b | c, b | c, b | c, b | c, b | c, b | c, b -> a, b" },
    { "37 result_higher_priority_than_arg", ABC, "(x f32[8,8] @\"c?!1, ?\", y f32[8,8], z f32[8,8], w f32[8,8]) "
      "{ p = add x, y; q = add p, z; r = div q, w; return r }", "a!0, b!0",
      "c, b | a, b | a, b | a, b | a, b | a, b | a, b -> a, b" },
    { "37 arg_higher_priority_than_return_value", ABC, "(x f32[8,8], y f32[8,8] @\"a!0, b!0\", z f32[8,8], w f32[8,8]) "
      "{ p = add x, y; q = add p, z; r f32[8,8] @\"c?!1, ?\" = div q, w; return r }", "",
      "a, b | a, b | a, b | _, b | a, b | a, b | c, b -> c, b" },
    { "37 dim_with_lower_priority_gets_further_sharded_by_higher", ABC,
      "(x f32[8,8] @\"b?!1, _\", y f32[8,8], z f32[8,8], w f32[8,8]) { p = add x, y; q f32[8,8] @\"b+a?!0, _\" = add "
      "x, z; "
      "r f32[8,8] @\"c?!0, _\" = div p, w; return q, r }", "",
      "b+a, _ | c, _ | b+a, _ | c, _ | c, _ | b+a, _ | c, _ -> b+a, _ | c, _" },
    { "37 different_priorities_with_closed_empty_dim", ABC,
      "(x f32[8,8] @\"a!0, b!0\", y f32[8,8], z f32[8,8], w f32[8,8]) { p = add x, y; q f32[8,8] @\"c!1, _\" = add p, "
      "z; "
      "r = div q, w; return r }", "", "a, b | a, b | _, _ | c, _ | a, b | c, _ | c, _ -> c, _" },
    { "37 open_empty_dim_with_priority", ABC,
      "(x f32[8,8] @\"a!0, b!0\", y f32[8,8], z f32[8,8], w f32[8,8] @\"?, c!0\") { p f32[8,8] @\"?, ?!1\" = add x, y; "
      "q = add p, z; r = div q, w; return r }", "", "a, b | a, b | a, c | a, c | a, b | a, c | a, c -> a, c" },
    { "37 different_priorities_from_args", ABC, "(x f32[8,8] @\"a!0, ?\", y f32[8,8], z f32[8,16] @\"?, a!1\") "
      "{ p = add x, y; r = " DOT(p, z) "; return r }", "", "a, _ | a, _ | _, a | a, _ | a, _ -> a, _" },
    { "37 different_priorities_from_ops", ABC, "(x f32[8,8], y f32[8,8], z f32[8,16]) { p f32[8,8] @\"?, a!1\" = add "
      "x, x; "
      "q = add p, y; r f32[8,16] @\"a!0, ?\" = " DOT(q, z) "; return r }", "",
      "_, a | a, _ | _, _ | _, a | a, _ | a, _ -> a, _" },
    { "37 different_sharding_constraint_priorities", ABC, "(x f32[8,8], y f32[8,8]) { p = constrain x {to=[\"a!0, "
      "?\"]}; "
      "q = constrain y {to=[\"?, a!1\"]}; s = add q, q; r = add p, s; return r }", "",
      "a, _ | _, a | a, _ | _, a | a, _ | a, _ -> a, _" },
    { "37 user_based_and_op_based", ABC, "(x f32[8,8] @\"a?!1, ?\", y f32[8,8] @\"a?!0, b?!0\") { p = add x, x; q = "
      DOT(p, y) "; s = add q, q; r = add s, s; return r }", "b?!0, ?", "a, _ | a, b | b, a | b, _ | b, _ | b, _ -> b, "
          "_" },
    { "38 arg_lower_priority_than_return_value_with_replicated", ABC,
      "(x f32[8,8] @\"a!1, b!1\", y f32[8,8], z f32[8,8], w f32[8,8]) { p = add x, y; q = add p, z; "
      "r f32[8,8] @\"c!0, ? +closed(b)\" = div q, w; return r }", "",
      "a, b | c, b | c, b | c, _ | c, b | c, b | c, _ -> c, _" },
};

static void all_published(const published *c, size_t n, bool at_once)
{
    for (size_t i = 0; i < n; i++, c++) {
        base_arena *a = base_open();
        const char *got = spread(a, c->mesh, c->body, c->out, at_once);
        CHECK(!strcmp(got, c->want), "%s\n  got  %s\n  want %s", c->id, got, c->want);
        base_forget();
        base_close(a);
    }
}

/* ---- as XLA gives results (jax 0.10.2) where a batch and weights lie on one axis ---- */

#define W4 "f32[4,16,16]"
#define UNTIL "{ n = const {dtype=i32, data=4}; c = compare k, n {direction=lt}; return c }"

static void batches(void)
{
    lies("a batch keeps its axis", "x:8", "(x f32[8,16] @\"x, _\", v f32[16,32] @\"x, _\", w f32[32,8] @\"_, x\") "
         "{ p = " DOT(x, v) "; q = tanh p; r = " DOT(q, w) "; return r }", "",
         "x, _ | x, _ | _, x | x, _ | x, _ | x, _ -> x, _");
    lies("what a body returns reaches its carry", "x:8", "(x f32[8,16] @\"_, _\", w " W4 " @\"_, _, x\") "
         "{ z = const {dtype=i32, data=0}; i, y, q = while z, x, w (k i32, v f32[8,16], w " W4 ") " UNTIL
         " (k i32, v f32[8,16], w " W4 ") { o = const {dtype=i32, data=0}; "
         "d = dynamic_slice w, k, o, o {slice_sizes=[1,16,16]}; r = reshape d {dims=[16,16]}; p = " DOT(v, r)
         "; t = tanh p; j = const {dtype=i32, data=1}; m = add k, j; return m, t, w }; return y }", "",
         "_, _ | _, _, x |  |  | _, x | _, _, x {  | _, x | _, _, x |  |  } "
         "{  | _, x | _, _, x |  | _, _, x | _, x | _, x | _, x |  |  } -> _, x");
    lies("what a loop only hands on speaks before its carries", "d:2, m:4",
         "(x f32[8,16] @\"d, m\", c f32[8,16] @\"m, d\", w f32[16,16]) { z = const {dtype=i32, data=0}; "
         "i, y, u, q = while z, x, c, w (k i32, v f32[8,16], u f32[8,16], w f32[16,16]) " UNTIL
         " (k i32, v f32[8,16], u f32[8,16], w f32[16,16]) { p = " DOT(v, w) "; s = sin p; t = add s, u; "
         "j = const {dtype=i32, data=1}; m = add k, j; return m, t, u, w }; return y }", "",
         "d, m | m, d | _, d |  |  | m, _ | m, d | _, d {  | m, _ | m, d | _, d |  |  } "
         "{  | m, _ | m, d | _, d | m, d | m, d | m, d |  |  } -> m, _");
    lies("a case's parameters are its operands", "x:8", "(i i32, x f32[8,16] @\"_, _\", w f32[16,16] @\"x, _\") "
         "{ y = case i, x, w (v f32[8,16], w f32[16,16]) { n = neg v; return n } "
         "(v f32[8,16], w f32[16,16]) { p = " DOT(v, w) "; return p }; return y }", "",
         " | _, _ | x, _ | _, _ { _, _ | x, _ | _, _ } { _, _ | x, _ | _, _ } -> _, _");
    lies("a broadcast along dims of one is a reshape", "d:2", "(x f32[8,16] @\"d, _\") "
         "{ y = broadcast_in_dim x {dims=[1,8,16], broadcast_dimensions=[1,2]}; z = neg y; return z }", "",
         "d, _ | _, d, _ | _, d, _ -> _, d, _");
}

/* ---- ours: regions ---- */

#define FEWER "(k i32, v f32[8,4]) { n = const {dtype=i32, data=9}; c = compare k, n {direction=lt}; return c } "
#define MORE(y) "(k i32, v f32[8,4]) { o = const {dtype=i32, data=1}; n = add k, o; " y "; return n, y }"

static void loops(void)
{
    lies("a carry has one layout", AB, "(x f32[8,4] @\"a, _\") { z = const {dtype=i32, data=0}; "
         "k, y = while z, x " FEWER MORE("y = sin v") "; r = neg y; return r }", "",
         "a, _ |  |  | a, _ | a, _ {  | a, _ |  |  } {  | a, _ |  |  | a, _ } -> a, _");
    lies("from a result through a loop", AB, "(x f32[8,4]) { z = const {dtype=i32, data=0}; "
         "k, y = while z, x " FEWER MORE("y = sin v") "; return y }", "_, b",
         "_, b |  |  | _, b {  | _, b |  |  } {  | _, b |  |  | _, b } -> _, b");
    lies("from a constraint inside a loop", AB, "(x f32[8,4]) { z = const {dtype=i32, data=0}; "
         "k, y = while z, x " FEWER MORE("s = constrain v {to=[\"?, a\"]}; y = sin s") "; return y }", "",
         "_, a |  |  | _, a {  | _, a |  |  } {  | _, a |  |  | _, a | _, a } -> _, a");
    lies("what a body reads unchanged", AB, "(x f32[8,4], w f32[8,4] @\"b, _\") { z = const {dtype=i32, data=0}; "
         "k, y, u = while z, x, w (k i32, v f32[8,4], u f32[8,4]) { n = const {dtype=i32, data=9}; "
         "c = compare k, n {direction=lt}; return c } (k i32, v f32[8,4], u f32[8,4]) { o = const {dtype=i32, data=1}; "
         "n = add k, o; y = add v, u; return n, y, u }; return y }", "",
         "b, _ | b, _ |  |  | b, _ | b, _ {  | b, _ | b, _ |  |  } {  | b, _ | b, _ |  |  | b, _ } -> b, _");
    lies("a scan's slices are one dim less", AB, "(c f32[4], x f32[6,4] @\"_, a\") { d, y = scan c, x {length=6, "
                                                 "nconst=0, ncarry=1} "
         "(c f32[4], x f32[4]) { d = add c, x; y = mul d, x; return d, y }; return d, y }", "",
         "a | _, a | a | _, a { a | a | a | a } -> a | _, a");
    lies("from a scan's stacked results", AB, "(c f32[4], x f32[6,4]) { d, y = scan c, x {length=6, nconst=0, "
                                              "ncarry=1} "
         "(c f32[4], x f32[4]) { d = add c, x; y = mul d, x; return d, y }; return d, y }", ";_, b",
         "b | _, b | b | _, b { b | b | b | b } -> b | _, b");
    lies("a case's operands and results", AB, "(i i32, x f32[8,4] @\"a, _\", w f32[8,4]) { y = case i, x, w "
         "(x f32[8,4], w f32[8,4]) { y = sin x; return y } (x f32[8,4], w f32[8,4]) { y = add x, w; return y }; "
         "return y }", "",
         " | a, _ | a, _ | a, _ { a, _ | a, _ | a, _ } { a, _ | a, _ | a, _ } -> a, _");
    lies("one branch's constraint speaks for the others", AB, "(i i32, x f32[8,4]) { y = case i, x "
         "(x f32[8,4]) { y = constrain x {to=[\"?, b\"]}; return y } (x f32[8,4]) { y = neg x; return y }; return y }",
             "",
         " | _, b | _, b { _, b | _, b } { _, b | _, b } -> _, b");
    lies("a barrier ties both ways", AB, "(x f32[8,4] @\"a?, ?\", w f32[8,4]) { s = add x, x; p, q = barrier s, w; "
         "return p, q }", "?, b?", "a, b | _, _ | a, b | a, b | _, _ -> a, b | _, _");
    lies("a propagation barrier, one way", AB, "(x f32[8,4] @\"a?, ?\", w f32[4,4]) { s = " DOT(x, w) "; p = "
         BAR(s, forward) "; t = neg p; return t }", "?, b?", "a, _ | _, _ | a, _ | a, b | a, b -> a, b");
    lies("and none at all, in a loop", AB, "(x f32[8,4] @\"a, _\") { z = const {dtype=i32, data=0}; "
         "k, y = while z, x " FEWER MORE("s = neg v; t = " BAR(s, none) "; c = constrain t {to=[\"?, b\"]}; y = sin v")
         "; return y }", "",
         "a, _ |  |  | a, _ {  | a, _ |  |  } {  | a, _ |  |  | a, _ | _, b | _, b | a, _ } -> a, _");
    lies("a call is walked through, each time anew", AB, "(x f32[8,4] @\"a, _\", w f32[8,4] @\"_, b\") { "
         "y = call x (x f32[8,4]) { y = sin x; return y }; z = call w (x f32[8,4]) { y = sin x; return y }; "
         "return y, z }", "",
         "a, _ | _, b | a, _ | _, b -> a, _ | _, b");
}

static void manual(void)
{
    lies("atoms that stay automatic go through a manual region", AB, "(x f32[8,4] @\"a+b, _\") { "
         "y = manual x {axes=[a], in=[\"a, _\"], out=[\"a, _\"], unchecked=true} (x f32[4,4]) { y = sin x; "
         "return y }; return y }",
         "", "a+b, _ | a+b, _ { b, _ | b, _ } -> a+b, _");
    lies("and back, out of a result", AB, "(x f32[8,4]) { "
         "y = manual x {axes=[a], in=[\"a, _\"], out=[\"a, _\"], unchecked=true} (x f32[4,4]) { y = sin x; "
         "return y }; return y }",
         "a, b", "a, b | a, b { _, b | _, b } -> a, b");
    lies("the atoms of a manual region stay out of it", AB, "(x f32[8,4]) { "
         "y = manual x {axes=[a], in=[\"_, _\"], out=[\"_, _\"], unchecked=true} (x f32[8,4]) { "
         "c = constrain x {to=[\"?, b\"]}; y = sin c; return y }; z = neg y; return z }", "a?, ?",
         "_, b | _, b | a, b { _, b | _, b | _, b } -> a, b");
    lies("a region over the whole mesh says how its operands lie", AB, "(x f32[8,4], w f32[8,4]) { p = add x, w; "
         "y = manual p {axes=[a,b], in=[\"a, b\"], out=[\"a, b\"], unchecked=true} (x f32[4,2]) { y = sin x; "
         "return y }; "
         "return y }", "", "a, b | a, b | a, b | a, b { _, _ | _, _ } -> a, b");
    lies("a psum's operand and result lie alike", AB, "(x f32[8,4] @\"a, b\") { "
         "y = manual x {axes=[a], in=[\"a, _\"], out=[\"_, _\"], unchecked=true} (x f32[4,4]) { "
         "y = psum x {axes=[a], unchecked=true}; return y }; return y }", "", "a, b | _, b { _, b | _, b } -> _, b");
}

/* ---- ours: facts, boundaries ---- */

static void boundaries(void)
{
    lies("nothing known", AB, "(x f32[8,4], w f32[4,4]) { y = " DOT(x, w) "; return y }", "",
         "_, _ | _, _ | _, _ -> _, _");
    lies("a closed constraint is put on what it constrains", AB, "(x f32[8,4] @\"a, _\", w f32[4,4]) { y = " DOT(x, w)
         "; z = constrain y {to=[\"_, b\"]}; return z }", "", "a, _ | _, b | _, b | _, b -> _, b");
    lies("but not where constraints differ", AB, "(x f32[8,4] @\"a, _\", w f32[4,4]) { y = " DOT(x, w)
         "; z = constrain y {to=[\"_, b\"]}; u = constrain y {to=[\"b, _\"]}; return z, u }", "",
         "a, _ | _, b | a, b | _, b | b, _ -> _, b | b, _");
    lies("a reshard parts what is before and behind it", AB, "(x f32[8,4] @\"a, _\") { y = sin x; "
         "z = reshard y {to=[\"_, b\"]}; u = cos z; return u }", "", "a, _ | a, _ | _, b | _, b -> _, b");
    lies("but for open dims", AB, "(x f32[8,4] @\"a, _\") { y = sin x; z = reshard y {to=[\"?, b\"]}; u = cos z; "
                                  "return u }", "",
         "a, _ | a, _ | a, b | a, b -> a, b");
    lies("uneven is fine, empty parts are not wanted at the boundary", ABC,
         "(x f32[6], w f32[6] @\"a+b+c\") { y = mul x, w; "
         "z = neg y; return z }", "", "a+b | a+b+c | a+b+c | a+b+c -> a+b");
    lies("uneven where the user says so", AB, "(x f32[5] @\"a\") { y = neg x; return y }", "a", "a | a -> a");
    lies("what is given and returned", AB, "(x f32[5] @\"a\") { y = neg x; return x, y }", "", "a | a -> a | a");
    lies("an open dim of a wish takes what came", AB, "(x f32[8,4] @\"a, b\") { y = neg x; return y }", "a, ?",
         "a, b | a, b -> a, b");
    lies("a wish that differs does not reach back over what is given", AB, "(x f32[8] @\"a\") { return x }", "b",
         "a -> b");
    lies("atoms of size 1 cut nothing, and keep their names", "i:1, a:2", "(x f32[8,4] @\"i+a, _\") { y = neg x; "
         "z = constrain y {to=[\"?, i\"]}; return z }", "", "i+a, _ | a, _ | a, i -> a, _");
    lies("constants are made for each use", AB, "(x f32[8] @\"a\", w f32[8] @\"b\") { o = const {dtype=f32, dims=[8], "
                                                "splat=true, data=1}; "
         "y = add x, o; z = add w, o; return y, z }", "", "a | b | a | a | b | b -> a | b");
    lies("and shared where they lie alike", AB, "(x f32[8] @\"a\", w f32[8] @\"a\") { "
         "o = const {dtype=f32, dims=[8], splat=true, data=1}; y = add x, o; z = add w, o; return y, z }", "",
         "a | a | a | a | a -> a | a");
    lies("a mask is a constant expression", AB, "(x f32[4,4] @\"a, _\", w f32[4,4] @\"_, a\") { i = iota {dtype=i32, "
                                                "dims=[4,4]}; "
         "j = iota {dtype=i32, dims=[4,4], dimension=1}; m = compare i, j {direction=ge}; y = select m, x, x; "
         "z = select m, w, w; return y, z }", "",
         "a, _ | _, a | a, _ | a, _ | a, _ | a, _ | _, a | _, a | _, a | _, a -> a, _ | _, a");
    lies("a gradient lies as its parameter, in Adam too", "d:2, m:2", "(x f32[8,4] @\"d, _\", w f32[4,6] @\"_, m\", "
         "u f32[4,6], "
         "t f32[8,6]) { y = " DOT(x, w) "; e = sub y, t; g = dot_general x, e {lhs_contracting=[0], "
                                        "rhs_contracting=[0], "
         "result=f32}; v = add u, g; n = sub w, v; return n, v }", "",
         "d, _ | _, m | _, m | d, m | d, m | d, m | _, m | _, m | _, m -> _, m | _, m");
}

/* ---- ours: origins ---- */

static void comes(const char *mesh, const char *body, const char *out, ir_id id, int atom, const char *how)
{
    base_arena *a = base_open();
    spmd_all s = { 0 };
    ir_fn *f = propagated(a, &s, mesh, body, out);
    CHECK(f, "%s", error());
    const spmd_origin o = f ? spmd_origin_of(&s, f, id, atom) : (spmd_origin){ 0 };
    CHECK(how ? o.how && !strcmp(o.how, how) : !o.how, "v%u, atom %d of %s: %s", id, atom, body, o.how ? o.how
          : "(none)");
    base_forget();
    base_close(a);
}

static void origins(void)
{
    const char *mlp = "(x f32[8,4] @\"a, _\", w f32[4,6], u f32[6,4]) { y = " DOT(x, w)
        "; z = tanh y; c = constrain z {to=[\"?, b\"]}; "
                      "r = " DOT(c, u) "; return r }";
    comes(AB, mlp, "", 1, 0, "argument 0");
    comes(AB, mlp, "", 4, 0, "argument 0");
    comes(AB, mlp, "", 7, 0, "argument 0");
    comes(AB, mlp, "", 4, 1, "constrain");
    comes(AB, mlp, "", 2, 1, "constrain");
    comes(AB, mlp, "", 3, 1, "constrain");
    comes(AB, mlp, "", 7, 1, NULL);
    comes(AB, mlp, "?, b", 7, 1, "result 0");
    comes(AB, "(x f32[8,4]) { y = manual x {axes=[a], in=[\"a, _\"], out=[\"_, a\"], unchecked=true} (x f32[4,4]) { z "
              "= reshape x "
          "{dims=[8,2]}; return z }; r = neg y; return r }", "", 1, 0, "manual");
    comes(AB, "(x f32[8,4]) { y = manual x {axes=[a], in=[\"a, _\"], out=[\"_, a\"], unchecked=true} (x f32[4,4]) { z "
              "= reshape x "
          "{dims=[8,2]}; return z }; r = neg y; return r }", "", 3, 0, "manual");
}

/* ---- ours: symmetries, over every row ---- */

static uint64_t seed = 1;
static uint32_t draw(uint32_t n) { return (uint32_t)((seed =
                                                      seed * 6364136223846793005u + 1442695040888963407u) >> 33) % n; }

/* A random layout: each axis on a dim, or on none; dims open or closed, of priority 0 or 1. Axes are those of `like`,
 * by place. */
static const char *random_spec(base_arena *a, const mesh *m, int rank)
{
    base_text t = { .arena = a };
    int at[16];
    for (int i = 0; i < m->naxis; i++) at[i] = (int)draw((uint32_t)rank + 2) - 2;
    for (int d = 0; d < rank; d++) {
        int n = 0;
        if (d) base_put(&t, ", ");
        for (int i = 0; i < m->naxis; i++) if (at[i] == d) base_put(&t, "%s$%d", n++ ? "+" : "", i);
        const bool open = draw(2);
        base_put(&t, "%s", open ? "?" : n ? "" : "_");
        if (n && !draw(4)) base_put(&t, "!1");
    }
    return t.s ? t.s : "";
}

static const char *with_names(base_arena *a, const char *spec, const char *const *name)  /* "$1" becomes name[1] */
{
    base_text t = { .arena = a };
    base_put(&t, "%s", "");
    for (; *spec; spec++)
        if (*spec == '$') base_put(&t, "%s", name[*++spec - '0']);
        else base_put(&t, "%c", *spec);
    return t.s;
}

static const char *drawn(base_arena *a, const ir_fn *one, const char *mesh, const char *const *name,
                         const char *const *spec)
{
    spmd_all s = { .a = a };
    base_text t = { .arena = a };
    ir_fn *f = pass_on_mesh(a, one, mesh_of("t", mesh));
    if (!f) return error();
    f->layout = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
    for (uint32_t i = 1; i <= f->narg; i++)
        if (!(f->layout[i] = mesh_parse("t", f->mesh, f->type[i]->rank, with_names(a, spec[i], name)))) return error();
    s.mesh = f->mesh;
    const mesh_layout **given = BASE_COPY(a, f->layout, f->narg + 1);
    if (!(f = spmd_prepare(&s, f)) || !spmd_propagate(&s, f, NULL) || !ir_verify(f)) return error();
    for (uint32_t i = 1; i <= f->nvalue; i++) {
        const mesh_layout *l = f->layout[i];
        mesh_set used = 0;
        for (int d = 0; d < l->rank; d++) {
            CHECK(!(used & mesh_list_set(l->dim[d].atoms)), "an atom twice: %s", mesh_print(a, l));
            used |= mesh_list_set(l->dim[d].atoms);
            if (i > f->narg) continue;
            const mesh_dim *g = &given[i]->dim[d];
            CHECK(g->open || g->atoms == l->dim[d].atoms, "a closed dim grew: %s", mesh_print(a, l));
            CHECK(spmd_begins(g->atoms, l->dim[d].atoms), "a given dim changed: %s", mesh_print(a, l));
        }
    }
    put_values(&t, f);
    for (uint32_t i = 0; i < f->nret; i++) base_put(&t, " -> %s", mesh_print(a, s.result[i]));
    return t.s;
}

static void replace(char *s, const char *const *from, const char *const *to)     /* names of one letter */
{
    for (; *s; s++)
        for (int i = 0; i < 3; i++)
            if (*s == *from[i]) {
                *s = *to[i];
                break;
            }
}

static void symmetric(const char *text)
{
    static const char *const abc[] = { "x", "y", "z" }, *const other[] = { "Q", "R", "S" };
    base_arena *a = base_open();
    const ir_fn *one = ir_case(a, text);
    const mesh *m = mesh_of("t", "x:2, y:4, z:3");
    CHECK(one, "%s: %s", text, error());
    for (int n = 0; one && !one->mesh && n < 20; n++) {
        const char **spec = BASE_NEW(a, const char *, one->narg + 1);
        for (uint32_t i = 1; i <= one->narg; i++) spec[i] = random_spec(a, m, one->type[i]->rank);
        const char *first = drawn(a, one, "x:2, y:4, z:3", abc, spec);
        CHECK(!base_failed(), "%s: %s", text, error());
        CHECK(!strcmp(first, drawn(a, one, "x:2, y:4, z:3", abc, spec)), "%s: not the same twice", text);
        CHECK(!strcmp(first, drawn(a, one, "x:2, y:4, z:3, idle:2", abc, spec)), "%s: an idle axis changes %s", text,
              first);
        CHECK(!strcmp(first, drawn(a, one, "idle:2, x:2, y:4, z:3, one:1", abc, spec)), "%s: idle axes change %s",
              text, first);
        char *renamed = base_copy(a, first, strlen(first) + 1);
        replace(renamed, abc, other);
        const char *again = drawn(a, one, "Q:2, R:4, S:3", other, spec);
        CHECK(!strcmp(renamed, again), "%s: names matter\n  %s\n  %s", text, renamed, again);
    }
    base_forget();
    base_close(a);
}

int main(void)
{
    all_published(cases, sizeof cases / sizeof *cases, true);
    all_published(staged, sizeof staged / sizeof *staged, false);
    batches();
    loops();
    manual();
    boundaries();
    origins();
    for (size_t i = 0; op_rows[i]; i++)
        for (const char *const *c = op_rows[i]->cases; *c; c++) symmetric(*c);
    return check_done();
}
