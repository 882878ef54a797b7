/* topology.c - compiles programs for devices that are not here, by a library of PJRT that can compile ahead of time.
 *
 * usage: topology LIBRARY.so CONFIG DEVICES FILE.mlir...
 * CONFIG: a file that describes one device (h100.txtpb). Prints a line for each program: its seconds, or the library's
 * message; the exit status is 1 if one of them did not compile.
 *
 * The options of a compilation are those that Tutti's plug-in gives: its source is included. */
#include "../../src/pjrt/program.c"

#include <dlfcn.h>

/* Functions of PJRT's table behind those that the plug-in calls, as numbers from Buffer_ReadyEvent on. */
enum { TOPOLOGY_CREATE = 10, COMPILE = 17 };
typedef struct pjrt_topology pjrt_topology;
typedef struct { /* out: topology */
    pjrt_head head;
    const char *name;
    size_t nname;
    const pjrt_option *option;
    size_t noption;
    pjrt_topology *topology;
} pjrt_describe_devices;
typedef struct { /* out: executable */
    pjrt_head head;
    const pjrt_topology *topology;
    const pjrt_program *program;
    const char *options;
    size_t noptions;
    pjrt_client *client;
    pjrt_executable *executable;
} pjrt_compile_ahead;

static pjrt_error *call(const pjrt_api *api, int number, void *arg)
{
    pjrt_error *(*f)(void *);
    memcpy(&f, (const char *)api + offsetof(pjrt_api, Buffer_ReadyEvent) + (size_t)number * sizeof f, sizeof f);
    return f(arg);
}

static char *file(const char *path, size_t *n)
{
    FILE *const f = fopen(path, "rb");
    char *text = NULL;
    *n = 0;
    for (size_t got = 1; f && got; *n += got) {
        text = realloc(text, *n + (1 << 20) + 1);
        got = fread(text + *n, 1, 1 << 20, f);
    }
    if (f) fclose(f);
    if (text) text[*n] = '\0';
    return text;
}

static pjrt_topology *devices(const pjrt_api *api, const char *config, int n, const char **why)
{
    char shape[32];
    size_t bytes;
    const char *const text = file(config, &bytes);
    if (!text) return *why = "there is no such description of a device", NULL;
    snprintf(shape, sizeof shape, "1x1x%d", n);
    const pjrt_option option[] = {
        { .head = { sizeof *option, NULL }, .name = "target_config", .nname = 13, .text = text, .count = bytes },
        { .head = { sizeof *option, NULL }, .name = "topology", .nname = 8, .text = shape, .count = strlen(shape) },
    };
    PJRT_CALL(pjrt_describe_devices, d, .name = "", .option = option, .noption = 2);
    return pjrt_good(api, call(api, TOPOLOGY_CREATE, &d), why) ? d.a.topology : NULL;
}

static bool compiles(const pjrt_api *api, const pjrt_topology *t, int n, const char *path)
{
    static const char format[] = "mlir";
    static proto options;
    size_t bytes;
    struct timespec from, to;
    const char *why = "no such file", *const text = file(path, &bytes);
    const pjrt_program program = { { sizeof program, NULL }, text, bytes, format, sizeof format - 1 };
    options_of(n, NULL, false, &options);
    PJRT_CALL(pjrt_compile_ahead, c, .topology = t, .program = &program, .options = (char *)options.at,
              .noptions = options.n);
    clock_gettime(CLOCK_MONOTONIC, &from);
    const bool good = text && pjrt_good(api, call(api, COMPILE, &c), &why);
    clock_gettime(CLOCK_MONOTONIC, &to);
    const double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
    if (good) printf("compiled %s in %.2f s\n", path, seconds);
    else printf("FAIL %s: %s\n", path, why);
    fflush(stdout);
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 5) return fprintf(stderr, "usage: topology LIBRARY.so CONFIG DEVICES FILE.mlir...\n"), 2;
    setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0);
    void *const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), *const at =
                                                                      library ? dlsym(library, "GetPjrtApi") : NULL;
    const pjrt_api *(*get)(void);
    const char *why = "";
    if (!at) return fprintf(stderr, "%s: %s\n", argv[1], library ? "no GetPjrtApi" : dlerror()), 2;
    memcpy(&get, &at, sizeof get);
    const pjrt_api *const api = get();
    pjrt_nothing none = { { sizeof none, NULL } };
    const int n = atoi(argv[3]);
    const pjrt_topology *const t =
        pjrt_good(api, api->Plugin_Initialize(&none), &why) ? devices(api, argv[2], n, &why) : NULL;
    if (!t) return fprintf(stderr, "no topology: %s\n", why), 2;
    int bad = 0;
    for (int i = 4; i < argc; i++) bad += !compiles(api, t, n, argv[i]);
    return bad > 0;
}
