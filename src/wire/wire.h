/* wire/wire.h - bytes between the ranks of a job: the engine's interface, its opening, meetings of all ranks.
 *
 * A rank is a process of a job that a launcher started. All ranks run one program, so sender and receiver of each
 * message know it from the plan: a message has no tag, and parts between two ranks arrive in the order in which both
 * ranks post them. One thread of a rank at a time calls an engine: the thread that holds the lock of launches. */
#ifndef TUTTI_WIRE_H
#define TUTTI_WIRE_H

#include "../base/base.h"

enum { WIRE_ABI = 2 };

/* Bytes that go to a rank, or come from a rank.
 * - most: of a receive: the size of the memory, if that is more: so much of a message of another size is there after
 *   the post has failed.
 * - in_place: only between ranks that share memory: the bytes to be sent are in the memory of wire_pages, of this rank
 *   or of another of the host, and the receiver reads them there: its wait sets `at`. */
typedef struct { int rank; void *at; int64_t bytes, most; bool in_place; } wire_part;

/* How an engine calls its host. stuck: the engine's start or end has taken longer than the deadline; does not
 * return. */
typedef struct wire_host {
    size_t size;
    double deadline;                                     /* seconds for the start, and for the end */
    void (*stuck)(const char *doing, double seconds);
} wire_host;

typedef struct wire_engine {
    size_t size;                                         /* of this struct, to find another version */
    const char *name;                                    /* "Open MPI 4.1.4" */
    int me, ranks, host, hosts;                          /* host: number of this rank's host */
    const int *host_of;                                  /* [ranks] */
    /* Starts receives and sends. Parts from one rank arrive in the order given, a part for each part that the rank
     * sends, of the same number of bytes. All memory stays in use until `done`. Returns the number of the post, or 0
     * with *why set. */
    uint32_t (*post)(int nrecv, const wire_part *recv, int nsend, const wire_part *send, const char **why);
    /* 1: all parts of the post have arrived and have been sent. 0: not yet. -1: failed, *why says how. Makes progress,
     * never waits. */
    int (*done)(uint32_t post, const char **why);
    /* Writes the ranks whose parts have not arrived to rank[], at most n; returns their number. */
    int (*missing)(uint32_t post, int n, int *rank);
    /* well: all ranks come here, and the engine ends. Else the whole job ends with the code; returns only if the
     * engine has ended before. */
    void (*end)(bool well, int code);
} wire_engine;
/* The entry point of the plug-in libtutti_mpi_NAME.so. NULL: the engine cannot start here, *why says why. */
typedef const wire_engine *wire_plugin(uint32_t abi, const wire_host *, const char **why);

/* ---- opening ---- */

bool wire_in_job(void);                                  /* True if a launcher of MPI has started this process */
/* Finds and loads the plug-in, without starting it; report: what was found, and why not another, for doctor. */
bool wire_find(base_text *report, wire_plugin **);
/* Starts the engine; returns when all ranks of the job have. False with the error set. */
bool wire_open(base_site, base_arena *, const wire_host *);

/* ---- over the engine; all ranks call these in one order ---- */

enum { WIRE_PATIENCE = 30 };                             /* seconds */

void wire_use(const wire_engine *);                      /* the engine of this job; NULL: one process */
const wire_engine *wire_now(void);
int    wire_rank(void), wire_ranks(void);                /* 0 and 1 without an engine */
void   wire_set_patience(double seconds);                /* the longest wait for another rank */
double wire_patience(void);
/* Simulates a link, to try programs on a network that is not there: messages arrive one after the other, as late as
 * over the link, and none goes through shared memory. latency: seconds; per_byte: seconds per byte. All ranks call it
 * together. */
void   wire_set_link(double latency, double per_byte);
/* True if messages have failed: a rank did not come in time, or came with something else. What other ranks send is then
 * unknown, so from then on each of these functions fails at once, as after wire_end. */
bool   wire_failed(void);

/* Ends the engine (wire_engine.end); no message after that. */
void   wire_end(bool well, int code);

/* Every message begins with a head, alone or with at most WIRE_SMALL bytes behind it: which step of which program sent
 * it, in which turn, and the user's line. Ranks that do not run the same program so end with an error that has both
 * lines. A turn is a launch, a move or a meeting of the ranks; all ranks count turns alike. program: a hash. */
/* stop: wire_request_stop. */
typedef struct { uint64_t program; uint32_t turn, step, stop; char line[44]; } wire_head;
/* Memory for a first message, of whatever kind it turns out to be. */
enum { WIRE_SMALL = 1024 };
typedef struct { wire_head head; char rest[WIRE_SMALL]; } wire_first;
typedef struct { int rank; wire_head *head; } wire_sender;
uint32_t wire_turns(void);                               /* number of turns so far */
uint32_t wire_turn(void);                                /* begins the next turn; returns its number */
wire_head wire_head_of(uint64_t program, uint32_t turn, uint32_t step, base_site, const char *what);
/* Empties the heads that will be received, and starts a post. 0 with the error set. */
uint32_t wire_post(base_site, int nfrom, const wire_sender *from, int nrecv, wire_part *recv, int nsend,
                   const wire_part *send, const char *what);
/* Waits for a post whose messages begin with heads. False with the error set:
 * - a head is not of the same step as `mine`: the error has both lines;
 * - the messages did not come within the patience: the error names the ranks that are missing, the site, and `what`;
 * - the engine failed. */
bool wire_wait(base_site, uint32_t post, const wire_head *mine, int nfrom, const wire_sender *from, const char *what);
/* Moves the messages of open posts on, where the engine moves them only in its calls. */
void wire_progress(void);
/* Of a post with parts in place, after the wait. wire_read: tells the senders that this rank has read their parts.
 * wire_end_post: waits until the receivers have read this rank's parts, which must not change before. */
void wire_read(uint32_t post);
bool wire_end_post(base_site, uint32_t post, const char *what);

/* ---- memory that the ranks of a host share (shared.c) ---- */

bool  wire_shares(int rank);                             /* True if this rank and another one share memory */
bool  wire_shares_all(void);                             /* True if this rank shares memory with all of its host */
/* As base_pages; from WIRE_PAGE on in the memory that the ranks of this host share, if they do. */
enum { WIRE_PAGE = 4096 };
void *wire_pages(size_t bytes);
void  wire_pages_free(void *, size_t bytes);
int64_t wire_offset(const void *);                       /* in the shared memory of this rank; -1: not in it */
int64_t wire_offset_of(int rank, const void *);          /* in that of a rank of this host */
bool  wire_is_shared(const void *);                      /* True if it is in the shared memory of a rank of this host */
void *wire_at(int rank, int64_t offset);                 /* the same memory, of a rank that shares it */

/* All ranks stop at one turn. wire_request_stop: this rank requests a stop at a turn a little later, which the heads of
 * its messages tell the others. wire_stops: true if that turn has come. */
void   wire_request_stop(void), wire_forget_stop(void);
bool   wire_stops(void);

/* Steps of heads that are not of exchanges: meetings, the first launch of a plan, gathers, broadcasts. */
enum { WIRE_MEETING = -1, WIRE_FIRST = -2, WIRE_GATHER = -3, WIRE_TREE = -4, WIRE_PARTS = -5 };
/* Returns when all ranks are here with the same word, step and turn; else sets the error. After a WIRE_MEETING of other
 * words messages go on, since all ranks know of it. */
bool wire_agree(base_site, uint64_t word, uint32_t turn, int32_t step, const char *what);
/* Sets *first to the lowest rank that is not good, or to the number of ranks. False with the error set: the messages
 * failed. */
bool wire_first_bad(base_site, bool good, int *first, const char *what);
/* Writes the bytes of rank r to all + r * bytes. Each rank sends to each other: for small things. */
bool wire_gather(base_site, const void *mine, int64_t bytes, void *all, const char *what);
/* A message for each part, of known size, in the order given; a rank may have several, or none. After a failure the
 * memory of the parts stays in use. */
bool wire_exchange(base_site, int nrecv, const wire_part *recv, int nsend, const wire_part *send, const char *what);
bool wire_broadcast(base_site, int from, void *at, int64_t bytes, const char *what);
/* Returns when all ranks are here with the same name. After other names messages go on: all ranks know of it. */
bool wire_meet(base_site, const char *name);

#endif
