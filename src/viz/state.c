/* viz/state.c - trees of a program's state as Flax and optax print them: FrozenDict, boxes, Adam's state, train states.
 *
 * A dict is FrozenDict({ ... }) with a line per entry; a record is its name and its fields; the state of an optimizer
 * is the tuple of its chain's parts. A leaf is printed as its logical axes or its shape. Fields that are functions
 * (apply_fn, tx) do not exist here and are not printed.
 */
#include <tutti.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { FILE *out; const tt_state_opts *o; const char *site; } printing;

static void put_shape(printing *p, tt_val v)
{
    const int rank = tt_rank_at(p->site, v);
    fprintf(p->out, "(");
    for (int d = 0; d < rank; d++) fprintf(p->out, "%s%lld", d ? ", " : "", (long long)tt_dim_at(p->site, v, d));
    fprintf(p->out, rank == 1 ? ",)" : ")");
}

/* "data+model, _" as (('data', 'model'), None), without the outer parentheses. */
static void put_names(printing *p, const char *axes)
{
    int n = 0;
    for (const char *at = axes; *at; n++) {
        at += strspn(at, " ");
        const size_t len = strcspn(at, ",");
        char word[256];
        snprintf(word, sizeof word, "%.*s", (int)len, at);
        for (size_t k = strlen(word); k && word[k - 1] == ' '; k--) word[k - 1] = 0;
        if (n) fprintf(p->out, ", ");
        if (!strcmp(word, "_")) fprintf(p->out, "None");
        else if (!strchr(word, '+')) fprintf(p->out, "'%s'", word);
        else {
            fprintf(p->out, "('");
            for (const char *c = word; *c; c++) {
                if (*c == '+') fprintf(p->out, "', '");
                else fprintf(p->out, "%c", *c);
            }
            fprintf(p->out, "')");
        }
        at += len + (at[len] == ',');
    }
    if (n == 1) fprintf(p->out, ",");
}

static void put_leaf(printing *p, tt_val v)
{
    const char *axes = tt_leaf_axes_at(p->site, v), *form = p->o->form ? p->o->form : "spec";
    const bool box = !strcmp(form, "box"), logical = !strcmp(form, "logical");
    const tt_logical_opts flax = { .size = sizeof flax };
    if (axes && p->o->rules) axes = tt_logical_spec_at(p->site, axes, p->o->rules, &flax);
    if (!tt_ok()) return;
    if (!strcmp(form, "spec") || !strcmp(form, "names")) {
        fprintf(p->out, *form == 's' ? "PartitionSpec(" : "(");
        if (axes) put_names(p, axes);
        fprintf(p->out, ")");
        return;
    }
    if ((box || logical) && axes) fprintf(p->out, logical ? "LogicallyPartitioned(value=" : "Partitioned(value=");
    put_shape(p, v);
    if (!(box || logical) || !axes) return;
    fprintf(p->out, ", names=(");
    put_names(p, axes);
    fprintf(p->out, logical ? "), mesh=None, rules=None)" : "), mesh=None)");
}

static void put_tree(printing *p, tt_val v, int depth, bool frozen);

/* optax's state of scale_by_adam, and of parts without a state. */
static void put_optimizer(printing *p, tt_val v, const char *chain)
{
    int n = 0;
    fprintf(p->out, "(");
    for (const char *at = chain; *at; n++) {
        at += strspn(at, " ;");
        const size_t len = strcspn(at, ";");
        const bool adam = !strncmp(at, "scale_by_adam(", 14), trace = !strncmp(at, "trace(", 6);
        if (n) fprintf(p->out, ", ");
        fprintf(p->out, adam ? "ScaleByAdamState(count=" : trace ? "TraceState(trace=" : "EmptyState()");
        if (adam) {
            put_leaf(p, tt_get_at(p->site, v, "count"));
            fprintf(p->out, ", mu=");
            put_tree(p, tt_get_at(p->site, v, "mu"), 0, false);
            fprintf(p->out, ", nu=");
            put_tree(p, tt_get_at(p->site, v, "nu"), 0, false);
        } else if (trace) put_tree(p, tt_get_at(p->site, v, "trace"), 0, false);
        if (adam || trace) fprintf(p->out, ")");
        at += len;
    }
    fprintf(p->out, n == 1 ? ",)" : ")");
}

static void put_tree(printing *p, tt_val v, int depth, bool inside)
{
    const char *tag = tt_rank_at(p->site, v) < 0 ? tt_tag_at(p->site, v) : NULL;
    const int n = tt_rank_at(p->site, v) < 0 ? tt_items_at(p->site, v) : 0;
    if (tt_rank_at(p->site, v) >= 0) put_leaf(p, v);
    else if (tag && strchr(tag, '(')) put_optimizer(p, v, tag);
    else if (n && !tt_name_at(p->site, v, 0)) {
        fprintf(p->out, "(");
        for (int i = 0; i < n; i++) fprintf(p->out, i ? ", " : ""), put_tree(p, tt_item_at(p->site, v, i), 0, false);
        fprintf(p->out, n == 1 ? ",)" : ")");
    } else if (tag && strcmp(tag, "keras")) {            /* a record */
        fprintf(p->out, "%s(", tag);
        for (int i = 0; i < n; i++) {
            fprintf(p->out, "%s%s=", i ? ", " : "", tt_name_at(p->site, v, i));
            put_tree(p, tt_item_at(p->site, v, i), 0, false);
        }
        fprintf(p->out, ")");
    } else {
        fprintf(p->out, inside ? "{\n" : "FrozenDict({\n");
        for (int i = 0; i < n && tt_ok(); i++) {
            fprintf(p->out, "%*s%s: ", 4 * (depth + 1), "", tt_name_at(p->site, v, i));
            put_tree(p, tt_item_at(p->site, v, i), depth + 1, true);
            fprintf(p->out, ",\n");
        }
        fprintf(p->out, inside ? "%*s}" : "%*s})", 4 * depth, "");
    }
}

const char *tt_state_text_at(const char *site, tt_val v, const tt_state_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_state_opts, site, "state_text", o)) return "";
    static _Thread_local int at;
    static const char *const kinds[] = { "state 1", "state 2", "state 3", "state 4" };
    static const char *const forms[] = { "spec", "names", "box", "logical", "shape" };
    char *made = NULL;
    size_t bytes = 0;
    int f = 0;
    while (o->form && f < 5 && strcmp(o->form, forms[f])) f++;
    if (f == 5) {
        tt_fail_at(site, TT_EARG, "state_text: no form \"%s\"", o->form);
        tt_hint_choices("the forms are", o->form, -1, "spec, names, box, logical, shape");
        return "";
    }
    printing p = { tt_open_memstream(&made, &bytes), o, site };
    if (p.out && tt_ok()) put_tree(&p, v, 0, false);
    if ((!p.out || fclose(p.out)) && tt_ok()) tt_fail_at(site, TT_EMEM, "state_text: out of memory");
    at = (at + 1) % 4;
    const char *text = tt_ok() ? tt_keep_latest(kinds[at], made, bytes + 1) : NULL;
    free(made);
    return text ? text : "";
}
