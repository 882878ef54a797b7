/* tutti/engine.h - where arrays live and programs run: in this process, or on the devices of a PJRT library.
 *
 * The embedded engine computes on this machine's cores. PJRT is OpenXLA's interface to devices: GPUs, TPUs and others
 * have a library (a plug-in of JAX) that compiles StableHLO for its devices. Tutti finds those that are installed for
 * Python: pip install "jax-cuda13-pjrt" or "xla-cpu-pjrt" installs one; no Python is run. The program is the same:
 *
 *     TUTTI=pjrt:cuda ./train                              // or tt_engine("pjrt:cuda") before the first value
 *
 * There a function's text is partitioned and compiled by XLA; the layouts of its arguments and results are those that
 * the embedded engine chooses. Sums are in XLA's order, so results agree within rounding and not in bits; random bits
 * are the same. Values stay on the devices until they are read. A call returns when its work is in the devices' queues;
 * tt_wait, or reading, waits for it. Differences: docs/design/pjrt.md. */
#include <tutti.h>
#ifndef TUTTI_ENGINE_H
#define TUTTI_ENGINE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The engine on which values are made and functions run from here on, in all threads:
 *
 *     tt_engine("pjrt:cuda, else cpu");
 *
 * - "pjrt:NAME": the library whose name contains NAME, among Python's packages and PJRT_NAMES_AND_LIBRARY_PATHS;
 *   "pjrt:/PATH.so": this file; "pjrt": the first that is found. `tutti doctor` lists them.
 * - "cpu": the embedded engine.
 * - ", else cpu" uses the embedded engine if the library cannot be opened, and prints a line.
 *
 * TUTTI=pjrt:NAME (and TUTTI=pjrt:NAME,else-cpu) says the same for a whole program. Arrays stay where they are:
 * functions take arrays of the engine in force, C numbers are sent to the engine of the call, and tt_shard moves an
 * array there. A library of virtual devices (a CPU) creates 8, or TUTTI=devices:N.
 * False with the error set (TT_EENGINE): no such library, no plug-in of PJRT, another version, no device. Then each
 * later call that makes a value is an error, until an engine is in force. */
#define tt_engine(text)      tt_engine_at(TT_AT("tt_engine(" #text ")"), text)
TT_API bool tt_engine_at(const char *site, const char *text);
/* The devices of the engine in force, one a line: "cuda:0 NVIDIA H100 80GB HBM3"; as jax.devices()
 *     puts(tt_devices()); */
TT_API const char *tt_devices(void);
/* Transfers of arrays so far: their numbers and bytes, from this process to PJRT devices, back, and between devices
 *     const tt_transfers so_far = tt_transfers_now(); */
typedef struct { int64_t to_device, to_host, between, to_device_bytes, to_host_bytes, between_bytes; } tt_transfers;
TT_API tt_transfers tt_transfers_now(void);

#ifdef __cplusplus
}
#endif
#endif
