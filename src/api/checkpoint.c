/* api/checkpoint.c - policies of tt_remat as text, and the names that they refer to. */
#include "api.h"

#include <string.h>

static const char *const policies =
    "nothing_saveable, everything_saveable, dots_saveable, dots_with_no_batch_dims_saveable, save_only_these_names, "
    "save_any_names_but_these, save_anything_except_these_names";

static bool is_policy(const char *word, size_t n, bool *names)
{
    for (const char *p = policies; *p;) {
        const size_t m = strcspn(p, ",");
        if (m == n && !memcmp(p, word, n)) return *names = !strncmp(p, "save_", 5), true;
        p += m + (p[m] ? 2 : 0);
    }
    return false;
}

/* True if the text is a list of names in parentheses, "(a, b)". */
static bool is_list(const char *p)
{
    if (*p++ != '(') return false;
    for (;;) {
        p += strspn(p, " ");
        const size_t n = strcspn(p, ",() ");
        p += n;
        p += strspn(p, " ");
        if (!n || (*p != ',' && *p != ')')) return false;
        if (*p++ == ')') return !p[strspn(p, " ")];
    }
}

bool api_remat_policy(base_site site, const char *text, base_name *policy)
{
    *policy = NULL;
    if (!text) return true;
    const size_t n = strcspn(text, "( ");
    const char *const rest = text + n + strspn(text + n, " ");
    bool names = false;
    if (!is_policy(text, n, &names)) {
        base_fail(TT_EARG, site, "remat: no policy \"%s\"", text);
        return base_hint_choices("the policies are", text, n, policies);
    }
    if (names ? !is_list(rest) : *rest != '\0') {
        base_fail(TT_EARG, site, "remat: the policy \"%s\"%s", text, names ? " lacks names" : " takes no names");
        return names ? base_hint("names stand in parentheses: \"save_only_these_names(a, b)\"")
                     : base_hint("\"%.*s\"", (int)n, text);
    }
    *policy = base_intern(base_format(trace_temp(), "%.*s%s", (int)n, text, rest));
    return true;
}

typedef struct { base_name name; } name_env;

static bool name_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    return (out[0] = ir_emit(b, op_find("checkpoint_name"), env, 1, in, 0, NULL)) != 0;
}

static trace_value *named(base_site site, trace_value *v, const void *env)
{
    trace_value *y = NULL;
    if (!trace_do(site, name_body, env, sizeof(name_env), 1, &v, 1, &y)) return NULL;
    y->weak = v->weak;
    return y;
}

VAL2(tt_checkpoint_name, tt_val, v, const char *, name)
{
    trace_value *const x = trace_get(site, v);
    if (!x) return trace_poison;
    if (!name || !*name || strpbrk(name, ",()")) {
        base_fail(TT_EARG, site, "checkpoint_name: \"%s\" is no name", name ? name : "(null)");
        base_hint("a name has a letter, and no comma or parenthesis");
        return trace_poison;
    }
    const name_env env = { base_intern(name) };
    return api_handle(trace_leafwise(site, x, named, &env));
}
