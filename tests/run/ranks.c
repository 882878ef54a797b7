/* tests/run/ranks.c - who holds which instances, and which atoms are near, against a search over all devices. */
#include "check.h"
#include "run/plan.h"
#include "run/ranks.h"

static uint32_t state = 5;
static int drawn(int n) { return state = state * 1664525u + 1013904223u, (int)((state >> 8) % (uint32_t)n); }

static const mesh *some_mesh(int64_t *size)
{
    static const char *const texts[] = { "a:2, b:2", "a:8", "a:2, b:4", "a:4, b:2", "a:2, b:2, c:2", "a:6",
                                         "a:2, b:3, c:2", "a:1, b:4" };
    const char *const text = texts[drawn(8)];
    const mesh *m = mesh_of(NULL, text);
    *size = mesh_size(m);
    if (drawn(2)) return m;
    int64_t ids[16];
    for (int i = 0; i < *size; i++) ids[i] = i;
    for (int i = (int)*size - 1; i; i--) {
        const int k = drawn(i + 1);
        const int64_t t = ids[i];
        ids[i] = ids[k], ids[k] = t;
    }
    return mesh_ordered(NULL, text, ids);
}

static int rank_at(const mesh *m, int64_t place, int64_t devices)
{
    return (int)((m->order ? m->order[place] : place) / devices);
}

static void holders(const mesh *m, int64_t size, mesh_set vary, int ranks, int64_t devices, int me)
{
    const run_ranks *r = NULL, *again = NULL;
    int bad = !run_ranks_of(m, vary, &r), n = 0;
    const mesh_set near = run_near(m);
    for (int64_t i = 0; i < r->all; i++)
        for (int k = 0; k < ranks; k++) {
            int has = 0, listed = 0;
            for (int64_t p = 0; p < size; p++) {
                uint32_t c[MESH_ATOMS];
                mesh_coord(m, p, c);
                has |= mesh_instance(m, vary, c) == i && rank_at(m, p, devices) == k;
            }
            for (int64_t h = r->holder_at[i]; h < r->holder_at[i + 1]; h++) listed += r->holder[h] == k;
            bad += listed != has;
            if (k == me) bad += r->here[i] != has || (has && (r->slot[i] < 0 || r->list[r->slot[i]] != i)), n += has;
            if (k == me && !has && mesh_set_size(m, near) == 1) bad += r->slot[i] != -1;
            const int from = run_sender(r, i, k, NULL);
            bad += from < 0 || from >= ranks || (has && r->holder_at[i + 1] - r->holder_at[i] == 1 && from != k);
        }
    CHECK(!bad && r->all == mesh_set_size(m, vary) && r->n == n, "%d wrong of %lld instances", bad, (long long)r->all);
    CHECK(run_ranks_of(m, vary, &again) && again == r, "kept");
}

static void near(const mesh *m, int64_t size, int64_t devices)
{
    const mesh_set got = run_near(m);
    mesh_set want = 0;
    for (int a = 0; a < m->natom; a++) {
        int same = 1;
        for (int64_t p = 0; p < size; p++) for (int64_t q = 0; q < size; q++) {
            uint32_t x[MESH_ATOMS] = { 0 }, y[MESH_ATOMS] = { 0 };
            mesh_coord(m, p, x);
            mesh_coord(m, q, y);
            y[a] = x[a];
            if (!memcmp(x, y, sizeof x)) same &= rank_at(m, p, devices) == rank_at(m, q, devices);
        }
        want |= (mesh_set)(same << a);
    }
    /* the devices of a rank are no box */
    for (int a = 0; mesh_set_size(m, want) != devices && a < m->natom; a++)
        if (m->atom[a] > 1) want &= (mesh_set)~(1u << a);
    CHECK(got == want, "%x, not %x", got, want);
}

int main(void)
{
    /* the table of classes belongs to one division of devices, so each division takes a mesh of its own order */
    for (int round = 0; round < 40; round++) {
        int64_t size;
        const mesh *m = some_mesh(&size);
        static const mesh *seen[40];
        int known = 0;
        for (int i = 0; i < round; i++) known |= seen[i] == m;
        seen[round] = m;
        if (known) continue;
        const int64_t devices = size % 2 == 0 && drawn(2) ? 2 : 1;
        const int ranks = (int)(size / devices), me = drawn(ranks);
        run_job_set((run_job_shape){ me, ranks, devices });
        near(m, size, devices);
        for (int k = 0; k < 4; k++) holders(m, size, (mesh_set)drawn(1 << m->natom), ranks, devices, me);
    }
    return check_done();
}
