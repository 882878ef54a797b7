/* cli/channel.c - messages between the tool and the watchers of a job, over a socket of this host or over TCP.
 *
 * An address is "unix:PATH" or "tcp:PORT:HOST,HOST...", all addresses of the host where the tool runs: a watcher tries
 * one after the other. */
#include "job.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* bytes of a message; milliseconds of a connection; seconds of a host that does not answer */
enum { LARGEST = 1 << 26, PATIENCE = 3000, SILENT = 30 };
typedef struct { uint32_t kind, bytes; } message_head;

bool job_write(int to, const void *data, size_t bytes)
{
    for (const char *p = data; bytes;) {
        const ssize_t n = write(to, p, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {
            struct pollfd one = { to, POLLOUT, 0 };
            poll(&one, 1, -1);
            continue;
        }
        if (n <= 0) return false;
        p += n, bytes -= (size_t)n;
    }
    return true;
}

bool job_send(int to, int kind, const void *data, size_t bytes, const int *file)
{
    const message_head head = { (uint32_t)kind, (uint32_t)bytes };
    struct iovec part = { (void *)&head, sizeof head };
    union { struct cmsghdr head; char buffer[CMSG_SPACE(JOB_FILES * sizeof(int))]; } with = { 0 };
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
    if (to < 0 || bytes > LARGEST) return false;
    if (file) {
        m.msg_control = &with, m.msg_controllen = sizeof with;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        *c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
                               .cmsg_len = CMSG_LEN(JOB_FILES * sizeof(int)) };
        memcpy(CMSG_DATA(c), file, JOB_FILES * sizeof(int));
    }
    ssize_t n;
    do n = sendmsg(to, &m, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof head && job_write(to, data, bytes);
}

static bool receive_all(int from, void *data, size_t bytes)
{
    for (char *p = data; bytes;) {
        const ssize_t n = recv(from, p, bytes, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n, bytes -= (size_t)n;
    }
    return true;
}

bool job_receive(int from, job_message *m, int *file)
{
    message_head head;
    struct iovec part = { &head, sizeof head };
    union { struct cmsghdr head; char buffer[CMSG_SPACE(JOB_FILES * sizeof(int))]; } with = { 0 };
    struct msghdr in = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof with };
    ssize_t n;
    *m = (job_message){ 0 };
    for (int i = 0; file && i < JOB_FILES; i++) file[i] = -1;
    do n = recvmsg(from, &in, MSG_WAITALL | MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof head || head.bytes > LARGEST) return false;
    const struct cmsghdr *c = CMSG_FIRSTHDR(&in);
    if (file && c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(JOB_FILES * sizeof(int)))
        memcpy(file, CMSG_DATA(c), JOB_FILES * sizeof(int));
    *m = (job_message){ (int)head.kind, head.bytes, calloc(1, head.bytes + 1) };
    if (m->data && receive_all(from, m->data, head.bytes)) return true;
    free(m->data);
    m->data = NULL;
    return false;
}

/* ---- addresses ---- */

/* Writes the addresses of this host's networks, or the loopback's if there are none. */
static void own_addresses(char *to, size_t capacity)
{
    struct ifaddrs *all = NULL;
    size_t n = 0;
    if (getifaddrs(&all)) all = NULL;
    for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
        char name[INET6_ADDRSTRLEN];
        const struct sockaddr_in6 *six = (const void *)i->ifa_addr;
        const bool v4 = i->ifa_addr && i->ifa_addr->sa_family == AF_INET;
        const bool v6 = i->ifa_addr && i->ifa_addr->sa_family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr);
        if ((!v4 && !v6) || !(i->ifa_flags & IFF_UP) || i->ifa_flags & IFF_LOOPBACK) continue;
        if (getnameinfo(i->ifa_addr, v4 ? sizeof(struct sockaddr_in) : sizeof *six, name, sizeof name, NULL, 0,
                        NI_NUMERICHOST)) continue;
        if (n + strlen(name) + 2 > capacity) continue;
        n += (size_t)snprintf(to + n, capacity - n, "%s%s", n ? "," : "", name);
    }
    if (!n) snprintf(to, capacity, "127.0.0.1");
    freeifaddrs(all);
}

/* A socket at any free port of this host, of IPv6 and IPv4 or, without IPv6, of IPv4. */
static int listen_far(char *address, size_t capacity)
{
    const int off = 0;
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = in6addr_any };
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY) };
    socklen_t size = sizeof six;
    char hosts[2048];
    int s = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s >= 0 && (setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) ||
                   bind(s, (const struct sockaddr *)&six, sizeof six))) close(s), s = -1;
    if (s < 0) {
        s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (s < 0 || bind(s, (const struct sockaddr *)&four, sizeof four)) return -1;
    }
    if (listen(s, 1024) || getsockname(s, (struct sockaddr *)&six, &size)) return -1;
    own_addresses(hosts, sizeof hosts);                  /* the port is at the same place in both families */
    snprintf(address, capacity, "tcp:%d:%s", ntohs(six.sin6_port), hosts);
    return s;
}

static bool socket_of(const char *path, struct sockaddr_un *at)
{
    *at = (struct sockaddr_un){ .sun_family = AF_UNIX };
    errno = ENAMETOOLONG;
    return snprintf(at->sun_path, sizeof at->sun_path, "%s", path) < (int)sizeof at->sun_path;
}

int job_listen(const char *dir, bool far, char *address, size_t capacity)
{
    struct sockaddr_un at;
    char path[CLI_PATH];
    if (far) return listen_far(address, capacity);
    snprintf(path, sizeof path, "%s/job", dir);
    snprintf(address, capacity, "unix:%s", path);
    const int s = socket_of(path, &at) ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (s < 0 || (!bind(s, (const struct sockaddr *)&at, sizeof at) && !listen(s, 1024))) return s;
    close(s);
    return -1;
}

/* The other host may be cut off without a word: then the connection ends after SILENT seconds. */
void job_watch_far(int s)
{
    const int on = 1, idle = SILENT / 3, every = SILENT / 6, count = 4;
    const unsigned most = 1000 * SILENT;
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(s, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(s, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(s, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
    setsockopt(s, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    setsockopt(s, IPPROTO_TCP, TCP_USER_TIMEOUT, &most, sizeof most);
}

/* Connects within PATIENCE, or not. */
static int connect_soon(int family, const struct sockaddr *at, socklen_t size)
{
    const int s = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int failed = 0;
    socklen_t n = sizeof failed;
    if (s < 0) return -1;
    if (connect(s, at, size)) {
        struct pollfd one = { s, POLLOUT, 0 };
        failed = errno;
        if (failed == EINPROGRESS) {
            failed = ETIMEDOUT;
            if (poll(&one, 1, PATIENCE) == 1) getsockopt(s, SOL_SOCKET, SO_ERROR, &failed, &n);
        }
    }
    if (failed) {
        close(s);
        errno = failed;
        return -1;
    }
    job_watch_far(s);
    return s;
}

static int connect_far(const char *port, const char *hosts)
{
    char number[8], host[INET6_ADDRSTRLEN];
    snprintf(number, sizeof number, "%.*s", (int)strcspn(port, ":"), port);
    errno = EHOSTUNREACH;
    for (const char *p = hosts; *p; p += *p == ',') {
        const size_t n = strcspn(p, ",");
        const struct addrinfo want = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM };
        struct addrinfo *at;
        snprintf(host, sizeof host, "%.*s", (int)n, p);
        p += n;
        if (getaddrinfo(host, number, &want, &at)) continue;
        const int s = connect_soon(at->ai_family, at->ai_addr, at->ai_addrlen);
        freeaddrinfo(at);
        if (s < 0) continue;
        fcntl(s, F_SETFL, 0);
        return s;
    }
    return -1;
}

int job_connect(const char *address)
{
    struct sockaddr_un at;
    const char *hosts = !strncmp(address, "tcp:", 4) ? strchr(address + 4, ':') : NULL;
    if (hosts) return connect_far(address + 4, hosts + 1);
    errno = EINVAL;
    if (strncmp(address, "unix:", 5) || !socket_of(address + 5, &at)) return -1;
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0 || !connect(s, (const struct sockaddr *)&at, sizeof at)) return s;
    const int failed = errno;
    close(s);
    errno = failed;
    return -1;
}
