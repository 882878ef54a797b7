/* oracle/traces.c - kind `trace_count`: how often the body of jit(f(x, k, flag=none), static k) was traced after each
 * of some calls, which are told in words. A call changes what its words name; the rest stays as it was. */
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

static int64_t traced;

static tt_val body(void *env, int n, const tt_val *x)
{
    traced++;
    const tt_val y = tt_mul(x[0], tt_f((double)*(const int64_t *)env));
    return n > 1 ? tt_where(x[1], y, x[0]) : y;
}

typedef struct { tt_val x, flag; int64_t k; bool flagged; tt_mesh mesh; } call;

/* "f32[8,4]" or "f32", a scalar that is no C number. */
static tt_val of_type(const char *s)
{
    static const char *const numpy[][2] = { { "f16", "float16" }, { "bf16", "bfloat16" }, { "f32", "float32" },
        { "f64", "float64" }, { "i8", "int8" }, { "i16", "int16" }, { "i32", "int32" }, { "i64", "int64" },
        { "u8", "uint8" }, { "u32", "uint32" }, { "bool", "bool" } };
    const size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789");
    int64_t dim[14];
    int rank = 0;
    tt_dtype type = 0;
    for (size_t i = 0; i < sizeof numpy / sizeof *numpy; i++)
        if (strlen(numpy[i][0]) == n && !strncmp(s, numpy[i][0], n)) type = oracle_dtype(numpy[i][1]);
    for (const char *p = s + n; rank < 12 && (*p == '[' || *p == ',') && p[1] != ']';)
        dim[rank++] = strtoll(p + 1, (char **)(uintptr_t)&p, 10);
    dim[rank] = TT_DIM_END;
    return type ? tt_full_at(0, 1, type, dim) : tt_none();
}

/* "data,- on data=2,model=4" or "-,model" on the mesh of before, in the goldens' notation. */
static tt_val laid_out(call *l, const char *s)
{
    char spec[128], mesh[128] = "";
    size_t n = strcspn(s, " "), k = 0;
    for (size_t i = 0; i < n && k < sizeof spec - 2; i++) spec[k++] = s[i] == '-' ? '_' : s[i];
    spec[k] = '\0';
    const char *on = strstr(s, " on ");
    if (on) {
        snprintf(mesh, sizeof mesh, "%s", on + 4);
        for (char *p = mesh; *p; p++) if (*p == '=') *p = ':';
        l->mesh = tt_mesh(mesh);
    }
    return tt_shard(l->x, l->mesh, spec);
}

static bool parse_call(call *l, const char *s)
{
    const char *k = strstr(s, "k=");
    if (k) l->k = strtoll(k + 2, NULL, 10);
    if (!strncmp(s, "NumPy ", 6)) s += 6;
    if (!strcmp(s, "same again") || (k == s)) return true;
    if (!strncmp(s, "flag=", 5)) return l->flagged = true, l->flag = tt_cast(tt_b(!strncmp(s + 5, "True", 4)), TT_BOOL),
        true;
    if (!strcmp(s, "flag omitted")) return l->flagged = false, true;
    if (strncmp(s, "x ", 2)) return false;
    s += 2;
    const char *number = strstr(s, "python float");
    if (number) l->x = tt_f(strtod(number + 12, NULL));
    else if (!strncmp(s, "laid out ", 9)) l->x = laid_out(l, s + 9);
    else l->x = of_type(!strncmp(s, "scalar ", 7) ? s + 7 : s);
    return tt_ok() && tt_items(l->x) == 0 && tt_rank(l->x) >= 0;
}

void oracle_trace_count(oracle_case *c)
{
    const json_t *calls = json_object_get(c->params, "calls");
    const int n = (int)json_array_size(calls);
    int64_t *counts = calloc((size_t)n + 1, sizeof *counts);
    call l = { .k = 1 };
    l.flag = tt_none(), l.x = tt_none();
    traced = 0;
    for (int i = 0; counts && i < n && tt_ok(); i++) {
        const char *words = json_string_value(json_array_get(calls, (size_t)i));
        if (!words || !parse_call(&l, words)) {
            oracle_fail(c, "a call that is not understood: %s", words ? words : "(none)");
            break;
        }
        const tt_fn f = tt_jit(tt_bind_env("f", body, &l.k, sizeof l.k, -1));
        if (l.flagged) tt_call(f, l.x, l.flag);
        else tt_call(f, l.x);
        counts[i] = traced;
    }
    if (counts && tt_ok()) oracle_expect(c, 0, tt_cast(tt_array(TT_I64, counts, n),
                                                       tt_dtype_of(oracle_array(c, oracle_out_name(c, 0)))));
    free(counts);
}
