/* trace/call/devices.c - the number of devices: as many as are requested. */
#include "../trace.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static _Atomic int64_t largest;

void trace_mesh_seen(const mesh *m)
{
    int64_t n = mesh_size(m), seen = atomic_load(&largest);
    while (n > seen && !atomic_compare_exchange_weak(&largest, &seen, n)) ;
}

int64_t trace_mesh_largest(void) { return atomic_load(&largest); }

int64_t trace_device_count(void)
{
    if (run_engine_now()) return run_engine_devices(run_engine_now());
    const char *s = base_switch("devices");
    const int64_t seen = atomic_load(&largest);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const run_job_shape job = run_job_now();
    if (run_job_real() || (job.ranks > 1 && job.devices > 0)) return job.ranks * run_job_devices();
    return s ? atol(s) : seen ? seen : cores > job.ranks ? cores : job.ranks;
}
