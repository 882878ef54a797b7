/* mutants.c - cases of all primitives with one or two numbers, names or brackets changed: each is refused with an
 * error, or is a valid equation with a valid rule. Nothing crashes; run it under the sanitizers too. usage:
 * prop_mutants [primitive ...] */
#include "primitives.h"

#include <ctype.h>

enum { MUTANTS = 400 };
static int accepted, refused;

static const char *mutant(base_arena *a, const char *text)
{
    static const char *const number[] = {
        "-1", "0", "1", "2", "3", "7", "13", "9223372036854775807", "-9223372036854775808"
    };
    static const char *const name[] = { "f32", "i32", "bool", "u8", "bf16", "f64" };
    base_text s = { .arena = a };
    const size_t n = strlen(text);
    size_t at = (size_t)prop_below((int64_t)n), end;
    while (at < n && !isalnum((unsigned char)text[at]) && !strchr("],}", text[at])) at++;
    if (at == n) return text;
    for (end = at; isalnum((unsigned char)text[end]); end++) {}
    if (isdigit((unsigned char)text[at])) {
        base_appendf(&s, "%.*s%s%s", (int)at, text, number[prop_below(9)], text + end);
    } else if (isalnum((unsigned char)text[at])) {
        while (at && isalnum((unsigned char)text[at - 1])) at--;
        base_appendf(&s, "%.*s%s%s", (int)at, text, name[prop_below(6)], text + end);
    } else { /* one more entry or operand, or one bracket less */
        const char *const more = prop_below(2) ? ",1" : "";
        base_appendf(&s, "%.*s%s%s", (int)at, text, more, text + at + !*more);
    }
    return s.s;
}

static bool small(const ir_fn *f)
{
    for (ir_id i = 1; i <= f->nvalue; i++)
        if (ir_count(f->type[i]) > 10000) return false;
    return true;
}

static void check_case(base_arena *outer, const op_prim *prim, const char *text)
{
    (void)outer;
    for (int k = 0; k < MUTANTS; k++) {
        base_arena *a = base_open();
        const char *changed = mutant(a, text);
        if (prop_below(2)) changed = mutant(a, changed);
        const ir_fn *f = ir_case(a, changed);
        if (f) {
            op_rule *r;
            accepted++;
            CHECK(ir_verify(f), "%s: %s", changed, prop_error());
            const bool ruled = op_rule_of(&f->eqn[f->neqn - 1], &r);
            CHECK(ruled, "%s: %s", changed, ruled ? "" : prop_error());
            CHECK(!small(f) || ir_print(a, f), "%s: does not print", changed);
        } else {
            refused++;
            const base_error *e = base_failed();
            CHECK(e && e->code != TT_EBUG && e->code != TT_EMEM, "%s: %s", changed,
                  e ? e->what : "refused without an error");
        }
        base_clear_error();
        base_close(a);
    }
    (void)prim;
}

int main(int argc, char **argv)
{
    if (!prop_main(argc, argv)) return check_done();
    prop_over_cases(check_case, argc, argv);
    CHECK(argc > 1 || (accepted > 100 && refused > 100), "%d accepted, %d refused: the mutants are not mixed", accepted,
          refused);
    return check_done();
}
