/* pjrt/fake.c - a library with PJRT's C API that fails as real ones do: FAKE says how. Of the real one it has what
 * tests of failures need: eight devices, buffers in memory, and programs that return their first argument.
 *
 * FAKE=null: no table; old: version 0.40; lacks: without PJRT_Client_Compile; none: no device; client: no client;
 * option: no option for the number of devices; memory: buffers of more than 1 KiB do not fit; refuse: launches on
 * several devices are refused; late: launches fail after they were accepted, and those behind them never end;
 * compile: programs are refused; full: launches find no memory; short: a table that ends before what libraries may
 * have; trace: a profiler, whose trace is the word "traced"; fill: a launch finds no memory while eight results are
 * there; slow: transfers to devices read the host's memory when a program is launched next, or a buffer is waited
 * for; alone: launches on one device fail after they were accepted; watch: the end of a launch cannot be watched; read,
 * arrive: transfers to the host are refused, or fail after they were accepted; copy: copies between devices do not fit;
 * keep: programs can be saved and loaded; other: saved, but not loaded; hold: what is launched does not end. */
#include "pjrt/api.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct pjrt_error { const char *text; int code; };
struct pjrt_event { const char *error; bool never, deaf; struct transfer *of; };
struct pjrt_buffer { int type, rank; int64_t dim[8]; size_t bytes; const char *error; bool never, result; char *at; };
struct pjrt_device { int id; };
static struct pjrt_device device[8] = { { 0 }, { 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { 6 }, { 7 } };
static struct pjrt_device *list[8];
static int launches, results;

static bool is(const char *how) { const char *f = getenv("FAKE"); return f && !strcmp(f, how); }

static pjrt_error *failed(int code, const char *text)
{
    pjrt_error *e = malloc(sizeof *e);
    *e = (pjrt_error){ text, code };
    return e;
}
static pjrt_event *event(const char *error, bool never)
{
    pjrt_event *e = malloc(sizeof *e);
    *e = (pjrt_event){ error, never, false, NULL };
    return e;
}

/* Transfers that have not read the host's memory. */
typedef struct transfer {
    pjrt_buffer *to; const void *from; void (*call)(pjrt_error *, void *env); void *env; struct transfer *next;
} transfer;
static transfer *waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void transfers_end(void)
{
    for (transfer *t;;) {
        pthread_mutex_lock(&lock);
        transfer **at = &waiting;
        while (*at && !(*at)->call) at = &(*at)->next;   /* another thread is about to say whom to call */
        if ((t = *at)) *at = t->next;
        pthread_mutex_unlock(&lock);
        if (!t) return;
        memmove(t->to->at, t->from, t->to->bytes);
        t->call(NULL, t->env);
        free(t);
    }
}

static void Error_Destroy(pjrt_of_error *a) { free(a->error); }
static void Error_Message(pjrt_message *a) { a->text = a->error->text, a->n = strlen(a->text); }
static pjrt_error *Error_GetCode(pjrt_code *a) { a->code = a->error->code; return NULL; }
static pjrt_error *Plugin_Initialize(pjrt_nothing *a) { (void)a; return NULL; }
static pjrt_error *Event_Destroy(pjrt_of_event *a) { free(a->event); return NULL; }
static pjrt_error *Event_OnReady(pjrt_on_ready *a)
{
    if (a->event->deaf) return failed(13, "this event cannot be watched");
    if (a->event->of) {
        pthread_mutex_lock(&lock);
        a->event->of->call = a->call, a->event->of->env = a->env;
        pthread_mutex_unlock(&lock);
    } else if (!a->event->never) a->call(a->event->error ? failed(13, a->event->error) : NULL, a->env);
    return NULL;
}
static pjrt_error *Client_Create(pjrt_create *a)
{
    if (a->noption && is("option")) return failed(3, "Unexpected option name passed: cpu_device_count");
    if (is("client")) return failed(5, "no accelerator of this kind is attached");
    a->client = (pjrt_client *)&list;
    return NULL;
}
static pjrt_error *Client_PlatformName(pjrt_client_text *a) { a->text = "fake", a->n = 4; return NULL; }
static pjrt_error *Client_PlatformVersion(pjrt_client_text *a) { a->text = "of tests", a->n = 8; return NULL; }
static pjrt_error *Client_AddressableDevices(pjrt_devices *a)
{
    for (int i = 0; i < 8; i++) list[i] = &device[i];
    a->device = list, a->n = is("none") ? 0 : 8;
    return NULL;
}
static pjrt_error *Device_GetDescription(pjrt_describe *a)
{
    a->description = (pjrt_described *)a->device;
    return NULL;
}
static pjrt_error *DeviceDescription_Id(pjrt_id *a) { a->id = ((struct pjrt_device *)a->of)->id; return NULL; }
static pjrt_error *DeviceDescription_Kind(pjrt_kind *a) { a->text = "unit", a->n = 4; return NULL; }
static pjrt_error *Device_MemoryStats(pjrt_memory *a)
{
    if (!is("memory") && !is("full") && !is("fill")) return failed(12, "unimplemented");
    a->in_use = 3 << 20, a->limit.bytes = 4 << 20, a->limit.is_set = true;
    return NULL;
}
static pjrt_error *Executable_GetCompiledMemoryStats(pjrt_compiled_memory *a)
{
    if (!is("full")) return failed(12, "unimplemented");
    a->arguments = 64 << 10, a->results = 32 << 10, a->aliased = 16 << 10, a->temporary = 2 << 20, a->code = 1 << 10;
    return NULL;
}

static pjrt_error *Client_Compile(pjrt_compile *a)
{
    if (is("compile")) return failed(3, "this program is not for this device");
    if (a->program->nformat != 4 || !a->noptions) abort();
    a->loaded = (pjrt_loaded *)&list;
    return NULL;
}
static pjrt_error *Executable_Destroy(pjrt_of_executable *a) { (void)a; return NULL; }
static pjrt_error *Executable_NumOutputs(pjrt_outputs *a) { a->n = 1; return NULL; }
static void nothing(void *held) { (void)held; }
static pjrt_error *Executable_Serialize(pjrt_serialize *a)
{
    if (!is("keep") && !is("other")) return failed(12, "unimplemented");
    a->bytes = "a program", a->n = 9, a->held = list, a->free = nothing;
    return NULL;
}
static pjrt_error *LoadedExecutable_Destroy(pjrt_of_loaded *a) { (void)a; return NULL; }
static pjrt_error *LoadedExecutable_GetExecutable(pjrt_unloaded *a) { a->executable = (void *)a->loaded; return NULL; }
static pjrt_error *Executable_DeserializeAndLoad(pjrt_deserialize *a)
{
    if (!is("keep")) return failed(12, "unimplemented");
    if (a->n != 9 || memcmp(a->bytes, "a program", 9)) abort();      /* as a real one may */
    a->loaded = (pjrt_loaded *)&list;
    return NULL;
}

static pjrt_buffer *copy_of(const pjrt_buffer *b)
{
    pjrt_buffer *c = malloc(sizeof *c);
    *c = *b;
    c->at = malloc(b->bytes + 1);
    memcpy(c->at, b->at, b->bytes);
    return c;
}

static pjrt_error *LoadedExecutable_Execute(pjrt_execute *a)
{
    const bool late = is("late") && a->ndevice > 1;
    transfers_end();
    if (is("fill") && results == 8) return failed(PJRT_OUT_OF_MEMORY, "a ninth result does not fit");
    results++;
    if (is("full")) return failed(PJRT_OUT_OF_MEMORY, "2 MiB of temporaries do not fit");
    if (is("refuse") && a->ndevice > 1) return failed(13, "device 3 has refused the launch");
    for (size_t d = 0; d < a->ndevice; d++) {
        if (!a->nargument) abort();
        a->result[d][0] = copy_of(a->argument[d][0]);
        a->result[d][0]->result = true;
        a->result[d][0]->error = late && d == 3 && !launches ? "device 3 has stopped" : NULL;
        a->result[d][0]->never = late && d != 3;
        if (is("hold")) a->result[d][0]->never = true;
        if (is("alone") && a->ndevice == 1) a->result[d][0]->error = "the device has stopped";
        a->done[d] = event(a->result[d][0]->error, a->result[d][0]->never);
        a->done[d]->deaf = is("watch") && d == a->ndevice - 1;
    }
    launches += a->ndevice > 1;
    return NULL;
}

static pjrt_error *Client_BufferFromHostBuffer(pjrt_from_host *a)
{
    pjrt_buffer *b = calloc(1, sizeof *b);
    b->bytes = 4;                                        /* of an element: tests put 32-bit numbers */
    b->type = a->type, b->rank = (int)a->rank;
    for (int i = 0; i < b->rank; i++) b->bytes *= (size_t)(b->dim[i] = a->dim[i]);
    if (is("memory") && b->bytes > 1024) return free(b), failed(PJRT_OUT_OF_MEMORY, "4096 bytes do not fit");
    b->at = malloc(b->bytes + 1);
    a->buffer = b, a->done = event(NULL, false);
    if (!is("slow") || a->semantics != PJRT_COPIED_LATER) memcpy(b->at, a->data, b->bytes);
    if (is("slow")) {
        transfer *const t = a->done->of = malloc(sizeof *t);
        *t = (transfer){ b, a->semantics == PJRT_COPIED_LATER ? a->data : b->at, NULL, NULL, NULL };
        pthread_mutex_lock(&lock);
        t->next = waiting, waiting = t;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
static pjrt_error *Buffer_Destroy(pjrt_of_buffer *a)
{
    results -= results > 0 && a->buffer->result;
    free(a->buffer->at), free(a->buffer);
    return NULL;
}
static pjrt_error *Buffer_ElementType(pjrt_type *a) { a->type = a->buffer->type; return NULL; }
static pjrt_error *Buffer_Dimensions(pjrt_dims *a)
{
    a->dim = a->buffer->dim, a->rank = (size_t)a->buffer->rank;
    return NULL;
}
static pjrt_error *Buffer_CopyToDevice(pjrt_copy *a)
{
    if (is("copy")) return failed(PJRT_OUT_OF_MEMORY, "a copy does not fit");
    return a->copy = copy_of(a->buffer), NULL;
}
static pjrt_error *Buffer_ReadyEvent(pjrt_ready_event *a)
{
    transfers_end();
    a->event = event(a->buffer->error, a->buffer->never);
    return NULL;
}
static pjrt_error *Buffer_ToHostBuffer(pjrt_to_host *a)
{
    if (is("read")) return failed(13, "the host's memory is not mapped");
    memcpy(a->to, a->buffer->at, a->n);
    a->event = event(is("arrive") ? "the transfer was cut off" : NULL, false);
    return NULL;
}

/* ---- the profiler's extension ---- */

typedef struct { size_t bytes; const char *options; size_t noptions; void *made; } trace_create;
typedef struct { size_t bytes; void *of; } trace_one;
typedef struct { size_t bytes; void *of; uint8_t *at; size_t n; } trace_data;
static int stage;                                        /* made 1, started 2, stopped 3, gone 0 */
static void *make(trace_create *a) { return a->noptions ? (a->made = &stage, stage = 1, NULL) : (void *)&stage; }
static void *start(trace_one *a) { return a->of == &stage && stage == 1 ? (stage = 2, NULL) : (void *)&stage; }
static void *stop(trace_one *a) { return a->of == &stage && stage == 2 ? (stage = 3, NULL) : (void *)&stage; }
static void *gone(trace_one *a) { return a->of == &stage ? (stage = 0, NULL) : (void *)&stage; }
static void *data(trace_data *a)
{
    if (stage != 3) return &stage;
    if (a->at) memcpy(a->at, "traced", 6);
    return a->n = 6, NULL;
}
typedef struct { size_t bytes; void *held, *error; const char *text; size_t n; } trace_message;
static void say(trace_message *a) { a->text = "out of order", a->n = 12; }
static struct { size_t bytes; void *held; void (*destroy)(void), (*say)(trace_message *); void *code;
    void *(*make)(trace_create *), *(*gone)(trace_one *), *(*start)(trace_one *), *(*stop)(trace_one *);
    void *(*data)(trace_data *); } profiler = { sizeof profiler, NULL, NULL, say, NULL, make, gone, start, stop, data };
static struct extension { size_t bytes; int type; void *next, *api; }
    traces = { sizeof traces, 1, NULL, &profiler }, others = { sizeof others, 5, &traces, NULL };

#define FILL(name, type) .name = name,
#define LEAVE(name)
__attribute__((visibility("default"))) const pjrt_api *GetPjrtApi(void)
{
    static pjrt_api api = { .head = { sizeof api, NULL }, .version = { { sizeof(pjrt_version), NULL }, 0, 81 },
                            PJRT_FUNCTIONS(FILL, FILL, LEAVE) PJRT_LATER(FILL, LEAVE) };
    if (is("old")) api.version.minor = 40;
    if (is("lacks")) api.Client_Compile = NULL, api.head.bytes = offsetof(pjrt_api, Buffer_ToHostBuffer);
    if (is("trace")) api.head.extension = &others;
    if (is("short")) api.head.bytes = offsetof(pjrt_api, Executable_GetCompiledMemoryStats);
    return is("null") ? NULL : &api;
}
