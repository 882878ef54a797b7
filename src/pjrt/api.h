/* pjrt/api.h - the part of PJRT's C API that this plug-in calls, declared by its binary layout: the order of the
 * functions in the table, and the members of the structs that they take. The names of functions are PJRT's own, since
 * messages name those that a library lacks.
 *
 * The layout is documented in OpenXLA's xla/pjrt/c/pjrt_c_api.h (Apache 2.0). Since version 0.57 it has only grown at
 * the ends of its structs, so what is declared here fits every later minor version: the size that a struct states
 * counts zeros behind the last member that is known here (PJRT_CALL). */
#ifndef TUTTI_PJRT_API_H
#define TUTTI_PJRT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PJRT_MAJOR = 0, PJRT_MINOR = 57 };                /* the oldest minor version with this order of functions */

typedef struct pjrt_error pjrt_error;
typedef struct pjrt_event pjrt_event;
typedef struct pjrt_client pjrt_client;
typedef struct pjrt_device pjrt_device;
typedef struct pjrt_described pjrt_described;
typedef struct pjrt_executable pjrt_executable;
typedef struct pjrt_loaded pjrt_loaded;
typedef struct pjrt_buffer pjrt_buffer;

typedef struct { size_t bytes; void *extension; } pjrt_head;     /* begins every struct; bytes: of the struct */
typedef struct { pjrt_head head; int major, minor; } pjrt_version;
enum { PJRT_OUT_OF_MEMORY = 8 };                         /* code of an error */
enum { PJRT_TEXT, PJRT_INT64 };                          /* types of an option */
typedef struct {
    pjrt_head head; const char *name; size_t nname; int type;
    union { const char *text; int64_t number; }; size_t count;
} pjrt_option;

/* ---- what functions take; results are set where the comment says "out" ---- */

typedef struct { pjrt_head head; pjrt_error *error; } pjrt_of_error;
typedef struct { pjrt_head head; const pjrt_error *error; const char *text; size_t n; } pjrt_message;    /* out: text */
typedef struct { pjrt_head head; const pjrt_error *error; int code; } pjrt_code;                 /* out: code */
typedef struct { pjrt_head head; } pjrt_nothing;
typedef struct { pjrt_head head; pjrt_event *event; } pjrt_of_event;
typedef struct {                                         /* the callback owns the error */
    pjrt_head head; pjrt_event *event; void (*call)(pjrt_error *, void *env); void *env;
} pjrt_on_ready;
typedef struct {                                                                                 /* out: client */
    pjrt_head head; const pjrt_option *option; size_t noption; void *callback[4]; pjrt_client *client; void *more[2];
} pjrt_create;
typedef struct { pjrt_head head; pjrt_client *client; const char *text; size_t n; } pjrt_client_text;    /* out: text */
typedef struct { pjrt_head head; pjrt_client *client; pjrt_device *const *device; size_t n; } pjrt_devices;  /* out */
typedef struct { pjrt_head head; const char *code; size_t ncode; const char *format; size_t nformat; } pjrt_program;
typedef struct {                                                                                 /* out: loaded */
    pjrt_head head; pjrt_client *client; const pjrt_program *program; const char *options; size_t noptions;
    pjrt_loaded *loaded;
} pjrt_compile;
typedef struct {                                                                         /* out: done, buffer */
    pjrt_head head; pjrt_client *client; const void *data; int type; const int64_t *dim; size_t rank;
    const int64_t *stride; size_t nstride; int semantics; pjrt_device *device; void *memory, *layout;
    pjrt_event *done; pjrt_buffer *buffer;
} pjrt_from_host;
/* semantics: the host's memory is read before the return; before the event `done` comes */
enum { PJRT_COPIED_IN_CALL, PJRT_COPIED_LATER };
typedef struct { pjrt_head head; pjrt_described *of; int id; } pjrt_id;                          /* out: id */
typedef struct { pjrt_head head; pjrt_described *of; const char *text; size_t n; } pjrt_kind;    /* out: text */
typedef struct { pjrt_head head; pjrt_device *device; pjrt_described *description; } pjrt_describe;  /* out: last */
typedef struct {                                                                         /* out: all after device */
    pjrt_head head; pjrt_device *device; int64_t in_use;
    struct { int64_t bytes; bool is_set; } peak, allocations, largest, limit, more[7];
} pjrt_memory;
typedef struct { pjrt_head head; pjrt_executable *executable; } pjrt_of_executable;
typedef struct { pjrt_head head; pjrt_executable *executable; size_t n; } pjrt_outputs;          /* out: n */
typedef struct {                                                                         /* out: all after executable */
    pjrt_head head; const pjrt_executable *executable; const char *bytes; size_t n; void *held; void (*free)(void *);
} pjrt_serialize;
typedef struct { pjrt_head head; pjrt_loaded *loaded; } pjrt_of_loaded;
typedef struct { pjrt_head head; pjrt_loaded *loaded; pjrt_executable *executable; } pjrt_unloaded;  /* out: last */
typedef struct {
    pjrt_head head; void *send, *receive; size_t nsend, nreceive; int launch; const int64_t *keep; size_t nkeep;
    void *context; const char *site; size_t ntask; int *task; int64_t *incarnation;
} pjrt_execute_options;
typedef struct {                                                                         /* out: result, done */
    pjrt_head head; pjrt_loaded *loaded; pjrt_execute_options *options; pjrt_buffer *const *const *argument;
    size_t ndevice, nargument; pjrt_buffer **const *result; pjrt_event **done; pjrt_device *device;
} pjrt_execute;
typedef struct {                                                                                 /* out: loaded */
    pjrt_head head; pjrt_client *client; const char *bytes; size_t n; pjrt_loaded *loaded; const char *options;
    size_t noptions;
} pjrt_deserialize;
typedef struct { pjrt_head head; pjrt_buffer *buffer; } pjrt_of_buffer;
typedef struct { pjrt_head head; pjrt_buffer *buffer; const int64_t *dim; size_t rank; } pjrt_dims;  /* out: dim */
typedef struct { pjrt_head head; pjrt_buffer *buffer; int type; } pjrt_type;                     /* out: type */
typedef struct { pjrt_head head; pjrt_buffer *buffer; pjrt_device *to; pjrt_buffer *copy; } pjrt_copy;   /* out: copy */
typedef struct { pjrt_head head; const int64_t *minor; size_t rank; const int64_t *tile; const size_t *ntile;
                 size_t tiles; } pjrt_tiled;
typedef struct { pjrt_head head; pjrt_tiled tiled; int type; } pjrt_layout;              /* type 0: minor to major */
typedef struct {                                                                                 /* out: event */
    pjrt_head head; pjrt_buffer *buffer; pjrt_layout *layout; void *to; size_t n; pjrt_event *event;
} pjrt_to_host;
typedef struct { pjrt_head head; pjrt_buffer *buffer; pjrt_event *event; } pjrt_ready_event;     /* out: event */
typedef struct {                                                                         /* out: all after executable */
    pjrt_head head; pjrt_executable *executable; int64_t code, arguments, results, aliased, temporary, host[5], peak;
} pjrt_compiled_memory;

/* ---- the table of functions, in its order. F: called here, with the type of its argument; N: not called ---- */

#define PJRT_FUNCTIONS(F, V, N) \
    V(Error_Destroy, pjrt_of_error) V(Error_Message, pjrt_message) F(Error_GetCode, pjrt_code) \
    F(Plugin_Initialize, pjrt_nothing) N(Plugin_Attributes) \
    F(Event_Destroy, pjrt_of_event) N(Event_IsReady) N(Event_Error) \
    N(Event_Await) F(Event_OnReady, pjrt_on_ready) \
    F(Client_Create, pjrt_create) N(Client_Destroy) F(Client_PlatformName, pjrt_client_text) \
    N(Client_ProcessIndex) F(Client_PlatformVersion, pjrt_client_text) N(Client_Devices) \
    F(Client_AddressableDevices, pjrt_devices) N(Client_LookupDevice) N(Client_LookupAddressableDevice) \
    N(Client_AddressableMemories) F(Client_Compile, pjrt_compile) N(Client_DefaultDeviceAssignment) \
    F(Client_BufferFromHostBuffer, pjrt_from_host) \
    F(DeviceDescription_Id, pjrt_id) N(DeviceDescription_ProcessIndex) N(DeviceDescription_Attributes) \
    F(DeviceDescription_Kind, pjrt_kind) N(DeviceDescription_DebugString) N(DeviceDescription_ToString) \
    F(Device_GetDescription, pjrt_describe) N(Device_IsAddressable) N(Device_LocalHardwareId) \
    N(Device_AddressableMemories) N(Device_DefaultMemory) F(Device_MemoryStats, pjrt_memory) \
    N(Memory_Id) N(Memory_Kind) N(Memory_DebugString) N(Memory_ToString) N(Memory_AddressableByDevices) \
    F(Executable_Destroy, pjrt_of_executable) N(Executable_Name) N(Executable_NumReplicas) \
    N(Executable_NumPartitions) F(Executable_NumOutputs, pjrt_outputs) \
    N(Executable_SizeOfGeneratedCodeInBytes) N(Executable_GetCostAnalysis) N(Executable_OutputMemoryKinds) \
    N(Executable_OptimizedProgram) F(Executable_Serialize, pjrt_serialize) \
    F(LoadedExecutable_Destroy, pjrt_of_loaded) F(LoadedExecutable_GetExecutable, pjrt_unloaded) \
    N(LoadedExecutable_AddressableDevices) N(LoadedExecutable_Delete) N(LoadedExecutable_IsDeleted) \
    F(LoadedExecutable_Execute, pjrt_execute) F(Executable_DeserializeAndLoad, pjrt_deserialize) \
    N(LoadedExecutable_Fingerprint) \
    F(Buffer_Destroy, pjrt_of_buffer) F(Buffer_ElementType, pjrt_type) F(Buffer_Dimensions, pjrt_dims) \
    N(Buffer_UnpaddedDimensions) N(Buffer_DynamicDimensionIndices) N(Buffer_GetMemoryLayout) \
    N(Buffer_OnDeviceSizeInBytes) N(Buffer_Device) N(Buffer_Memory) N(Buffer_Delete) N(Buffer_IsDeleted) \
    F(Buffer_CopyToDevice, pjrt_copy) F(Buffer_ToHostBuffer, pjrt_to_host) N(Buffer_IsOnCpu) \
    F(Buffer_ReadyEvent, pjrt_ready_event)

/* What follows in the table, up to the last that is called if a library has it (pjrt_has). */
#define PJRT_LATER(F, N) \
    N(Buffer_UnsafePointer) N(Buffer_IncreaseExternalReferenceCount) N(Buffer_DecreaseExternalReferenceCount) \
    N(Buffer_OpaqueDeviceMemoryDataPointer) N(CopyToDeviceStream_Destroy) N(CopyToDeviceStream_AddChunk) \
    N(CopyToDeviceStream_TotalBytes) N(CopyToDeviceStream_GranuleSize) N(CopyToDeviceStream_CurrentBytes) \
    N(TopologyDescription_Create) N(TopologyDescription_Destroy) N(TopologyDescription_PlatformName) \
    N(TopologyDescription_PlatformVersion) N(TopologyDescription_GetDeviceDescriptions) \
    N(TopologyDescription_Serialize) N(TopologyDescription_Attributes) N(Compile) N(Executable_OutputElementTypes) \
    N(Executable_OutputDimensions) N(Buffer_CopyToMemory) N(Client_CreateViewOfDeviceBuffer) \
    N(Executable_Fingerprint) N(Client_TopologyDescription) \
    F(Executable_GetCompiledMemoryStats, pjrt_compiled_memory)

#define PJRT_TYPED(name, type) pjrt_error *(*name)(type *);
#define PJRT_VOID(name, type)  void (*name)(type *);
#define PJRT_UNUSED(name)      void (*name)(void);
typedef struct {
    pjrt_head head; pjrt_version version;
    PJRT_FUNCTIONS(PJRT_TYPED, PJRT_VOID, PJRT_UNUSED)
    PJRT_LATER(PJRT_TYPED, PJRT_UNUSED)
} pjrt_api;
/* True if the library's table has the function. */
#define pjrt_has(api, name) \
    ((api)->head.bytes >= offsetof(pjrt_api, name) + sizeof((api)->name) && (api)->name != NULL)

/* A struct of this type with zeros behind it, which newer versions of the API may read. */
#define PJRT_CALL(T, name, ...) \
    struct { T a; char more[128]; } name = { .a = { .head = { sizeof name, NULL }, __VA_ARGS__ } }

#endif
