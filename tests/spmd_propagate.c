/* Propagation of layouts: the published cases of Shardy (names in brackets), and our own for loops, cases, manual
 * regions, priorities, boundaries, origins and symmetries.
 *
 * A case is a function with layouts behind its types ('?' leaves a dim open, '!1' is a priority); what is expected are
 * the layouts of all values in order, and behind "->" those of the results. */
#include "check.h"
#include "spmd/inner.h"

enum { MOST = 8 };

typedef struct { const char *id, *mesh, *body, *out, *want; int only; } published;

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

static const char *spread(base_arena *a, const char *mesh, const char *body, const char *out, int only)
{
    spmd_all s = { .only = only };
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
    const char *got = spread(a, mesh, body, out, SPMD_ALL);
    CHECK(!strcmp(got, want), "%s\n  got  %s\n  want %s", id, got, want);
    base_forget();
    base_close(a);
}

/* ---- published ---- */

#define DOT(x, y) "dot_general " #x ", " #y " {lhs_contracting=[1], rhs_contracting=[0], result=f32}"
#define BATCHED(x, y) "dot_general " #x ", " #y \
    " {lhs_batching=[0], rhs_batching=[0], lhs_contracting=[2], rhs_contracting=[1], result=f32}"
#define AB "a:2, b:2"
#define ABC "a:2, b:2, c:2"
#define ADD2 " { r = add x, y; return r }"

static const published cases[] = {
    { "1 simple", AB, "(x f32[8,8] @\"a, b\", y f32[8,8], z f32[8,16]) { s = add x, y; r = " DOT(s, z) "; return r }", "",
      "a, b | a, b | b, _ | a, b | a, _ -> a, _", SPMD_ONLY_BASIC },
    { "2 multi_axes_conflict", ABC, "(x f32[8,8] @\"b+a, _\", y f32[8,8] @\"b+c, _\", z f32[8,8] @\"a+b, _\") "
      "{ r = add x, y; s = add x, z; return r, s }", "",
      "b+a, _ | b+c, _ | a+b, _ | b, _ | _, _ -> b, _ | _, _", SPMD_ONLY_BASIC },
    { "2 multi_axes", AB, "(x f32[8,8] @\"b+a, _\", y f32[8,8] @\"b?, _\", z f32[8,16]) { s = add x, y; r = " DOT(s, z)
      "; return r }", "", "b+a, _ | b+a, _ | _, _ | b+a, _ | b+a, _ -> b+a, _", SPMD_ONLY_BASIC },
    { "3 multi_axes_some_axes_incompatible", AB, "(x f32[8,8] @\"a+b, _\", y f32[8,8]) "
      "{ r f32[8,8] @\"?, b?\" = add x, y; return r }", "", "a+b, _ | a, _ | a, b -> a, b", SPMD_ONLY_BASIC },
    { "4 multi_axes_all_axes_incompatible", AB, "(x f32[8,8] @\"a+b, _\", y f32[8,8] @\"?, ? +closed(a)\") "
      "{ r f32[8,8] @\"?, b?\" = add x, y; return r }", "", "a+b, _ | _, _ | _, b -> _, b", SPMD_ONLY_BASIC },
    { "5 multi_axes_compatible_prefix", "a:16, b:2", "(x f32[8,8] @\"a?, ?\", y f32[8,8] @\"a.1.2?, a.4.2?\") "
      "{ r f32[8,8] @\"?, b?\" = add x, y; return r }", "", "a, _ | a.1.4, a.4.2 | a.1.4, b -> a.1.4, b", SPMD_ONLY_BASIC },
    { "6 slice_then_concat", AB, "(x f32[8,8] @\"a+b, _\") "
      "{ p = slice x {start_indices=[0,0], limit_indices=[1,8], strides=[1,1]}; "
      "q = slice x {start_indices=[1,0], limit_indices=[8,8], strides=[1,1]}; r = concatenate q, p {dimension=0}; return r }",
      "", "a+b, _ | a+b, _ | a+b, _ | a+b, _ -> a+b, _", SPMD_ONLY_BASIC },
    { "7 reshape_merge_dim_major_factor_fully_sharded", AB,
      "(x f32[2,4] @\"a, b\") { r = reshape x {dims=[8]}; return r }", "", "a, b | a+b -> a+b", SPMD_ONLY_BASIC },
    { "7 reshape_merge_dim_major_factor_partially_sharded", AB,
      "(x f32[4,4] @\"a, b\") { r = reshape x {dims=[16]}; return r }", "", "a, b | a -> a", SPMD_ONLY_BASIC },
    { "7 reshape_merge_dim_only_major_most_factor_sharded", AB,
      "(x f32[2,4] @\"a, _\") { r = reshape x {dims=[8]}; return r }", "", "a, _ | a -> a", SPMD_ONLY_BASIC },
    { "8 reshape_split_dim_single_axis_fully_shards_major_factor", AB,
      "(x f32[8] @\"b+a\") { r = reshape x {dims=[2,4]}; return r }", "", "b+a | b, a -> b, a", SPMD_ONLY_BASIC },
    { "8 reshape_split_dim_only_major_most_factor_sharded", AB,
      "(x f32[16] @\"b+a\") { r = reshape x {dims=[4,4]}; return r }", "", "b+a | b+a, _ -> b+a, _", SPMD_ONLY_BASIC },
    { "9 reshape_split_dim_single_axis_shards_both_factors", "a:4, b:2",
      "(x f32[8] @\"a\") { r = reshape x {dims=[2,4]}; return r }", "", "a | a.1.2, a.2.2 -> a.1.2, a.2.2", SPMD_ONLY_BASIC },
    { "10 reshape_split_dim_twice", "a:16, b:2", "(x f32[32] @\"a\") "
      "{ p = reshape x {dims=[8,4]}; q = add p, p; r = reshape q {dims=[2,4,4]}; return r }", "",
      "a | a.1.8, a.8.2 | a.1.8, a.8.2 | a.1.2, a.2.4, a.8.2 -> a.1.2, a.2.4, a.8.2", SPMD_ONLY_BASIC },
    { "11 reshape_split_dim_then_merge", "a:16, b:2", "(x f32[32] @\"a\") { p = reshape x {dims=[4,2,4]}; q = add p, p; "
      "r = reshape q {dims=[4,8]}; s = add r, r; t = reshape s {dims=[32]}; return t }", "",
      "a | a.1.4, a.4.2, a.8.2 | a.1.4, a.4.2, a.8.2 | a.1.4, a.4.4 | a.1.4, a.4.4 | a -> a", SPMD_ONLY_BASIC },
    { "12 reshape_split_and_merge_dims", "a:4, b:2, c:2",
      "(x f32[8,4] @\"c+a, b\") { r = reshape x {dims=[2,16]}; return r }", "", "c+a, b | c, a+b -> c, a+b", SPMD_ONLY_BASIC },
    { "13 minor_most_factor_overflows_multiple_axes", "a:4, b:4", "(x f32[8] @\"a+b\") "
      "{ r = reshape x {dims=[2,4]}; return r }", "", "a+b | a.1.2, a.2.2+b -> a.1.2, a.2.2+b.1.2", SPMD_ONLY_BASIC },
    { "13 minor_most_factor_overflows", "a:16, b:2", "(x f32[8] @\"a\") { r = reshape x {dims=[2,4]}; return r }", "",
      "a | a.1.2, a.2.8 -> a.1.2, a.2.4", SPMD_ONLY_BASIC },
    { "14 non_minor_most_factor_non_divisible", "a:3",
      "(x f32[8] @\"a\") { r = reshape x {dims=[2,4]}; return r }", "", "a | _, _ -> _, _", SPMD_ONLY_BASIC },
    { "14 minor_most_factor_non_divisible", "a:6", "(x f32[8] @\"a\") { r = reshape x {dims=[2,4]}; return r }", "",
      "a | a.1.2, a.2.3 -> a.1.2, _", SPMD_ONLY_BASIC },
    { "14 non_minor_most_factor_non_divisible_multiple_axes", "a:2, b:3, c:2, d:2", "(x f32[2,2,32] @\"c, ?, a+b\") "
      "{ r f32[2,2,8,4] @\"?, d, ?, ?\" = reshape x {dims=[2,2,8,4]}; return r }", "",
      "c, d, a+b | c, d, a, _ -> c, d, a, _", SPMD_ONLY_BASIC },
    { "14 non_minor_most_factor_non_divisible_sub_axis", "a:6, b:2", "(x f32[2,32] @\"?, a\") "
      "{ r f32[2,8,4] @\"b, ?, ?\" = reshape x {dims=[2,8,4]}; return r }", "", "b, a | b, a.1.2, _ -> b, a.1.2, _",
      SPMD_ONLY_BASIC },
    { "14 non_minor_most_factor_non_divisible_other_open_dim_unchanged", "a:2, b:3", "(x f32[3,32] @\"?, a+b?\") "
      "{ r f32[3,8,4] @\"b, ?, ?\" = reshape x {dims=[3,8,4]}; return r }", "", "_, a+b | b, a, _ -> b, a, _",
      SPMD_ONLY_BASIC },
    { "14 non_minor_most_factor_non_divisible_same_open_dim_unchanged", "a:2, b:3, c:2, d:2",
      "(x f32[2,32] @\"?, a+b?\") { r f32[2,8,4] @\"d, ?, c\" = reshape x {dims=[2,8,4]}; return r }", "",
      "d, a+b | d, a, c -> d, a, c", SPMD_ONLY_BASIC },
    { "15 merge_dim_minor_most_factor_non_divisible", "a:2, b:3",
      "(x f32[2,4] @\"a, b\") { r = reshape x {dims=[8]}; return r, x }", "", "a, b | a+b -> a | a, b", SPMD_ONLY_BASIC },
    { "15 merge_dim_non_minor_most_factor_non_divisible", "a:3",
      "(x f32[2,4] @\"a, _\") { r = reshape x {dims=[8]}; return r }", "", "a, _ | _ -> _", SPMD_ONLY_BASIC },
    { "15 merge_dim_non_minor_most_factor_non_divisible_multiple_axes", "a:3, b:3",
      "(x f32[6,4] @\"a+b, _\") { r = reshape x {dims=[24]}; return r }", "", "a+b, _ | a -> a", SPMD_ONLY_BASIC },
    { "15 merge_dim_non_minor_most_factor_propagate_sub_axis", "a:4, b:2, c:2",
      "(x f32[4,4] @\"b+a, _\") { r = reshape x {dims=[16]}; return r }", "", "b+a, _ | b+a.1.2 -> b+a.1.2", SPMD_ONLY_BASIC },
    { "15 merge_dim_non_minor_most_factor_propagate_sub_axis_and_concat", "a:4, b:2, c:2",
      "(x f32[4,4] @\"b+a, c\") { r = reshape x {dims=[16]}; return r }", "", "b+a, c | b+a.1.2+c -> b+a.1.2+c",
      SPMD_ONLY_BASIC },
    { "16 reshape_size_zero_dim", AB, "(x f32[8,0] @\"a, _\") { r = reshape x {dims=[0,4]}; return r }", "",
      "a, _ | _, _ -> _, _", SPMD_ONLY_BASIC },
    { "16 pointwise_size_zero_dim", AB, "(x f32[8,0] @\"a, _\") { r = add x, x; return r }", "", "a, _ | a, _ -> a, _",
      SPMD_ONLY_BASIC },
    { "16 single_factor_non_divisible", "a:3", "(x f32[2,4] @\"_, a\") { r = add x, x; return r, x }", "",
      "_, a | _, a -> _, _ | _, a", SPMD_ONLY_BASIC },
    { "16 single_factor_overflows", "a:4, b:2", "(x f32[2,4] @\"a, _\") { r = add x, x; return r, x }", "",
      "a, _ | a, _ -> a.1.2, _ | a, _", SPMD_ONLY_BASIC },
    { "16 propagate_full_to_sub_axis", "a:4, b:2", "(x f32[32,8] @\"a?, _\") "
      "{ r f32[32,8] @\"a.1.2?, _\" = add x, x; return r }", "", "a, _ | a, _ -> a, _", SPMD_ONLY_BASIC },
    { "17 cx64_combine_used_then_rng_bit_generator (as random_bits)", AB, "(k u32[2]) "
      "{ r = random_bits k {shape=[4,1000], width=32, layout=partitionable}; return r }", "a, b", "_ | a, b -> a, b",
      SPMD_ONLY_BASIC },
    { "19 closed_dim", AB, "(x f32[8,8] @\"a, _\", y f32[8,16] @\"_, b\") { r f32[8,16] @\"_, ?\" = " DOT(x, y)
      "; return r }", "", "a, _ | _, b | _, b -> _, b", SPMD_ONLY_BASIC },
    { "20 fake_conflict_between_two_non_contracting_dims", AB, "(x f32[256,512] @\"a?, ?\", y f32[128,512]) "
      "{ r f32[256,128] @\"?, a?\" = dot_general x, y {lhs_contracting=[1], rhs_contracting=[1], result=f32}; return r }", "",
      "a, _ | a, _ | _, a -> _, a", SPMD_ONLY_AGGRESSIVE },
    { "21 fake_conflict_between_contracting_and_non_contracting_dims", ABC,
      "(x f32[256,512] @\"a, b+c\", y f32[128,512] @\"c+b, a\") "
      "{ r = dot_general x, y {lhs_contracting=[1], rhs_contracting=[1], result=f32}; return r }", "",
      "a, b+c | c+b, a | a, c+b -> a, c+b", SPMD_ONLY_AGGRESSIVE },
    { "21 fake_conflict_closed_dims", ABC, "(x f32[8,8] @\"a?, b\", y f32[8,8] @\"_, b+c?\")" ADD2, "",
      "a, b | _, b+c | a, b+c -> a, b+c", SPMD_ONLY_AGGRESSIVE },
    { "22 real_conflict_within_a_factor", ABC, "(x f32[8,8] @\"a?, _\", y f32[8,8] @\"b?, _\")" ADD2, "",
      "a, _ | b, _ | _, _ -> _, _", SPMD_ONLY_AGGRESSIVE },
    { "22 real_conflict_within_a_factor2", ABC, "(x f32[8,8] @\"a, b\", y f32[8,8] @\"_, a+b+c\")" ADD2, "",
      "a, b | _, a+b+c | a, _ -> a, _", SPMD_ONLY_AGGRESSIVE },
    { "22 real_and_fake_conflicts", ABC, "(x f32[8,8] @\"a?, ?\", y f32[8,8] @\"b?, a?\")" ADD2, "",
      "a, _ | b, a | _, a -> _, a", SPMD_ONLY_AGGRESSIVE },
    { "23 real_conflict_across_factors_same_tensors_size", ABC, "(x f32[8,8] @\"a, ?\", y f32[8,8] @\"?, a\")" ADD2, "",
      "a, _ | _, a | a, _ -> a, _", SPMD_ONLY_AGGRESSIVE },
    { "24 real_conflict_across_factors_diff_tensors_size", ABC, "(x f32[8,4] @\"a+b, ?\", y f32[4,16] @\"?, a+c\") { r = "
      DOT(x, y) "; return r }", "", "a+b, _ | _, a+c | _, a+c -> _, a+c", SPMD_ONLY_AGGRESSIVE },
    { "25 partial_conflict_across_factors", ABC, "(x f32[2,8,4] @\"a, b, _\", w f32[2,4,16]) "
      "{ y = neg w; r f32[2,8,16] @\"a+b, _, _\" = " BATCHED(x, y) "; return r }", "",
      "a, b, _ | a, _, _ | a+b, _, _ | a+b, _, _ -> a+b, _, _", SPMD_ONLY_AGGRESSIVE },
    { "26 multiple_conflicts_across_factors", "a:2, b:2, c:2, d:2",
      "(x f32[2,8,4] @\"?, a+b, ?\", y f32[2,4,16] @\"?, d+c, b+a\") { r f32[2,8,16] @\"d, ?, ?\" = " BATCHED(x, y)
      "; return r }", "", "d, a+b, _ | _, d+c, b+a | d, _, b+a -> d, _, b+a", SPMD_ONLY_AGGRESSIVE },
    { "27 sideways_propagation_if_result_is_closed_empty", AB, "(x f32[8] @\"a\", y f32[8]) "
      "{ r f32[8] @\"_\" = add x, y; return r }", "", "a | _ | _ -> _", SPMD_ONLY_AGGRESSIVE },
    { "27 allow_sideways_propagation_if_result_is_open_empty", AB, "(x f32[8] @\"a+b\", y f32[8] @\"?\") "
      "{ r f32[8] @\"?\" = add x, y; return r }", "", "a+b | a+b | a+b -> a+b", SPMD_ONLY_AGGRESSIVE },
    { "27 sideways_propagation_if_result_is_closed_sub_axis", "a:4", "(x f32[8] @\"a\", y f32[8] @\"?\") "
      "{ r f32[8] @\"a.1.2\" = add x, y; return r }", "", "a | a.1.2 | a.1.2 -> a.1.2", SPMD_ONLY_AGGRESSIVE },
    { "27 allow_partial_sideways_propagation_if_conflicting_with_result", AB, "(x f32[8] @\"a+b\", y f32[8] @\"?\") "
      "{ r f32[8] @\"a\" = add x, y; return r }", "", "a+b | a | a -> a", SPMD_ONLY_AGGRESSIVE },
    { "27 allow_sideways_propagation_if_result_fully_matches", AB, "(x f32[8] @\"a+b\", y f32[8] @\"?\") "
      "{ r f32[8] @\"a+b\" = add x, y; return r }", "", "a+b | a+b | a+b -> a+b", SPMD_ONLY_AGGRESSIVE },
    { "28 prefer_most_sharded_factor_elementwise_op", AB, "(x f32[8,8] @\"_, a\", y f32[8,8] @\"b+a, _\")" ADD2, "",
      "_, a | b+a, _ | b+a, _ -> b+a, _", SPMD_ONLY_AGGRESSIVE },
    { "28 prefer_most_sharded_factor_elementwise_op2", "a:2, b:2, c:8",
      "(x f32[16,8] @\"_, a+b\", y f32[16,8] @\"a+c, _\")" ADD2, "", "_, a+b | a+c, _ | a+c, _ -> a+c, _",
      SPMD_ONLY_AGGRESSIVE },
    { "28 prefer_most_sharded_factor_on_operand_elementwise_op", "a:2, b:2, c:8",
      "(x f32[16,8] @\"_, a+b\", y f32[16,8] @\"?, ?\") { r f32[16,8] @\"a+c, _\" = add x, y; return r }", "",
      "_, a+b | a+c, _ | a+c, _ -> a+c, _", SPMD_ONLY_AGGRESSIVE },
    { "29 prefer_lhs_factor_non_elementwise", AB, "(x f32[8,8] @\"a, _\", y f32[8,8] @\"_, b+a\") { r = " DOT(x, y)
      "; return r }", "", "a, _ | _, b+a | a, b -> a, b", SPMD_ONLY_AGGRESSIVE },
    { "30 unreduced_axes_block_bwd_propagation", AB, "(x f32[8,8] @\"a, b\", y f32[8,16]) "
      "{ r f32[8,16] @\"?, ? +sum(b)\" = " DOT(x, y) "; s = add r, r; return s }", "?, b",
      "a, b | b, _ | a, _ | a, b -> a, b", SPMD_ONLY_AGGRESSIVE },
    { "30 unreduced_axes_block_bwd_propagation (op priority)", AB, "(x f32[8,8] @\"a, b\", y f32[8,16]) "
      "{ r f32[8,16] @\"?, ? +sum(b)\" = " DOT(x, y) "; s = add r, r; return s }", "?, b",
      "a, b | b, _ | a, _ | a, b -> a, b", 0 },
    { "31 element_wise_over_dot_general", AB, "(x f32[8,8] @\"a?, ?\", y f32[8,8]) { p = " DOT(x, y)
      "; q = add p, p; r = add q, q; return r }", "?, a?", "a, _ | _, a | _, a | _, a | _, a -> _, a", 0 },
    { "31 element_wise_over_dot_general_flipped_op_order", AB, "(x f32[8,8] @\"a?, ?\", y f32[8,8]) "
      "{ p = add x, x; q = add y, y; r = " DOT(p, q) "; return r }", "?, a?", "a, _ | _, a | a, _ | _, a | _, a -> _, a", 0 },
    { "32 defer_forward_propagation_for_multi_use_ops", AB, "(x f32[8,8] @\"a, _\") "
      "{ p = sin x; q = add p, p; r = add p, p; s = cos q; t = cos r; return s, t }", "_, a;_, a",
      "a, _ | a, _ | _, a | _, a | _, a | _, a -> _, a | _, a", 0 },
    { "32 defer_forward_propagation_for_multi_use_dynamic_slice", AB, "(x f32[8,8] @\"a, _\", i i32, j i32) "
      "{ p = dynamic_slice x, i, j {slice_sizes=[8,2]}; q = add p, p; r = add p, p; s = mul q, r; return s }", "_, a",
      "a, _ |  |  | a, _ | _, a | _, a | _, a -> _, a", 0 },
    { "32 defer_backwards_propagation_for_op_with_multi_use_operand", AB, "(x f32[8,8]) "
      "{ p = add x, x; q = add x, x; r = sin p; return q, r }", "_, a;a, _",
      "a, _ | a, _ | _, a | a, _ -> _, a | a, _", 0 },
    { "33 defer_backwards_propagation_dynamic_slice", AB, "(x f32[8,8], i i32, j i32) "
      "{ p = dynamic_slice x, i, j {slice_sizes=[8,2]}; q = add x, x; return p, q }", "a, _;_, a",
      "_, a |  |  | a, _ | _, a -> a, _ | _, a", 0 },
    { "33 sharding_constraint_propagated", AB, "(x f32[8,8] @\"a?, ?\", y f32[8,8]) { p = " DOT(x, y)
      "; q = add p, p; r = add q, q; s = constrain r {to=[\"?, a?\"]}; return s }", "",
      "a, _ | _, a | _, a | _, a | _, a | _, a -> _, a", 0 },
    { "33 chained_dot_generals", AB, "(x f32[8,8] @\"a?, ?\", y f32[8,8]) { p = " DOT(x, y) "; q = " DOT(p, p)
      "; r = add q, q; s = add r, r; return s }", "?, a?", "a, _ | _, _ | a, _ | _, a | _, a | _, a -> _, a", 0 },
    { "34 pass_through_factor_higher_priority_than_reduction_factor", AB,
      "(x f32[32,1024], y f32[1024,16] @\"a?, b?\") { r = " DOT(x, y) "; return r }", "a?, b?",
      "a, _ | a, b | a, b -> a, b", 0 },
    { "35 broadcast_forward_higher_priority_than_backwards", AB, "(x f32[32] @\"a\") "
      "{ p = broadcast_in_dim x {dims=[32,16], broadcast_dimensions=[0]}; "
      "q = broadcast_in_dim p {dims=[32,16,8], broadcast_dimensions=[0,1]}; return q }", "_, a, _",
      "a | _, a | _, a, _ -> _, a, _", 0 },
    { "36 no_priorities", ABC, "(x f32[8,8] @\"a, b\", y f32[8,8], z f32[8,8]) { p = add x, y; r = div p, z; return r }", "",
      "a, b | a, b | a, b | a, b | a, b -> a, b", 0 },
    { "36 skipped_priorities", ABC, "(x f32[8,8] @\"a, b!4\", y f32[8,8], z f32[8,8]) "
      "{ p = add x, y; r f32[8,8] @\"?, c?!1\" = div p, z; return r }", "", "a, b | a, c | a, c | a, c | a, c -> a, c", 0 },
    { "37 arg_lower_priority_than_return_value", ABC, "(x f32[8,8] @\"a?!1, b!1\", y f32[8,8], z f32[8,8], w f32[8,8]) "
      "{ p = add x, y; q = add p, z; r f32[8,8] @\"c!0, ?\" = div q, w; return r }", "",
      "a, b | c, b | c, b | c, b | c, b | c, b | c, b -> c, b", 0 },
    { "37 result_lower_priority_than_arg", ABC, "(x f32[8,8], y f32[8,8] @\"c!0, ?\", z f32[8,8], w f32[8,8]) "
      "{ p = add x, y; q = add p, z; r = div q, w; return r }", "a?!1, b!1",
      "c, b | c, b | c, b | c, b | c, b | c, b | c, b -> a, b", 0 },
    { "37 result_higher_priority_than_arg", ABC, "(x f32[8,8] @\"c?!1, ?\", y f32[8,8], z f32[8,8], w f32[8,8]) "
      "{ p = add x, y; q = add p, z; r = div q, w; return r }", "a!0, b!0",
      "c, b | a, b | a, b | a, b | a, b | a, b | a, b -> a, b", 0 },
    { "37 arg_higher_priority_than_return_value", ABC, "(x f32[8,8], y f32[8,8] @\"a!0, b!0\", z f32[8,8], w f32[8,8]) "
      "{ p = add x, y; q = add p, z; r f32[8,8] @\"c?!1, ?\" = div q, w; return r }", "",
      "a, b | a, b | a, b | _, b | a, b | a, b | c, b -> c, b", 0 },
    { "37 dim_with_lower_priority_gets_further_sharded_by_higher", ABC,
      "(x f32[8,8] @\"b?!1, _\", y f32[8,8], z f32[8,8], w f32[8,8]) { p = add x, y; q f32[8,8] @\"b+a?!0, _\" = add x, z; "
      "r f32[8,8] @\"c?!0, _\" = div p, w; return q, r }", "",
      "b+a, _ | c, _ | b+a, _ | c, _ | c, _ | b+a, _ | c, _ -> b+a, _ | c, _", 0 },
    { "37 different_priorities_with_closed_empty_dim", ABC,
      "(x f32[8,8] @\"a!0, b!0\", y f32[8,8], z f32[8,8], w f32[8,8]) { p = add x, y; q f32[8,8] @\"c!1, _\" = add p, z; "
      "r = div q, w; return r }", "", "a, b | a, b | _, _ | c, _ | a, b | c, _ | c, _ -> c, _", 0 },
    { "37 open_empty_dim_with_priority", ABC,
      "(x f32[8,8] @\"a!0, b!0\", y f32[8,8], z f32[8,8], w f32[8,8] @\"?, c!0\") { p f32[8,8] @\"?, ?!1\" = add x, y; "
      "q = add p, z; r = div q, w; return r }", "", "a, b | a, b | a, c | a, c | a, b | a, c | a, c -> a, c", 0 },
    { "37 different_priorities_from_args", ABC, "(x f32[8,8] @\"a!0, ?\", y f32[8,8], z f32[8,16] @\"?, a!1\") "
      "{ p = add x, y; r = " DOT(p, z) "; return r }", "", "a, _ | a, _ | _, a | a, _ | a, _ -> a, _", 0 },
    { "37 different_priorities_from_ops", ABC, "(x f32[8,8], y f32[8,8], z f32[8,16]) { p f32[8,8] @\"?, a!1\" = add x, x; "
      "q = add p, y; r f32[8,16] @\"a!0, ?\" = " DOT(q, z) "; return r }", "",
      "_, a | a, _ | _, _ | _, a | a, _ | a, _ -> a, _", 0 },
    { "37 different_sharding_constraint_priorities", ABC, "(x f32[8,8], y f32[8,8]) { p = constrain x {to=[\"a!0, ?\"]}; "
      "q = constrain y {to=[\"?, a!1\"]}; s = add q, q; r = add p, s; return r }", "",
      "a, _ | _, a | a, _ | _, a | a, _ | a, _ -> a, _", 0 },
    { "37 user_based_and_op_based", ABC, "(x f32[8,8] @\"a?!1, ?\", y f32[8,8] @\"a?!0, b?!0\") { p = add x, x; q = "
      DOT(p, y) "; s = add q, q; r = add s, s; return r }", "b?!0, ?", "a, _ | a, b | b, a | b, _ | b, _ | b, _ -> b, _", 0 },
    { "38 arg_lower_priority_than_return_value_with_replicated", ABC,
      "(x f32[8,8] @\"a!1, b!1\", y f32[8,8], z f32[8,8], w f32[8,8]) { p = add x, y; q = add p, z; "
      "r f32[8,8] @\"c!0, ? +closed(b)\" = div q, w; return r }", "",
      "a, b | c, b | c, b | c, _ | c, b | c, b | c, _ -> c, _", 0 },
};

static void all_published(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const published *c = &cases[i];
        base_arena *a = base_open();
        const char *got = spread(a, c->mesh, c->body, c->out, c->only);
        CHECK(!strcmp(got, c->want), "%s\n  got  %s\n  want %s", c->id, got, c->want);
        base_forget();
        base_close(a);
    }
    CHECK_SKIP("18 propagation_barrier_*: there is no one-way barrier among our primitives; an optimization barrier ties "
               "both ways, as Shardy's does");
}

int main(void)
{
    all_published();
    lies("", AB, "(x f32[8] @\"a\") { return x }", "", "a -> a");
    return check_done();
}
