/* cuts.c - power cuts: a save's changes of the disk are noted, and after each of them the disk is built as it may
 * be then without what was not synced. What a save promised is there, and nothing is parts of two. Several at once,
 * too: two writers of one checkpoint, and two managers that save behind a third save.
 *
 * usage: ckpt_cuts [--stride N] [--seed N]. Three models: STRICT keeps of a folder the names, and of a file the bytes,
 * that were synced; NAMES keeps all names, but only synced bytes; DRAWN any state of each folder since it was synced,
 * and any part of the bytes. */
#include "check.h"

#include "attack/calls.h"

#include <pthread.h>
#include <tutti.h>

static char dir[64] = "/tmp/tutti-cuts-XXXXXX", root[100], copy[100];

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

/* ---- what was noted: a list of events, each of nodes that are numbered as they come ---- */

typedef struct { char what; int node, dir, to; char name[200], other[200]; uint8_t *p; size_t n; } event;
typedef struct { dev_t dev; ino_t ino; bool folder; } known;
enum { EVENTS = 1 << 16, NODES = 1 << 12 };
static event *events;
static known node[NODES];
static int nevent, nnode;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int node_of(const struct stat *st, bool fresh)    /* inodes are used again: the latest is meant */
{
    for (int i = nnode; i-- > 0 && !fresh;) if (node[i].ino == st->st_ino && node[i].dev == st->st_dev) return i;
    node[nnode] = (known){ st->st_dev, st->st_ino, S_ISDIR(st->st_mode) };
    return nnode++;
}

static int folder_of(const char *path, char *name)
{
    char above[400];
    struct stat st;
    const char *slash = strrchr(path, '/');
    snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
    snprintf(name, 200, "%s", slash + 1);
    return stat(above, &st) == 0 ? node_of(&st, false) : -1;
}

static void heard(const char *what, int fd, const char *path, const char *to, const void *p, size_t n)
{
    struct stat st;
    if (path && strncmp(path, root, strlen(root)) != 0) return;
    pthread_mutex_lock(&lock);
    event *e = &events[nevent];
    *e = (event){ .what = *what, .node = -1, .dir = -1, .to = -1 };
    if (path) e->dir = folder_of(path, e->name);
    if (to) e->to = folder_of(to, e->other);
    const bool seen = *what == 'm' ? stat(path, &st) == 0 : path || fstat(fd, &st) == 0;
    if (*what == 'm' && seen) e->node = node_of(&st, true);
    if (!path && seen) e->node = node_of(&st, false);
    if (n && (e->p = malloc(n))) memcpy(e->p, p, n), e->n = n;
    if (seen && nevent < EVENTS - 1) nevent++;
    pthread_mutex_unlock(&lock);
}

static void promised(int k)
{
    pthread_mutex_lock(&lock);
    events[nevent++] = (event){ .what = 'P', .node = k };
    pthread_mutex_unlock(&lock);
}

/* ---- a disk: of each node its bytes, or its names in all states since it was synced ---- */

typedef struct { char name[200]; int node; } entry;
typedef struct { int n; entry e[40]; } names;
typedef struct { uint8_t *p; size_t n, synced; int nstate; names *state; } thing;
static thing *disk;

static names *changed(int d)                             /* the state that comes after the present one */
{
    thing *t = &disk[d];
    t->state = realloc(t->state, (size_t)(t->nstate + 1) * sizeof *t->state);
    if (t->nstate) t->state[t->nstate] = t->state[t->nstate - 1];
    else t->state[0].n = 0;
    return &t->state[t->nstate++];
}

static int taken(names *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->e[i].name, name)) {
            const int was = s->e[i].node;
            s->e[i] = s->e[--s->n];
            return was;
        }
    return -1;
}

static void given(names *s, const char *name, int to)
{
    taken(s, name);
    if (to < 0 || s->n == 40) return;
    snprintf(s->e[s->n].name, sizeof s->e[0].name, "%s", name);
    s->e[s->n++].node = to;
}

static void apply(const event *e)
{
    thing *t = e->node >= 0 ? &disk[e->node] : NULL;
    if (e->what == 'm') given(changed(e->dir), e->name, e->node);
    else if (e->what == 'g') taken(changed(e->dir), e->name);
    else if (e->what == 'w') {
        t->p = realloc(t->p, t->n + e->n);
        memcpy(t->p + t->n, e->p, e->n);
        t->n += e->n;
    } else if (e->what == 's' && e->node >= 0 && e->name[0] == 0 && e->dir < 0) {
        t->synced = t->n;
        if (t->nstate > 1) t->state[0] = t->state[t->nstate - 1], t->nstate = 1;
        else if (!t->nstate && node[e->node].folder) changed(e->node);
    } else if (e->what == 'n' || e->what == 'e') {       /* in one folder: one change */
        names *s = changed(e->dir);
        const int a = taken(s, e->name);
        if (e->to != e->dir) s = changed(e->to);
        const int b = taken(s, e->other);
        given(s, e->other, a);
        if (e->what == 'e') given(&disk[e->dir].state[disk[e->dir].nstate - 1], e->name, b);
    }
}

typedef enum { STRICT, NAMES, DRAWN, MODELS } model;

/* state[0] is the one that was synced, where there was a sync; a folder that never was has none. */
static void build(int d, const char *path, model m, const bool *synced)
{
    const thing *t = &disk[d];
    syscall(SYS_mkdirat, AT_FDCWD, path, 0777);
    const int last = t->nstate - 1, first = synced[d] ? 0 : -1;
    const int pick = m == STRICT ? first : m == NAMES ? last : first + rand() % (last - first + 1);
    for (int i = 0; pick >= 0 && i < t->state[pick].n; i++) {
        const entry *x = &t->state[pick].e[i];
        char below[600];
        snprintf(below, sizeof below, "%s/%s", path, x->name);
        if (node[x->node].folder) {
            build(x->node, below, m, synced);
            continue;
        }
        const thing *f = &disk[x->node];
        const size_t n = m == DRAWN ? f->synced + (f->n > f->synced ? (size_t)rand() % (f->n - f->synced + 1) : 0)
                                    : f->synced;
        const int fd = (int)syscall(SYS_openat, AT_FDCWD, below, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd < 0 || (n && syscall(SYS_write, fd, f->p, n) != (ssize_t)n)) abort();
        syscall(SYS_close, fd);
    }
}

/* ---- the saves ---- */

static tt_val tree_of(int k)
{
    return tt_dict("w", tt_add(tt_zeros(TT_F32, 40, 8), tt_f((double)k)), "n", tt_f((double)k));
}

typedef enum { FOLDER, STEPS, BEHIND, TENSORS, ARCHIVE, WRITERS, BESIDE, STORE, STORES, KINDS } kind;
static const char *const what[KINDS] = { "folder", "steps", "behind", "x.safetensors", "x.npz", "writers", "beside",
                                         "store", "stores" };
static const struct { const char *name; bool steps; } three[] = { { "a", true }, { "b", true }, { "c.npz", false } };

typedef struct { const char *path; int k, writer; bool store, ok; } share;

static void *shared(void *env)                           /* what one of two writers does */
{
    share *s = env;
    const tt_scope scope = tt_scope_open();
    s->ok = tt_save(s->path, tree_of(s->k), .force = 1, .writer = s->writer, .writers = 2, .patience = 60,
                    .ocdbt = s->store);
    if (!s->ok) printf("writer %d: %s\n", s->writer, tt_error());
    tt_clear();
    tt_scope_close(scope);
    return NULL;
}

static bool by_two(const char *path, int k, bool store)
{
    share s[] = { { path, k, 0, store, false }, { path, k, 1, store, false } };
    pthread_t t;
    if (pthread_create(&t, NULL, shared, &s[1])) return false;
    shared(&s[0]);
    pthread_join(t, NULL);
    return s[0].ok && s[1].ok;
}

/* Two managers save behind, while this thread writes a third. */
static bool three_at_once(const char *folder, int k)
{
    char path[3][260];
    for (int i = 0; i < 3; i++) snprintf(path[i], sizeof path[i], "%s/%s", folder, three[i].name);
    const int fd = open(root, O_RDONLY);                 /* the folder around them is this program's own to sync */
    if ((mkdir(folder, 0777) && errno != EEXIST) || fsync(fd) || close(fd)) return false;
    const tt_manager a = tt_manager_open(path[0], .keep = 2, .background = 1),
                     b = tt_manager_open(path[1], .keep = 1, .background = 1);
    const bool begun = tt_manager_save(a, k, tree_of(k)) && tt_manager_save(b, k, tree_of(k));
    return begun && tt_save(path[2], tree_of(k), .force = 1) && tt_manager_wait(b) && tt_manager_wait(a);
}

static bool saved(kind w, int k)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, what[w]);
    if (w == WRITERS || w == STORES) return by_two(path, k, w == STORES);
    if (w == BESIDE) return three_at_once(path, k);
    if (w != STEPS && w != BEHIND) return tt_save(path, tree_of(k), .force = 1, .ocdbt = w == STORE);
    const tt_manager m = tt_manager_open(path, .keep = 2, .background = w == BEHIND);
    return tt_manager_save(m, k, tree_of(k)) && tt_manager_wait(m);
}

static int found_at(const char *path, bool steps)
{
    if (syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0) return 0;
    tt_val t;
    if (steps) {
        const tt_manager m = tt_manager_open(path);
        if (tt_manager_newest(m) < 0) return 0;
        t = tt_manager_load(m, tt_manager_newest(m));
    } else t = tt_load(path);
    if (!tt_ok()) return -1;
    const int k = (int)tt_num(tt_get(t, "n"));
    return tt_num(tt_amin(tt_get(t, "w"))) == k && tt_num(tt_amax(tt_get(t, "w"))) == k ? k : -1;
}

/* The k that is on the disk that was built; 0: none; -1: parts, or damage. Of several the least, if they are one save
 * apart at most. */
static int found(kind w)
{
    char path[200], part[260];
    int least = 0, most = 0;
    snprintf(path, sizeof path, "%s/%s", copy, what[w]);
    if (w != BESIDE) return found_at(path, w == STEPS || w == BEHIND);
    for (int i = 0; i < 3; i++) {
        snprintf(part, sizeof part, "%s/%s", path, three[i].name);
        const int k = found_at(part, three[i].steps);
        if (k < 0) return -1;
        if (!i || k < least) least = k;
        if (!i || k > most) most = k;
    }
    return most - least > 1 ? -1 : least;
}

/* The disk after the first n events, by a model. */
static int cut(kind w, int n, model m)
{
    static bool synced[NODES];
    char command[220];
    memset(synced, 0, sizeof synced);
    disk = calloc(NODES, sizeof *disk);
    changed(0), synced[0] = true;                        /* the root was there before */
    for (int i = 0; i < n; i++) {
        if (events[i].what == 'P') continue;
        apply(&events[i]);
        if (events[i].what == 's' && events[i].dir < 0 && events[i].node >= 0) synced[events[i].node] = true;
    }
    snprintf(command, sizeof command, "rm -rf %s", copy);
    CHECK(system(command) == 0, "%s", command);
    build(0, copy, m, synced);
    for (int i = 0; i < NODES; i++) free(disk[i].p), free(disk[i].state);
    free(disk);
    const tt_scope scope = tt_scope_open();
    const int k = found(w);
    tt_clear();
    tt_scope_close(scope);
    return k;
}

static void cuts(kind w, int stride)
{
    enum { SAVES = 4 };
    struct stat st;
    int disks = 0;
    nevent = nnode = 0;
    snprintf(root, sizeof root, "%s/%d", dir, (int)w);
    snprintf(copy, sizeof copy, "%s/disk", dir);
    syscall(SYS_mkdirat, AT_FDCWD, root, 0777);
    CHECK(stat(root, &st) == 0 && node_of(&st, true) == 0, "%s", root);
    calls_heard = heard;
    for (int k = 1; k <= SAVES; k++) {
        CHECK(saved(w, k), "%s", tt_error());
        promised(k);
    }
    calls_heard = NULL;
    for (int n = 1 + rand() % stride; n <= nevent; n += stride) {
        if (!check_turn((size_t)(n / stride))) continue;
        for (model m = 0; m < MODELS; m++, disks++) {
            int least = 0;
            for (int i = 0; i < n; i++) if (events[i].what == 'P') least = events[i].node;
            const int k = cut(w, n, m);
            CHECK(k >= least && k <= least + 1, "%s: after %d of %d changes, model %d: %d is there, %d was promised",
                  what[w], n, nevent, (int)m, k, least);
        }
    }
    for (int i = 0; i < nevent; i++) free(events[i].p);
    printf("%s: %d changes of the disk, %d disks\n", what[w], nevent, disks);
    CHECK_VOLUME(disks, "disks after a power cut");
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--stride N --seed N")) return check_done();
    char command[100];
    int stride = 4;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--stride")) stride = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--seed")) srand((unsigned)atoi(argv[i + 1]));
    }
    if (!check_folder(dir) || !(events = calloc(EVENTS, sizeof *events))) return 1;
    tt_on_error(silent, NULL);
    for (kind w = 0; w < KINDS; w++) cuts(w, stride);
    free(events);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    tt_done();
    return check_done();
}
