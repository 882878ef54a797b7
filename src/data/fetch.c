/* data/fetch.c - downloads through the curl program, which is maintained elsewhere, instead of a client of our own.
 *
 * At most 5 s to connect, into a file with a temporary name, then the checksum (CRC-32 of the unpacked content), then
 * rename. A truncated or wrong file is deleted. No failure here is an error of the user's program: it continues with
 * other data and reports why.
 */
#include "data.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *ran(int status)
{
    if (!WIFEXITED(status)) return "curl was stopped";
    switch (WEXITSTATUS(status)) {
    case 0: return NULL;
    case 6: case 7: return "no network, or no such server";
    case 18: return "the transfer was cut off";
    case 22: return "the server has no such file";
    case 23: return "the cache cannot be written";
    case 35: case 60: case 77: return "the server's certificate cannot be checked (is ca-certificates installed?)";
    case 28: return "the server did not answer in time";
    case 127: return "the program curl is not installed";
    default: return "curl failed";
    }
}

bool data_fetch(const char *url, const char *to, uint32_t crc, const char **why)
{
    char part[DATA_PATH];
    pid_t pid;
    int status = 0;
    if (!data_part_of(to, part)) return *why = "the path is too long", false;
    char *argv[] = { "curl", "-fsSL", "--connect-timeout", "5", "--max-time", "300", "-o", part, (char *)url, NULL };
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
    const int started = posix_spawnp(&pid, "curl", &quiet, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (started != 0) return *why = started == ENOENT ? "the program curl is not installed" : strerror(started), false;
    /* A program that ignores SIGCHLD gets no status: the file itself says whether it came. */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    *why = ran(status);
    if (!*why) {
        data_bytes b;
        *why = data_read(part, &b);
        if (!*why && data_crc(b.p, b.n) != crc) *why = "the checksum is wrong";
        data_free(&b);
        if (!*why && rename(part, to) != 0) *why = strerror(errno);
    }
    if (*why) unlink(part);
    return !*why;
}
