/* bench/checkpoint.c - saving and restoring sharded arrays beside the disk's own speed, in turns: a gigabyte is written
 * to one file and synced, saved as a checkpoint (synced, committed), read from the file, restored from the checkpoint.
 * What was written is put out of the page cache before it is read (how much of it stayed there is said: with all of it,
 * "disk" would mean memory), and both are read once more from the cache. The disk's own reading goes into one buffer
 * again and again; a restore makes arrays. So a round before the others, whose memory is new, is told but not counted:
 * where the machine is a virtual one, touching memory for the first time may take longer than the disk. Memory is the
 * process's own peak, above the arrays.
 *
 * usage: checkpoint [FOLDER [MIB [ROUNDS]]]: by default the current folder, 1024, 3. Medians. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <tutti.h>
#include <unistd.h>

enum { LEAVES = 32, MOST = 32 };
static const size_t PIECE = 4 << 20;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(bool good, const char *what)
{
    if (good) return;
    perror(what);
    exit(1);
}

static double raw_write(const char *path, const char *piece, size_t bytes)
{
    const double begin = now();
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    must(fd >= 0, path);
    for (size_t n = 0; n < bytes; n += PIECE) must(write(fd, piece, PIECE) == (ssize_t)PIECE, path);
    must(!fsync(fd) && !close(fd), path);
    return now() - begin;
}

static double raw_read(const char *path, char *piece)
{
    const double begin = now();
    const int fd = open(path, O_RDONLY);
    must(fd >= 0, path);
    while (read(fd, piece, PIECE) > 0) ;
    close(fd);
    return now() - begin;
}

static void out_of_cache(const char *path)
{
    struct stat s;
    if (stat(path, &s)) return;
    if (S_ISREG(s.st_mode)) {
        const int fd = open(path, O_RDONLY);
        must(fd >= 0 && !posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) && !close(fd), path);
        return;
    }
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char below[4096];
        if (e->d_name[0] == '.') continue;
        if (snprintf(below, sizeof below, "%s/%s", path, e->d_name) < (int)sizeof below) out_of_cache(below);
    }
    if (d) closedir(d);
}

/* Percent of a file that is in the page cache; of one that cannot be mapped, -1. */
static double in_cache(const char *path)
{
    struct stat s;
    const int fd = open(path, O_RDONLY);
    must(fd >= 0 && !fstat(fd, &s), path);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), n = ((size_t)s.st_size + page - 1) / page;
    void *at = n ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    unsigned char *has = malloc(n + 1);
    close(fd);
    size_t there = 0;
    const int known = has && at != MAP_FAILED && !mincore(at, (size_t)s.st_size, has);
    for (size_t i = 0; known && i < n; i++) there += has[i] & 1;
    if (at != MAP_FAILED) munmap(at, (size_t)s.st_size);
    free(has);
    return known ? 100.0 * (double)there / (double)n : -1;
}

/* Resident memory in MiB: now, or at its peak since peak_anew(). */
static double resident(const char *what)
{
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, what, strlen(what))) kib = atof(line + strlen(what) + 1);
    if (f) fclose(f);
    return kib / 1024;
}

static void peak_anew(void)
{
    const int fd = open("/proc/self/clear_refs", O_WRONLY);
    if (fd >= 0) must(write(fd, "5", 1) == 1 && !close(fd), "/proc/self/clear_refs");
}

static tt_val arrays(int64_t mib)
{
    const tt_mesh mesh = tt_mesh("data:2, model:4");
    tt_val v = tt_dict_n(0, 0, NULL, NULL);
    for (int i = 0; i < LEAVES; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%d", i);
        const tt_val w = tt_normal(tt_key(i), TT_F32, 1024, mib * 256 / LEAVES);
        v = tt_set_at(0, v, name, tt_shard(w, mesh, i % 2 ? "data, model" : "model, data"));
    }
    return v;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return x[n / 2];
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    const int64_t mib = argc > 2 ? atoll(argv[2]) / LEAVES * LEAVES : 1024;
    const int rounds = argc > 3 && atoi(argv[3]) < MOST ? atoi(argv[3]) : 3;
    double t[6][MOST], more[2][MOST];
    char raw[4096], saved[4096], command[8400];
    char *piece = malloc(PIECE);
    if (mib < LEAVES || rounds < 1 || !piece) return fprintf(stderr, "checkpoint [FOLDER [MIB [ROUNDS]]]\n"), 2;
    for (size_t i = 0; i < PIECE; i++) piece[i] = (char)(i * 2654435761u >> 13);
    snprintf(raw, sizeof raw, "%s/tutti-bench-raw", dir);
    snprintf(saved, sizeof saved, "%s/tutti-bench-saved", dir);
    snprintf(command, sizeof command, "rm -rf '%s' '%s'", raw, saved);
    for (int turn = 0; turn <= rounds && tt_ok(); turn++) {
        const int r = turn ? turn - 1 : 0;               /* the first one is written over */
        const tt_scope scope = tt_scope_open();
        const tt_val v = arrays(mib), like = tt_like(v);
        tt_wait(v);
        t[0][r] = raw_write(raw, piece, (size_t)mib << 20);
        peak_anew();
        const double before = resident("VmRSS");
        double begin = now();
        tt_save(saved, v);
        t[1][r] = now() - begin;
        more[0][r] = resident("VmHWM") - before;
        out_of_cache(raw), out_of_cache(saved);
        const double stayed = in_cache(raw);
        t[2][r] = raw_read(raw, piece);
        peak_anew();
        const double between = resident("VmRSS");
        begin = now();
        tt_wait(tt_load(saved, .like = like));
        t[3][r] = now() - begin;
        more[1][r] = resident("VmHWM") - between - (double)mib;
        t[4][r] = raw_read(raw, piece);
        begin = now();
        tt_wait(tt_load(saved, .like = like));
        t[5][r] = now() - begin;
        tt_scope_close(scope);
        if (system(command)) return 1;
        printf("%s%d: disk writes %.2f s, save %.2f s (%.2f), %+.0f MiB; ", turn ? "" : "new memory, ", turn, t[0][r],
               t[1][r], t[1][r] / t[0][r],
               more[0][r]);
        printf("disk reads %.2f s, restore %.2f s (%.2f), %+.0f MiB; ", t[2][r], t[3][r], t[3][r] / t[2][r],
               more[1][r]);
        printf("%.0f %% of it were in memory; all: %.2f s, %.2f s (%.2f)\n", stayed, t[4][r], t[5][r],
               t[5][r] / t[4][r]);
    }
    if (!tt_ok()) return tt_done();
    const double write = median(t[0], rounds), save = median(t[1], rounds);
    const double read = median(t[2], rounds), restore = median(t[3], rounds);
    const double again = median(t[4], rounds), restored = median(t[5], rounds);
    printf("%lld MiB, medians of %d: save %.2f of the disk's own %.2f s, restore %.2f of its %.2f s; from memory %.2f "
           "of "
           "%.2f s\n",
           (long long)mib, rounds, save / write, write, restore / read, read, restored / again, again);
    free(piece);
    return tt_done();
}
