/* gen/llvm/api.c - LLVM itself, 16 to 20: found at run time, its C functions called by address, its text parsed and compiled.
 *
 * Only functions are used that are alike in these versions. Loading it takes some 50 ms and a kernel some 10, so all of this
 * runs on the queue's thread. What is compiled is never given back. */
#include "llvm.h"

#include <dlfcn.h>
#include <string.h>

typedef struct LLVMOpaque *ref;                          /* every handle of LLVM's */
enum { DEFAULT_LEVEL = 2, PIC = 2, DEFAULT_MODEL = 0 };

static struct {
    void (*LLVMInitializeX86TargetInfo)(void), (*LLVMInitializeX86Target)(void), (*LLVMInitializeX86TargetMC)(void),
        (*LLVMInitializeX86AsmPrinter)(void);
    char *(*LLVMGetDefaultTargetTriple)(void);
    int (*LLVMGetTargetFromTriple)(const char *triple, ref *target, char **error);
    ref (*LLVMCreateTargetMachine)(ref target, const char *triple, const char *cpu, const char *features, int level, int reloc,
                                   int model);
    ref (*LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine)(ref);
    ref (*LLVMOrcCreateLLJITBuilder)(void);
    void (*LLVMOrcLLJITBuilderSetJITTargetMachineBuilder)(ref builder, ref machine);
    ref (*LLVMOrcCreateLLJIT)(ref *jit, ref builder);
    ref (*LLVMOrcLLJITGetMainJITDylib)(ref);
    ref (*LLVMOrcCreateNewThreadSafeContext)(void), (*LLVMOrcThreadSafeContextGetContext)(ref);
    void (*LLVMOrcDisposeThreadSafeContext)(ref);
    ref (*LLVMCreateMemoryBufferWithMemoryRangeCopy)(const char *, size_t, const char *name);
    int (*LLVMParseIRInContext)(ref context, ref buffer, ref *module, char **error);
    void (*LLVMSetValueName2)(ref value, const char *name, size_t n);
    ref (*LLVMGetNamedFunction)(ref module, const char *name);
    ref (*LLVMOrcCreateNewThreadSafeModule)(ref module, ref context);
    ref (*LLVMOrcLLJITAddLLVMIRModule)(ref jit, ref dylib, ref module);
    ref (*LLVMOrcLLJITLookup)(ref jit, uint64_t *address, const char *name);
    char *(*LLVMGetErrorMessage)(ref);
    void (*LLVMDisposeErrorMessage)(char *), (*LLVMDisposeMessage)(char *);
} f;

/* The functions' names in the order of the struct. */
static const char *const names[] = {
    "LLVMInitializeX86TargetInfo", "LLVMInitializeX86Target", "LLVMInitializeX86TargetMC", "LLVMInitializeX86AsmPrinter",
    "LLVMGetDefaultTargetTriple", "LLVMGetTargetFromTriple", "LLVMCreateTargetMachine",
    "LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine", "LLVMOrcCreateLLJITBuilder",
    "LLVMOrcLLJITBuilderSetJITTargetMachineBuilder", "LLVMOrcCreateLLJIT", "LLVMOrcLLJITGetMainJITDylib",
    "LLVMOrcCreateNewThreadSafeContext",
    "LLVMOrcThreadSafeContextGetContext", "LLVMOrcDisposeThreadSafeContext", "LLVMCreateMemoryBufferWithMemoryRangeCopy",
    "LLVMParseIRInContext", "LLVMSetValueName2", "LLVMGetNamedFunction", "LLVMOrcCreateNewThreadSafeModule",
    "LLVMOrcLLJITAddLLVMIRModule", "LLVMOrcLLJITLookup", "LLVMGetErrorMessage", "LLVMDisposeErrorMessage",
    "LLVMDisposeMessage"
};
_Static_assert(sizeof f == sizeof names, "a name per function");
static ref jit;
static char said[512];

static bool failed(ref error, const char **why)          /* frees it */
{
    if (!error) return false;
    char *text = f.LLVMGetErrorMessage(error);
    snprintf(said, sizeof said, "%s", text);
    f.LLVMDisposeErrorMessage(text);
    *why = said;
    return true;
}

static bool find_functions(void *lib, const char **why)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *at = dlsym(lib, names[i]);
        if (!at) return snprintf(said, sizeof said, "it has no %s", names[i]), *why = said, false;
        memcpy((char *)&f + i * sizeof at, &at, sizeof at);
    }
    return true;
}

static bool make_jit(const char **why)
{
    ref target, builder = NULL;
    char *error = NULL;
    f.LLVMInitializeX86TargetInfo(), f.LLVMInitializeX86Target(), f.LLVMInitializeX86TargetMC(), f.LLVMInitializeX86AsmPrinter();
    char *triple = f.LLVMGetDefaultTargetTriple();
    if (!f.LLVMGetTargetFromTriple(triple, &target, &error)) {
        ref machine = f.LLVMCreateTargetMachine(target, triple, "x86-64", "", DEFAULT_LEVEL, PIC, DEFAULT_MODEL);
        builder = f.LLVMOrcCreateLLJITBuilder();
        f.LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder,
                                                        f.LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    } else {
        snprintf(said, sizeof said, "%s", error);
        *why = said;
        f.LLVMDisposeMessage(error);
    }
    f.LLVMDisposeMessage(triple);
    return builder && !failed(f.LLVMOrcCreateLLJIT(&jit, builder), why);
}

bool llvm_open(const char **why)
{
    static const char *const file[] = { "libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM.so.20.1", "libLLVM-18.so.1",
                                        "libLLVM.so.18.1", "libLLVM-17.so.1", "libLLVM-16.so.1" };
#if !defined __x86_64__
    return *why = "written for x86-64 only", false;
#endif
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        void *lib = dlopen(file[i], RTLD_LAZY | RTLD_LOCAL);
        if (lib) return find_functions(lib, why) && make_jit(why);
    }
    return *why = "there is no libLLVM of version 16 to 20", false;
}

/* Each function has its own name and module; a module's context is freed with it. */
gen_fused_loop *llvm_compile(const char *text, const char **why)
{
    static int number;
    char name[32], *error = NULL;
    ref module = NULL, context = f.LLVMOrcCreateNewThreadSafeContext();
    uint64_t at = 0;
    gen_fused_loop *loop = NULL;
    const int n = snprintf(name, sizeof name, "tutti_tape_%d", ++number);
    ref buffer = f.LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), name);
    if (f.LLVMParseIRInContext(f.LLVMOrcThreadSafeContextGetContext(context), buffer, &module, &error)) {
        snprintf(said, sizeof said, "%s", error ? error : "its text was not understood");
        *why = said;
        if (error) f.LLVMDisposeMessage(error);
    } else {
        f.LLVMSetValueName2(f.LLVMGetNamedFunction(module, "tape"), name, (size_t)n);
        ref whole = f.LLVMOrcCreateNewThreadSafeModule(module, context);
        if (!failed(f.LLVMOrcLLJITAddLLVMIRModule(jit, f.LLVMOrcLLJITGetMainJITDylib(jit), whole), why) &&
            !failed(f.LLVMOrcLLJITLookup(jit, &at, name), why)) memcpy(&loop, &at, sizeof loop);
    }
    f.LLVMOrcDisposeThreadSafeContext(context);
    return loop;
}
