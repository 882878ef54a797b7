/* hlo/write/print_axis_index.c - a device's coordinate along axes, as JAX prints it: partition_id, divided and reduced
 * modulo the size; and groups of values that share a layout. A coordinate along all axes that is only read as u32 is
 * printed as partition_id itself. */
#include "print.h"
#include "../../op/ops.h"

/* True if e is the coordinate along all axes, which is partition_id */
static bool of_places(const ir_eqn *e)
{
    int64_t below, size;
    return e && e->op == &prim_axis_index && hlo_coordinate_along(e, &below, &size) && below == 1 &&
           size == mesh_size(e->fn->mesh);
}

static bool to_u32(const ir_eqn *e) { return e->op == &prim_convert && IR_OUT(e, 0)->dtype == TT_U32; }

/* True if the coordinate is only converted to u32 */
static bool only_to_u32(const ir_eqn *e)
{
    for (uint32_t k = 0; k < e->fn->neqn; k++)
        for (uint32_t i = 0; i < e->fn->eqn[k].nin; i++)
            if (e->fn->eqn[k].in[i] == e->out && !to_u32(&e->fn->eqn[k])) return false;
    for (uint32_t j = 0; j < e->fn->nret; j++) if (e->fn->ret[j] == e->out) return false;
    return true;
}

static uint32_t with_number(hlo_printer *p, const char *op, uint32_t x, int64_t n)   /* x op n, of u32 */
{
    hlo_indent(p);
    base_appendf(&p->t, "%%%u = stablehlo.constant dense<%lld> : tensor<ui32>", p->values++, (long long)n);
    hlo_indent(p);
    base_appendf(&p->t, "%%%u = \"stablehlo.%s\"(%%%u, %%%u) : (tensor<ui32>, tensor<ui32>) -> (tensor<ui32>)",
        p->values,
                 op, x, p->values - 1);
    return p->values++;
}

/* partition_id, divided, modulo the size, as i32 */
static uint32_t print_axis_index_along(hlo_printer *p, const ir_eqn *e, int64_t below, int64_t size)
{
    hlo_indent(p);
    uint32_t id = p->values++;
    base_appendf(&p->t, "%%%u = \"stablehlo.partition_id\"() : () -> (tensor<ui32>)", id);
    if (below > 1) id = with_number(p, "divide", id, below);
    if (below * size < mesh_size(e->fn->mesh)) id = with_number(p, "remainder", id, size);
    hlo_indent(p);
    base_appendf(&p->t, "%%%u = \"stablehlo.convert\"(%%%u) : (tensor<ui32>) -> (tensor<i32>)", p->values, id);
    return p->values++;
}

/* While axes are left to the compiler a device has no number: the value is computed in a manual region over those axes
 * too, as JAX does. */
bool hlo_print_axis_index(hlo_printer *p, const ir_eqn *e, uint32_t *name)
{
    const mesh_set rest = (mesh_set)((1u << e->fn->mesh->natom) - 1) & (mesh_set)~p->manual;
    int64_t below, size;
    if (!hlo_coordinate_along(e, &below, &size)) return false;
    if (!rest) {
        if (!of_places(e) || !only_to_u32(e)) name[e->out] = print_axis_index_along(p, e, below, size);
        return true;
    }
    hlo_indent(p);
    const uint32_t result = p->values++;
    base_appendf(&p->t, "%%%u = \"sdy.manual_computation\"() <{in_shardings = #sdy.sharding_per_value<[]>, ", result);
    hlo_print_axes(&p->t, e->fn->mesh, rest);
    base_appendf(&p->t, ", out_shardings = #sdy.sharding_per_value<[<@mesh, []>]>}> ({");
    p->depth++;
    const uint32_t id = print_axis_index_along(p, e, below, size);
    hlo_indent(p);
    base_appendf(&p->t, "\"sdy.return\"(%%%u) : (tensor<i32>) -> ()", id);
    p->depth--;
    hlo_indent(p);
    base_appendf(&p->t, "}) : () -> (tensor<i32>)");
    name[e->out] = result;
    return true;
}

/* a sharding group with a new number; the results are the operands */
void hlo_print_sharding_group(hlo_printer *p, const ir_eqn *e, uint32_t *name)
{
    for (uint32_t i = 0; i < e->nin; i++) {
        hlo_indent(p);
        base_appendf(&p->t, "\"sdy.sharding_group\"(%%%u) <{group_id = %d : i64}> : ", name[e->in[i]], p->groups);
        hlo_print_types(&p->t, e->fn, 1, &e->in[i]);
        base_appendf(&p->t, " -> ()");
        name[e->out + i] = name[e->in[i]];
    }
    p->groups++;
}

/* prints e as partition_id if it is a device's number; else false */
bool hlo_print_device_number(hlo_printer *p, const ir_eqn *e, uint32_t *name)
{
    const ir_eqn *const from = to_u32(e) ? ir_definition(e->fn, e->in[0]) : NULL;
    if (!of_places(from) || !only_to_u32(from)) return false;
    hlo_indent(p);
    base_appendf(&p->t, "%%%u = \"stablehlo.partition_id\"() : () -> (tensor<ui32>)", p->values);
    name[e->out] = p->values++;
    return true;
}
