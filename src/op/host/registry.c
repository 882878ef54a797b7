/* op/host/registry.c - functions of C by name: targets of tt_ffi_call and of StableHLO's custom_call. A name stays what
 * it is: programs that were read with it keep the function. */
#include "../build.h"

#include <pthread.h>

typedef struct target { struct target *next; op_host_attr attr; } target;
static target *targets;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static target *registry_find(base_name name)
{
    target *t = targets;
    while (t && t->attr.name != name) t = t->next;
    return t;
}

bool op_host_target(base_name name, op_host_attr *to)
{
    pthread_mutex_lock(&lock);
    const target *const t = registry_find(name);
    if (t) *to = t->attr;
    pthread_mutex_unlock(&lock);
    return t != NULL;
}

bool op_host_register(base_site site, const op_host_attr *attr)
{
    target *const fresh = base_heap(sizeof *fresh);
    if (!fresh) return false;
    *fresh = (target){ NULL, *attr };
    pthread_mutex_lock(&lock);
    const target *const had = registry_find(attr->name);
    const bool same = had && had->attr.user == attr->user && had->attr.env == attr->env;
    if (!had) fresh->next = targets, targets = fresh;
    pthread_mutex_unlock(&lock);
    if (had) base_heap_free(fresh);
    return !had || same || base_fail(TT_EARG, site, "the target \"%s\" is registered already, as another function",
                                     attr->name);
}
