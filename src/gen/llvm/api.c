/* gen/llvm/api.c - calls LLVM, 16 to 22: finds the library at run time, calls its C functions by address, parses a text
 * and emits an object.
 *
 * This is the only file that depends on LLVM, and it depends only on functions that are the same in all these versions.
 * Loading the library takes some 50 ms and compiling a kernel some 5 ms, so both run on the queue's threads, each with
 * a context and a target machine of its own. */
#include "llvm.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct LLVMOpaque *ref;                          /* any handle of LLVM */
enum { DEFAULT_LEVEL = 2, PIC = 2, DEFAULT_MODEL = 0, OBJECT = 1 };
#if defined __aarch64__
#define TARGET "AArch64"
#else
#define TARGET "X86"
#endif

static struct {
    void (*target_info)(void), (*target)(void), (*target_mc)(void), (*printer)(void);
    void (*version)(unsigned *, unsigned *, unsigned *);
    char *(*default_triple)(void);
    int (*target_of)(const char *triple, ref *target, char **error);
    ref (*machine)(ref target, const char *triple, const char *cpu, const char *features, int level, int reloc,
                   int model);
    void (*drop_machine)(ref);
    ref (*context)(void);
    void (*drop_context)(ref);
    ref (*buffer)(const char *, size_t, const char *name);
    int (*parse)(ref context, ref buffer, ref *module, char **error);
    void (*drop_module)(ref);
    int (*emit)(ref machine, ref module, int kind, char **error, ref *buffer);
    const char *(*start)(ref buffer);
    size_t (*size)(ref buffer);
    void (*drop_buffer)(ref);
    void (*drop_text)(char *);
} f;

/* The functions' names, in the order of the struct's members. */
static const char *const names[] = {
    "LLVMInitialize" TARGET "TargetInfo", "LLVMInitialize" TARGET "Target", "LLVMInitialize" TARGET "TargetMC",
    "LLVMInitialize" TARGET "AsmPrinter", "LLVMGetVersion", "LLVMGetDefaultTargetTriple", "LLVMGetTargetFromTriple",
    "LLVMCreateTargetMachine", "LLVMDisposeTargetMachine", "LLVMContextCreate", "LLVMContextDispose",
    "LLVMCreateMemoryBufferWithMemoryRangeCopy", "LLVMParseIRInContext", "LLVMDisposeModule",
    "LLVMTargetMachineEmitToMemoryBuffer", "LLVMGetBufferStart", "LLVMGetBufferSize", "LLVMDisposeMemoryBuffer",
    "LLVMDisposeMessage"
};
_Static_assert(sizeof f == sizeof names, "a name per function");
static char *triple;
static ref target;

/* Copies LLVM's message to s and frees it. */
static bool failed(llvm_message *s, char *message, const char *otherwise, const char **why)
{
    snprintf(s->text, sizeof s->text, "%s", message && *message ? message : otherwise);
    if (message) f.drop_text(message);
    *why = s->text;
    return false;
}

static bool find_functions(void *lib, llvm_message *s, const char **why)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *at = dlsym(lib, names[i]);
        if (!at) return snprintf(s->text, sizeof s->text, "it has no %s", names[i]), *why = s->text, false;
        memcpy((char *)&f + i * sizeof at, &at, sizeof at);
    }
    return true;
}

static bool llvm_api_begin(llvm_message *s, llvm_found *found, const char **why)
{
    unsigned major, minor, patch;
    char *error = NULL, *symbol;
    Dl_info at = { 0 };
    f.target_info(), f.target(), f.target_mc(), f.printer();
    triple = f.default_triple();
    if (f.target_of(triple, &target, &error)) return failed(s, error, "it does not know this processor", why);
    f.version(&major, &minor, &patch);
    snprintf(found->version, sizeof found->version, "%u.%u.%u", major, minor, patch);
    memcpy(&symbol, &f.version, sizeof symbol);
    if (dladdr(symbol, &at) && at.dli_fname) snprintf(found->file, sizeof found->file, "%s", at.dli_fname);
    return true;
}

bool llvm_open(llvm_message *s, llvm_found *found, const char **why)
{
    static const char *const file[] = { "libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM.so.20.1", "libLLVM-18.so.1",
                                        "libLLVM.so.18.1", "libLLVM-17.so.1", "libLLVM-16.so.1", "libLLVM.so.21.1",
                                        "libLLVM.so.22.1" };
    const char *named = secure_getenv("TUTTI_LLVM");     /* the library that the user names */
    void *lib = NULL;
#if !defined __x86_64__ && !defined __aarch64__
    return *why = "written for x86-64 and AArch64 only", false;
#endif
    if (named) lib = dlopen(named, RTLD_LAZY | RTLD_LOCAL);
    for (size_t i = 0; !named && !lib && i < sizeof file / sizeof *file; i++)
        lib = dlopen(file[i], RTLD_LAZY | RTLD_LOCAL);
    if (!lib) return *why = "there is no libLLVM of version 16 to 22", false;
    return find_functions(lib, s, why) && llvm_api_begin(s, found, why);
}

/* Compiles the function "loop" of a text. May be called by any thread. */
bool llvm_compile(const char *text, llvm_code *code, llvm_message *s, const char **why)
{
    char *error = NULL;
    ref module = NULL, object = NULL, context = f.context();
    const ref machine = f.machine(target, triple, LLVM_CPU, "", DEFAULT_LEVEL, PIC, DEFAULT_MODEL);
    bool good = machine != NULL;
    if (!good) *why = "no machine for this processor";
    else if (f.parse(context, f.buffer(text, strlen(text), "loop"), &module, &error))
        good = failed(s, error, "its text was not understood", why);
    else if (f.emit(machine, module, OBJECT, &error, &object))
        good = failed(s, error, "it could not be compiled", why);
    if (good) good = llvm_image(f.start(object), f.size(object), "loop", code, s->text, sizeof s->text, why);
    if (object) f.drop_buffer(object);
    if (module) f.drop_module(module);
    if (machine) f.drop_machine(machine);
    f.drop_context(context);
    return good;
}
