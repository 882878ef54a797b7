/* ckpt/format/dry.c - saves and loads under TUTTI=dry, where arrays have no memory. A save writes no file but records
 * the types that it would write, and a load of that path finds them. Used by tutti explain and tutti plan, on meshes
 * that need not exist. */
#include "../ckpt.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ckpt *saved[64];                                  /* never freed; under the lock */
static int nsaved;

static bool dry_zeros(const ckpt *c, const ckpt_leaf *l, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    (void)c, (void)lo, (void)e;
    memset(to, 0, (size_t)ckpt_box_bytes(l->array.dtype, l->array.rank, n));
    return true;
}

bool ckpt_dry(void) { return tt_config_value("dry") != NULL; }

static bool remembered(ckpt *c, const ckpt_plan *p, const char *path, ckpt_err *e)
{
    c->format = &ckpt_orbax;
    c->read = dry_zeros;
    c->path = ckpt_text("%s", path);
    c->tree = json_incref(p->tree);
    for (int i = 0; i < p->n; i++) {
        const ckpt_out *o = &p->out[i];
        ckpt_leaf *l = ckpt_leaf_add(c, e);
        if (!l || !ckpt_leaf_path(l, o->nkey, o->key, e)) return false;
        if (o->empty) {
            l->what = CKPT_EMPTY;
            continue;
        }
        ckpt_leaf_array(l, o->dtype, o->rank, o->dim);
        l->axes = o->axes ? ckpt_text("%s", o->axes) : NULL;
        l->frozen = o->frozen;
        l->mesh = o->mesh ? ckpt_text("%s", o->mesh) : NULL;
        l->spec = o->spec ? ckpt_text("%s", o->spec) : NULL;
    }
    return c->path != NULL && ckpt_index(c, e);
}

bool ckpt_dry_save(const char *path, tt_val tree, ckpt_err *e)
{
    ckpt_plan p;
    ckpt *c = calloc(1, sizeof *c);
    bool ok = ckpt_plan_of(&p, tree, e) && c && remembered(c, &p, path, e);
    ckpt_plan_free(&p);
    pthread_mutex_lock(&lock);
    const bool kept = ok && nsaved < (int)(sizeof saved / sizeof *saved);
    if (kept) saved[nsaved++] = c;
    pthread_mutex_unlock(&lock);
    if (kept) return true;
    if (c) ckpt_close(c);
    free(c);
    return ok || ckpt_fail(e, TT_EMEM, "out of memory");
}

const ckpt *ckpt_dry_saved(const char *path)
{
    const ckpt *found = NULL;
    if (!ckpt_dry()) return NULL;
    pthread_mutex_lock(&lock);
    for (int i = nsaved; i-- > 0 && !found;) if (!strcmp(saved[i]->path, path)) found = saved[i];
    pthread_mutex_unlock(&lock);
    return found;
}
