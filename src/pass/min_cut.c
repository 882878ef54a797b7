/* pass/min_cut.c - the cheapest set of values to store so that other values can be computed from them: a minimum node
 * cut.
 *
 * Nodes have prices; an arc leads from an operand to the result computed from it. The algorithm is maximum flow by
 * shortest augmenting paths (Edmonds-Karp), one path at a time: there are few different prices and few sinks. Of
 * equally cheap cuts, the one nearest to the sinks is taken. */
#include "inner.h"

typedef struct { uint32_t to, next; int64_t cap; } arc;          /* reverse of arc k: k ^ 1 */
struct pass_graph { base_arena *a; uint32_t n, narc, cap, *head; arc *at; };

enum { BEGIN, END, NODES };                              /* node i is split into front 2i + 2 and back 2i + 3 */
static uint32_t front(uint32_t i) { return NODES + 2 * i; }
static uint32_t back(uint32_t i) { return NODES + 2 * i + 1; }

static void min_cut_one_way(pass_graph *g, uint32_t from, uint32_t to, int64_t capacity)
{
    if (g->narc == g->cap) {
        arc *grown = BASE_NEW(g->a, arc, 2 * g->cap + 64);
        for (uint32_t k = 0; k < g->narc; k++) grown[k] = g->at[k];
        g->at = grown;
        g->cap = 2 * g->cap + 64;
    }
    g->at[g->narc] = (arc){ to, g->head[from], capacity };
    g->head[from] = ++g->narc;                           /* index + 1 */
}

static void both_ways(pass_graph *g, uint32_t from, uint32_t to, int64_t capacity)
{
    min_cut_one_way(g, from, to, capacity);
    min_cut_one_way(g, to, from, 0);
}

pass_graph *pass_graph_new(base_arena *a, uint32_t n, const int64_t *price)
{
    pass_graph *g = BASE_NEW(a, pass_graph, 1);
    *g = (pass_graph){ .a = a, .n = NODES + 2 * n, .head = BASE_NEW(a, uint32_t, NODES + 2 * n) };
    for (uint32_t i = 0; i < n; i++) both_ways(g, front(i), back(i), price[i]);
    return g;
}

void pass_graph_arc(pass_graph *g, uint32_t from, uint32_t to) { both_ways(g, back(from), front(to), PASS_DEAR); }
void pass_graph_begins(pass_graph *g, uint32_t i) { both_ways(g, BEGIN, front(i), PASS_DEAR); }
void pass_graph_ends(pass_graph *g, uint32_t i) { both_ways(g, back(i), END, PASS_DEAR); }

/* True if an augmenting path from BEGIN to END exists. by[v]: 1 + the arc with capacity left through which v is
 * reached; 0: not reached. */
static bool path(const pass_graph *g, uint32_t *by, uint32_t *queue)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < g->n; v++) by[v] = 0;
    queue[n++] = BEGIN;
    for (uint32_t q = 0; q < n && !by[END]; q++)
        for (uint32_t k = g->head[queue[q]]; k; k = g->at[k - 1].next) {
            const arc *x = &g->at[k - 1];
            if (!x->cap || by[x->to] || x->to == BEGIN) continue;
            by[x->to] = k;
            queue[n++] = x->to;
        }
    return by[END] != 0;
}

/* Fills reach[v]: true if END can be reached from v over arcs with capacity left. */
static void backwards(const pass_graph *g, bool *reach, uint32_t *queue)
{
    uint32_t n = 0;
    reach[END] = true;
    queue[n++] = END;
    for (uint32_t q = 0; q < n; q++)
        for (uint32_t k = g->head[queue[q]]; k; k = g->at[k - 1].next) {
            const uint32_t from = g->at[k - 1].to;
            if (reach[from] || !g->at[(k - 1) ^ 1].cap) continue;
            reach[from] = true;
            queue[n++] = from;
        }
}

int64_t pass_graph_min_cut(pass_graph *g, bool *kept)
{
    uint32_t *by = BASE_NEW(g->a, uint32_t, g->n), *queue = BASE_NEW(g->a, uint32_t, g->n + 1);
    bool *reach = BASE_NEW(g->a, bool, g->n);
    int64_t sum = 0;
    while (path(g, by, queue)) {
        int64_t least = PASS_DEAR;
        for (uint32_t v = END; v != BEGIN; v = g->at[(by[v] - 1) ^ 1].to)
            if (g->at[by[v] - 1].cap < least) least = g->at[by[v] - 1].cap;
        for (uint32_t v = END; v != BEGIN; v = g->at[(by[v] - 1) ^ 1].to) {
            g->at[by[v] - 1].cap -= least;
            g->at[(by[v] - 1) ^ 1].cap += least;
        }
        if (least == PASS_DEAR) return -1;               /* a path without a price */
        sum += least;
    }
    backwards(g, reach, queue);
    for (uint32_t i = 0; 2 * i + NODES < g->n; i++) kept[i] = reach[back(i)] && !reach[front(i)];
    return sum;
}
