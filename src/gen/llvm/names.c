/* gen/llvm/names.c - names of compiled kernels for perf and gdb: the kernel's operations, and the user's line.
 *
 * gdb always gets the names, by its interface for compilers at run time: a list of small ELF files in memory, each with
 * one symbol, and a function at which gdb stops when the list grows. perf reads /tmp/perf-PID.map, which is written
 * with TUTTI=perf. Called with the queue's lock held. */
#include "llvm.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct entry { struct entry *next, *previous; const char *file; uint64_t bytes; } entry;
typedef struct { uint32_t version, action; entry *relevant, *first; } descriptor;

/* The symbols that gdb searches for. */
__attribute__((visibility("default"))) descriptor __jit_debug_descriptor;
__attribute__((visibility("default"))) void __jit_debug_register_code(void);
descriptor __jit_debug_descriptor = { 1, 0, NULL, NULL };
__attribute__((noinline)) void __jit_debug_register_code(void) { __asm__ volatile("" : : : "memory"); }

/* An object file that describes code elsewhere in memory by its address, and holds only the symbol. */
typedef struct {
    Elf64_Ehdr head;
    Elf64_Shdr section[5];                               /* null, code, symbols, symbol names, section names */
    Elf64_Sym symbol[2];
    char sections[40], name[256];
} file;

static void names_fill(file *f, const void *at, size_t n, const char *name)
{
    static const char sections[40] = "\0.text\0.symtab\0.strtab\0.shstrtab";
    *f = (file){ .head = { .e_type = ET_REL, .e_version = EV_CURRENT, .e_shoff = offsetof(file, section),
                           .e_ehsize = sizeof f->head, .e_shentsize = sizeof *f->section, .e_shnum = 5,
                           .e_shstrndx = 4 } };
    memcpy(f->head.e_ident, ELFMAG, SELFMAG);
    f->head.e_ident[EI_CLASS] = ELFCLASS64, f->head.e_ident[EI_DATA] = ELFDATA2LSB;
    f->head.e_ident[EI_VERSION] = EV_CURRENT;
#if defined __aarch64__
    f->head.e_machine = EM_AARCH64;
#else
    f->head.e_machine = EM_X86_64;
#endif
    memcpy(f->sections, sections, sizeof sections);
    snprintf(f->name + 1, sizeof f->name - 1, "%s", name);
    f->section[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                  .sh_addr = (uintptr_t)at, .sh_size = n, .sh_addralign = 16 };
    f->section[2] = (Elf64_Shdr){ .sh_name = 7, .sh_type = SHT_SYMTAB, .sh_offset = offsetof(file, symbol),
                                  .sh_size = sizeof f->symbol, .sh_link = 3, .sh_info = 1, .sh_addralign = 8,
                                  .sh_entsize = sizeof *f->symbol };
    f->section[3] = (Elf64_Shdr){ .sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = offsetof(file, name),
                                  .sh_size = sizeof f->name, .sh_addralign = 1 };
    f->section[4] = (Elf64_Shdr){ .sh_name = 23, .sh_type = SHT_STRTAB, .sh_offset = offsetof(file, sections),
                                  .sh_size = sizeof f->sections, .sh_addralign = 1 };
    f->symbol[1] = (Elf64_Sym){ .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
                                .st_size = n };
}

static void register_gdb(const void *at, size_t n, const char *name)
{
    descriptor *d = &__jit_debug_descriptor;
    struct { entry e; file f; } *x = calloc(1, sizeof *x); /* never freed, like the code */
    if (!x) return;
    names_fill(&x->f, at, n, name);
    x->e = (entry){ d->first, NULL, (const char *)&x->f, sizeof x->f };
    if (d->first) d->first->previous = &x->e;
    d->first = d->relevant = &x->e;
    d->action = 1;
    __jit_debug_register_code();
}

static void register_perf(const void *at, size_t n, const char *name)
{
    static FILE *map;
    static pid_t owner;
    char path[64];
    if (!llvm_host->option("perf")) return;
    if (!map || owner != getpid()) {
        snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)(owner = getpid()));
        const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        map = fd < 0 ? NULL : fdopen(fd, "a");
    }
    if (!map) return;
    fprintf(map, "%lx %zx %s\n", (unsigned long)(uintptr_t)at, n, name);
    fflush(map);
}

void llvm_name(const char *at, const llvm_code *c, const char *name)
{
    register_gdb(at, c->n, name);
    register_perf(at, c->n, name);
}
