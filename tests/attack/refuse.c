/* refuse.c - preloaded into a program: the nth request for memory fails, once or from then on.
 *
 * REFUSE=n (0: none), REFUSE_ON=1: and all that follow; REFUSE_COUNT=FILE: how many there were. Requests count that
 * the program itself makes, or libc and zlib for it: what LLVM, BLAS and the loader ask for is not ours, nor what
 * jansson does (2.14 frees a wild pointer when the copy of a text is refused while it reads an object), nor what glob
 * does (that of glibc 2.36 frees a path twice when a copy is refused). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

static struct { uintptr_t from, to; } ours[32];
static int nours;
static _Atomic long made, nth;
static int on;
static _Atomic bool ready;
static _Thread_local bool excused;                       /* in glob */

static int note(struct dl_phdr_info *i, size_t size, void *unused)
{
    static const char *const known[] = { "libc.so", "libz.so", "libtutti" };
    int counts = !*i->dlpi_name;                         /* the program */
    (void)size, (void)unused;
    for (int k = 0; k < 3; k++) counts |= strstr(i->dlpi_name, known[k]) != NULL;
    for (int p = 0; counts && p < i->dlpi_phnum && nours < 32; p++)
        if (i->dlpi_phdr[p].p_type == PT_LOAD && i->dlpi_phdr[p].p_flags & PF_X) {
            ours[nours].from = i->dlpi_addr + i->dlpi_phdr[p].p_vaddr;
            ours[nours].to = ours[nours].from + i->dlpi_phdr[p].p_memsz;
            nours++;
        }
    return 0;
}

static int refused(uintptr_t caller)
{
    int counts = 0;
    if (!atomic_load(&ready) || excused) return 0;
    for (int i = 0; i < nours && !counts; i++) counts = caller >= ours[i].from && caller < ours[i].to;
    if (!counts) return 0;
    const long n = atomic_fetch_add(&made, 1) + 1, fails = atomic_load(&nth);
    if (!fails || (on ? n < fails : n != fails)) return 0;
    errno = ENOMEM;
    return 1;
}
#define REFUSED refused((uintptr_t)__builtin_return_address(0))

void *malloc(size_t n) { return REFUSED ? NULL : __libc_malloc(n); }
void *calloc(size_t k, size_t n) { return REFUSED ? NULL : __libc_calloc(k, n); }
void *realloc(void *p, size_t n) { return REFUSED ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t to, size_t n) { return REFUSED ? NULL : __libc_memalign(to, n); }
int posix_memalign(void **p, size_t to, size_t n)
{
    if (REFUSED) return ENOMEM;
    return (*p = __libc_memalign(to, n)) ? 0 : ENOMEM;
}

int glob(const char *pattern, int flags, int (*wrong)(const char *, int), glob_t *found)
{
    int (*real)(const char *, int, int (*)(const char *, int), glob_t *);
    void *const at = dlsym(RTLD_NEXT, "glob");
    memcpy(&real, &at, sizeof real);
    excused = true;
    const int status = real(pattern, flags, wrong, found);
    excused = false;
    return status;
}

/* From main on: what the loader and constructors ask for before cannot be told to anybody. */
static int (*program)(int, char **, char **);

static int counted_main(int argc, char **argv, char **env)
{
    const char *n = getenv("REFUSE");
    on = getenv("REFUSE_ON") != NULL;
    unsetenv("LD_PRELOAD");                              /* children have their memory */
    dl_iterate_phdr(note, NULL);
    atomic_store(&nth, n ? atol(n) : 0);
    atomic_store(&ready, true);
    return program(argc, argv, env);
}

int __libc_start_main(int (*f)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loaded)(void), void *stack)
{
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    void *const at = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&start, &at, sizeof start);
    program = f;
    return start(counted_main, argc, argv, init, fini, loaded, stack);
}

__attribute__((destructor)) static void end(void)
{
    const char *file = getenv("REFUSE_COUNT");
    atomic_store(&ready, false);
    FILE *f = file ? fopen(file, "w") : NULL;
    if (f) fprintf(f, "%ld\n", atomic_load(&made)), fclose(f);
}
