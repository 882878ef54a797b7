/* driver/hosts.c - the machine that a program is planned for: which atoms of its mesh lead to other hosts, and over
 * which link.
 *
 * TUTTI=hosts:N divides the devices of a mesh, in the order of their numbers, among N hosts; without the word a job
 * counts the hosts that its ranks are on. TUTTI=link:10us+5GB/s is the link between hosts. */
#include "inner.h"

#include <stdlib.h>
#include <string.h>

#include "../wire/wire.h"

#define LATENCY 1e-5                                     /* of the link, where the word says nothing: 10us+12.5GB/s */
#define PER_BYTE 8e-11

static int64_t host_count(void)
{
    const char *const word = base_switch("hosts");
    return word ? atoll(word) : wire_now() ? wire_now()->hosts : 1;
}

const spmd_machine *driver_machine(base_arena *a, const mesh *m)
{
    const int64_t hosts = host_count();
    const char *const word = base_switch("link");
    if (!m || hosts < 2) return NULL;
    spmd_machine *const v = BASE_NEW(a, spmd_machine, 1);
    spmd_link *const link = BASE_NEW(a, spmd_link, 2);
    *v = spmd_in_process;
    link[0] = spmd_in_process.link[0];
    link[1] = (spmd_link){ LATENCY, PER_BYTE };
    if (word) base_link_read(word, &link[1].latency, &link[1].per_byte);
    v->nlink = 2;
    v->link = link;
    v->far = (mesh_set)(((1u << m->natom) - 1) & ~mesh_within(m, (mesh_size(m) + hosts - 1) / hosts));
    return v;
}

bool driver_hosts_divide(const mesh *m)
{
    const char *const word = base_switch("hosts");
    const int64_t size = m ? mesh_size(m) : 1, hosts = word ? atoll(word) : 1;
    if (!m || size % hosts == 0) return true;
    base_arena *const a = base_open();
    base_fail(TT_EMESH, NULL, "hosts:%lld for the %lld devices of the mesh %s; expected as many on each host",
              (long long)hosts, (long long)size, mesh_text(a, m));
    base_close(a);
    return base_hint("the devices of each mesh are divided among that many hosts, in the order of their numbers");
}

uint64_t driver_machine_key(void)
{
    const char *const hosts = base_switch("hosts"), *const link = base_switch("link");
    if (!hosts && !link) return 0;
    const uint64_t h = hosts ? base_hash(1, hosts, strlen(hosts)) : 0;
    return link ? base_hash(h, link, strlen(link)) : h;
}
