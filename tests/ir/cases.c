/* Every case of every primitive is a function; its text reads back to the same text and hash, and it verifies. Spoiled
 * at any byte, it is an error or another function: types, rules and edges of no primitive crash on bad attributes or
 * operands. */
#include "op/op.h"
#include "check.h"

static void one(const op_prim *prim, const char *text)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_case(a, text);
    CHECK(f, "%s: %s: %s", prim->name, text, base_failed() ? base_failed()->what : "no error");
    base_clear_error();
    if (f) {
        const char *s = ir_print(a, f);
        CHECK(f->eqn[f->neqn - 1].op == prim, "%s: %s is a case of another row", prim->name, text);
        CHECK(ir_verify(f), "%s: %s: %s", prim->name, text, base_failed() ? base_failed()->what : "");
        base_clear_error();
        const ir_fn *g = ir_parse(a, "case", s);
        CHECK(g, "%s does not read back: %s", s, base_failed() ? base_failed()->what : "");
        base_clear_error();
        const ir_eqn **const def = ir_definitions(a, f);
        for (ir_id v = 1; v <= f->nvalue; v++)
            CHECK(ir_definition(f, v) == def[v] && !def[v] == (v <= f->narg), "%s: the definition of v%u", text, v);
        if (g) CHECK(!strcmp(ir_print(a, g), s) && ir_hash(f) == ir_hash(g), "%s reads back as\n%s", s, ir_print(a, g));
    }
    base_close(a);
}

static void rules_of(const ir_fn *f)                     /* what looks at attributes besides the types */
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        op_rule *rule;
        if (f->eqn[k].op->rules || f->eqn[k].op->rule) op_rule_of(&f->eqn[k], &rule);
        if (f->eqn[k].op->linear) f->eqn[k].op->linear(&f->eqn[k]);
    }
}

static void spoiled(const char *text)
{
    static const char with[] = "0129-[]{}(),=f i;b";
    const size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        base_arena *a = base_open();
        char *s = base_copy(a, text, n + 1);
        for (size_t k = 0; k < sizeof with; k++) {       /* the last: the end of the text */
            s[i] = with[k];
            const ir_fn *f = ir_case(a, s);
            CHECK(!f == !!base_failed(), "%s: a function or an error", s);
            base_clear_error();
            if (f) rules_of(f);
            base_clear_error();
        }
        base_close(a);
    }
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    size_t n = 0;
    for (const op_prim *const *r = op_prims; *r; r++)
        for (const char *const *c = (*r)->cases; c && *c; c++) {
            one(*r, *c);
            if (check_turn(n++)) spoiled(*c);
        }
    return check_done();
}
