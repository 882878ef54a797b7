/* viz/pretty.c - trees as Python's pprint prints them: on one line if 80 columns suffice, else one item per line. Names
 * of dicts are printed in quotes, records as named tuples, which pprint never breaks, and a sharded leaf as Flax's box
 * of the leaf's shape and names. */
#include <tutti.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80 };
typedef struct { char *s; size_t n, cap; bool failed; } text;
typedef enum { ATOM, TUPLE, DICT, CLASS, BOX } kind;     /* CLASS: unbroken; BOX: a line per field if necessary */
typedef struct node {
    kind kind;
    char *word;                                          /* an atom's text; the name of a class */
    int n;
    struct node *child;
    char **key;                                          /* [n], for DICT, CLASS and BOX */
} node;

__attribute__((format(printf, 2, 3)))
static void pretty_printf(text *t, const char *fmt, ...)
{
    va_list v, w;
    va_start(v, fmt);
    va_copy(w, v);
    const int n = vsnprintf(NULL, 0, fmt, v);
    va_end(v);
    if (t->n + (size_t)n + 1 > t->cap) {
        char *more = realloc(t->s, 2 * (t->n + (size_t)n + 64));
        t->failed |= !more;
        if (more) t->s = more, t->cap = 2 * (t->n + (size_t)n + 64);
    }
    if (!t->failed) t->n += (size_t)vsnprintf(t->s + t->n, t->cap - t->n, fmt, w);
    va_end(w);
}

/* ---- the nodes of a tree ---- */

static char *copy(const char *s)
{
    char *c = malloc(strlen(s) + 1);
    return c ? strcpy(c, s) : NULL;
}

static void free_node(node *k)
{
    for (int i = 0; i < k->n; i++) {
        free_node(&k->child[i]);
        if (k->key) free(k->key[i]);
    }
    free(k->child);
    free(k->key);
    free(k->word);
}

static bool alloc_children(node *k, kind what, int n, bool keys)
{
    k->kind = what;
    k->child = calloc((size_t)n + 1, sizeof *k->child);
    k->key = keys ? calloc((size_t)n + 1, sizeof *k->key) : NULL;
    k->n = k->child && (k->key || !keys) ? n : 0;
    return k->child && (k->key || !keys);
}

static void shape_text(tt_val v, text *t)                /* (), (512,), (784, 512) */
{
    const int rank = tt_rank_at(NULL, v);
    pretty_printf(t, "(");
    for (int d = 0; d < rank; d++) pretty_printf(t, "%s%lld", d ? ", " : "", (long long)tt_dim_at(NULL, v, d));
    pretty_printf(t, rank == 1 ? ",)" : ")");
}

/* A leaf's axes "data, a+b" as 'data', ('a', 'b'), without parentheses; dims without an axis are None. */
static void names_text(tt_val v, text *t)
{
    const char *p = tt_leaf_axes_at(NULL, v);
    const int rank = tt_rank_at(NULL, v);
    for (int d = 0; d < rank; d++) {
        const size_t n = p ? strcspn(p, ",") : 0;
        const bool none = !n || (p[0] == '_' && strspn(p + 1, " ") + 1 >= n), joined = !none && memchr(p, '+', n);
        pretty_printf(t, d ? ", " : "");
        if (none) pretty_printf(t, "None");
        for (const char *q = p, *end = p + n; !none && q < end;) {
            const size_t len = strcspn(q, "+, ");
            pretty_printf(t, "%s'%.*s'", !joined ? "" : q == p ? "(" : ", ", (int)len, q);
            q += len;
            q += strspn(q, "+ ");
        }
        if (joined) pretty_printf(t, ")");
        if (p) p += n + (p[n] == ',');
        if (p) p += strspn(p, " ");
    }
    if (rank == 1) pretty_printf(t, ",");
}

/* The text of a leaf in one form. */
static void leaf_text(tt_val v, const char *word, text *t)
{
    if (!strcmp(word, "shape")) shape_text(v, t);
    else if (!strcmp(word, "spec")) {
        pretty_printf(t, "PartitionSpec(");
        if (tt_leaf_axes_at(NULL, v)) names_text(v, t);
        pretty_printf(t, ")");
    } else {                                             /* sharding; later versions print a memory kind */
        const char *s = tt_text(v, "sharding short"), *kind = strstr(s, ", memory_kind=");
        pretty_printf(t, "%.*s%s", kind ? (int)(kind - s) : (int)strlen(s), s, kind ? ")" : "");
    }
}

static bool atom_of(node *k, tt_val v, const char *word)
{
    text t = { 0 };
    k->kind = ATOM;
    leaf_text(v, word, &t);
    k->word = t.s;
    return t.s && !t.failed;
}

/* Partitioned(value=(784, 512), names=('data', None), mesh=None) */
static bool box_of(node *k, tt_val v)
{
    text names = { 0 };
    pretty_printf(&names, "(");
    names_text(v, &names);
    pretty_printf(&names, ")");
    if (!alloc_children(k, BOX, 3, true)) return free(names.s), false;
    k->word = copy("Partitioned");
    k->key[0] = copy("value"), k->key[1] = copy("names"), k->key[2] = copy("mesh");
    k->child[1].word = names.s;
    k->child[2].word = copy("None");
    return atom_of(&k->child[0], v, "shape");
}

static bool leaf_of(node *k, tt_val v, const char *words)
{
    int n = 1;
    char word[32];
    if (!strcmp(words, "box")) return tt_leaf_axes_at(NULL, v) ? box_of(k, v) : atom_of(k, v, "shape");
    for (const char *p = words; *p; p++) n += *p == ',';
    if (n == 1) return atom_of(k, v, words);
    if (!alloc_children(k, TUPLE, n, false)) return false;
    for (int i = 0; i < n; i++) {
        const size_t len = strcspn(words, ", ");
        snprintf(word, sizeof word, "%.*s", (int)len, words);
        if (!atom_of(&k->child[i], v, word)) return false;
        words += len;
        words += strspn(words, ", ");
    }
    return true;
}

static bool pretty_node_of(node *k, tt_val v, const char *words)
{
    const int n = tt_items_at(NULL, v);
    const char *class = tt_tag_at(NULL, v);
    if (tt_rank_at(NULL, v) >= 0) return leaf_of(k, v, words);
    const bool named = n && tt_name_at(NULL, v, 0), record = named && class && !strchr(class, '(');
    if (!alloc_children(k, !named ? TUPLE : record ? CLASS : DICT, n, named)) return false;
    if (record && !(k->word = copy(class))) return false;
    for (int i = 0; i < n; i++) {
        if (named && !(k->key[i] = copy(tt_name_at(NULL, v, i)))) return false;
        if (!pretty_node_of(&k->child[i], tt_item(v, i), words)) return false;
    }
    return tt_ok();
}

/* ---- on one line ---- */

static void pretty_node(const node *k, text *t)
{
    if (k->kind == ATOM) {
        pretty_printf(t, "%s", k->word ? k->word : "");
        return;
    }
    pretty_printf(t, k->kind == DICT ? "{" : k->kind == TUPLE ? "(" : "%s(", k->word);
    for (int i = 0; i < k->n; i++) {
        pretty_printf(t, i ? ", " : "");
        if (k->kind == DICT) pretty_printf(t, "'%s': ", k->key[i]);
        else if (k->kind != TUPLE) pretty_printf(t, "%s=", k->key[i]);
        pretty_node(&k->child[i], t);
    }
    pretty_printf(t, k->kind == DICT ? "}" : k->kind == TUPLE && k->n == 1 ? ",)" : ")");
}

/* ---- on several lines: follows pprint.PrettyPrinter method by method ---- */

static void broken(const node *k, text *t, int indent, int allowance)
{
    text one = { 0 };
    pretty_node(k, &one);
    const bool fits = (int)one.n <= WIDTH - indent - allowance || k->kind == ATOM || k->kind == CLASS;
    if (fits) pretty_printf(t, "%s", one.s ? one.s : "");
    t->failed |= one.failed;
    free(one.s);
    if (fits) return;
    const int head = k->kind == BOX ? (int)strlen(k->word) + 1 : 1, tail = k->kind == TUPLE && k->n == 1 ? 2 : 1;
    const int last = k->kind == BOX ? allowance : allowance + tail;
    pretty_printf(t, k->kind == DICT ? "{" : k->kind == TUPLE ? "(" : "%s(", k->word);
    for (int i = 0; i < k->n; i++) {
        int in = indent + head;
        if (i) pretty_printf(t, ",\n%*s", in, "");
        if (k->kind == DICT) pretty_printf(t, "'%s': ", k->key[i]), in += (int)strlen(k->key[i]) + 4;
        else if (k->kind == BOX) pretty_printf(t, "%s=", k->key[i]), in += (int)strlen(k->key[i]) + 1;
        broken(&k->child[i], t, in, i == k->n - 1 ? last : 1);
    }
    pretty_printf(t, k->kind == DICT ? "}" : tail == 2 ? ",)" : ")");
}

/* True if the words, as in "shape" or "shape, sharding", are forms of a leaf; else sets the error. */
static bool forms_known(const char *site, const char *words)
{
    char word[32];
    if (!strcmp(words, "box")) return true;
    for (const char *p = words;; p += strspn(p, " ")) {
        const size_t n = strcspn(p, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, p);
        if (strcmp(word, "shape") && strcmp(word, "spec") && strcmp(word, "sharding")) {
            tt_fail_at(site, TT_EARG, "pprint: no property \"%s\" of a leaf", word);
            tt_hint_choices("the words are", word, -1, "shape, spec, sharding, box");
            return false;
        }
        p += n;
        if (!*p++) return true;
    }
}

bool tt_pprint_at(const char *site, tt_val tree, const char *leaf)
{
    TT_ENTRY(site);
    node root = { 0 };
    text t = { 0 };
    if (!leaf) leaf = "shape";
    bool ok = tt_items_at(site, tree) >= 0 && tt_ok() && forms_known(site, leaf) && pretty_node_of(&root, tree, leaf);
    if (ok) broken(&root, &t, 0, 0);
    ok = ok && !t.failed;
    for (char *p = t.s, *end; ok && p && *p; p = end) {
        const size_t n = strcspn(p, "\n");
        end = p + n + (p[n] == '\n');
        tt_print("%.*s", (int)n, p);
    }
    if (!ok && tt_ok()) tt_fail_at(site, TT_EMEM, "pprint: out of memory");
    free_node(&root);
    free(t.s);
    return ok;
}
