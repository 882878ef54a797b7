/* hlo/text/hint.c - hints to compilers in a text: precision, accuracy of results, a product's algorithm, names of
 * composites.
 *
 * Malformed hints are errors at their position. A product keeps its precision (hlo_precision); the other hints have no
 * effect. Records are read from their text: "key = value" between angle brackets. */
#include "../inner.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool field(hlo_span t, const char *key, char *to, size_t capacity) /* copies the value of a key; false: absent */
{
    const size_t n = strlen(key);
    *to = 0;
    for (size_t i = 0; i + n < t.n; i++) {
        if (strncmp(t.at + i, key, n) || (i && (isalnum((unsigned char)t.at[i - 1]) || t.at[i - 1] == '_'))) continue;
        const char *p = t.at + i + n, *const end = t.at + t.n;
        while (p < end && isspace((unsigned char)*p)) p++;
        if (p == end || *p != '=') continue;
        for (p++; p < end && isspace((unsigned char)*p);) p++;
        size_t k = 0;
        while (p < end && !strchr(",>", *p) && !isspace((unsigned char)*p) && k + 1 < capacity) to[k++] = *p++;
        to[k] = 0;
        return true;
    }
    return false;
}

static bool accurate(hlo_reader *r, const hlo_op *o, const hlo_attr *a)
{
    static const char *const keys[] = { "atol", "rtol", "ulps" };
    char word[80];
    const bool tolerates = field(a->text, "mode", word, sizeof word) && strstr(word, "TOLERANCE");
    for (int i = 0; i < 3 && !tolerates; i++)
        if (field(a->text, keys[i], word, sizeof word) && base_strtod(word, NULL) != 0)
            return hlo_fail(r->p, a->text.at, TT_EARG, "%.*s: tolerances have no effect in another mode than TOLERANCE",
                            HLO_SPAN(o->name));
    return true;
}

static bool precise(hlo_reader *r, const hlo_op *o, const hlo_attr *a, bool *usual)
{
    bool good = a->form == HLO_ARRAY && a->item.n <= 2;
    *usual = true;
    for (int i = 0; good && i < a->item.n; i++) {
        const hlo_attr *const e = &a->item.v[i];
        good = e->form == HLO_WORD && (hlo_is(e->text, "DEFAULT") || hlo_is(e->text, "HIGH") ||
                                       hlo_is(e->text, "HIGHEST"));
        *usual &= hlo_is(e->text, "DEFAULT");
    }
    return good || hlo_fail(r->p, a->text.at, TT_EARG, "%.*s: a precision is one or two of DEFAULT HIGH HIGHEST",
                            HLO_SPAN(o->name));
}

static bool one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list)) list++;
    return *list != NULL;
}

/* True if the algorithm of a product is a known one: products of floats, as 1, 3, 6 or 9 products of parts; imprecise
 * accumulation is valid only with operands of 8 bits. */
static bool known(const hlo_attr *a)
{
    static const char *const types[] = { "lhs_precision_type", "rhs_precision_type", "accumulation_type" };
    static const char *const floats[] = { "f16", "bf16", "tf32", "f32", "f64", NULL }, *const one[] = { "1", NULL };
    static const char *const times[] = { "1", "3", "6", "9", NULL };
    char word[80];
    bool eight = false;
    for (int i = 0; i < 3; i++) {
        if (!field(a->text, types[i], word, sizeof word)) return false;
        eight |= !strncmp(word, "f8", 2);
        if (strncmp(word, "f8", 2) && !one_of(word, floats)) return false;
    }
    if (!field(a->text, "lhs_component_count", word, sizeof word) || !one_of(word, one)) return false;
    if (!field(a->text, "rhs_component_count", word, sizeof word) || !one_of(word, one)) return false;
    if (!field(a->text, "num_primitive_operations", word, sizeof word) || !one_of(word, times)) return false;
    return eight || !field(a->text, "allow_imprecise_accumulation", word, sizeof word) || strcmp(word, "true");
}

static bool namespaced(hlo_span s)                       /* True if s is two or more words with points between them */
{
    int points = 0;
    if (!s.n || !(isalpha((unsigned char)*s.at) || *s.at == '_') || s.at[s.n - 1] == '.') return false;
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.at[i];
        if (c == '.' && s.at[i - 1] == '.') return false;
        if (c != '.' && !isalnum((unsigned char)c) && !strchr("_$-", c)) return false;
        points += c == '.';
    }
    return points > 0;
}

static const hlo_attr *precision_of(const hlo_op *o)
{
    const hlo_attr *const a = hlo_find(&o->attr, "precision_config");
    return a ? a : hlo_find(&o->attr, "precision");
}

/* Precision of an algorithm: OP_HIGHEST if its products are of f32 or f64, or of as many parts as an f32 has. */
static int64_t by_algorithm(const hlo_attr *a)
{
    char type[80], times[80];
    field(a->text, "lhs_precision_type", type, sizeof type);
    field(a->text, "num_primitive_operations", times, sizeof times);
    if (!strcmp(type, "f32") || !strcmp(type, "f64") || !strcmp(times, "9")) return OP_HIGHEST;
    return !strcmp(type, "tf32") || strcmp(times, "1") ? OP_HIGH : OP_DEFAULT;
}

int64_t hlo_precision(const hlo_op *o)
{
    const hlo_attr *const a = precision_of(o), *const algorithm = hlo_find(&o->attr, "algorithm");
    int64_t most = algorithm && algorithm->form == HLO_OPAQUE ? by_algorithm(algorithm) : OP_DEFAULT;
    for (int i = 0; a && i < a->item.n; i++) {
        const int64_t one = hlo_is(a->item.v[i].text, "HIGHEST") ? OP_HIGHEST
                          : hlo_is(a->item.v[i].text, "HIGH") ? OP_HIGH : OP_DEFAULT;
        if (one > most) most = one;
    }
    return most;
}

bool hlo_hints(hlo_reader *r, const hlo_op *o)
{
    const hlo_attr *const accuracy = hlo_find(&o->attr, "result_accuracy"), *name = hlo_find(&o->attr, "name");
    const hlo_attr *const precision = precision_of(o);
    const bool product = hlo_is(o->name, "stablehlo.dot_general");
    const hlo_attr *const algorithm = product ? hlo_find(&o->attr, "algorithm") : NULL;
    bool usual = true;
    if (accuracy && accuracy->form == HLO_OPAQUE && !accurate(r, o, accuracy)) return false;
    if (precision && !precise(r, o, precision, &usual)) return false;
    if (algorithm && algorithm->form == HLO_OPAQUE && (!usual || !known(algorithm)))
        return hlo_fail(r->p, algorithm->text.at, TT_EARG, usual ? "%.*s: there is no such algorithm"
                        : "%.*s: of an algorithm the precision is DEFAULT", HLO_SPAN(o->name));
    if (hlo_is(o->name, "stablehlo.composite") && name && !namespaced(name->text))
        return hlo_fail(r->p, name->text.at, TT_EARG,
                        "a composite's name is words with points between them: my.softmax");
    return true;
}
