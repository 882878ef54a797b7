/* wire/inner.h - declarations shared by the files of src/wire; no other room includes this header. */
#ifndef TUTTI_WIRE_INNER_H
#define TUTTI_WIRE_INNER_H

#include "wire.h"

#include <stdatomic.h>

/* ---- shared.c: all ranks of a host have mapped the memory of each ---- */

enum { WIRE_MAIL = 4096 - 4 * 8 };                       /* the most bytes of a part that is copied into a mailbox */
void wire_share_off(void);                               /* from now on all goes through the engine, on all ranks */
bool wire_share(base_site);                              /* called by all ranks together; false with the error set */
bool wire_crowded(void);                                 /* True if the host has more ranks than processors */
/* Sends a part; *number: of the message, among those to this rank. False: the receiver's mailbox is full. */
bool wire_mail(const wire_part *, uint64_t *number);
uint64_t wire_mail_expected(int rank);                   /* the number of the next message from the rank */
/* 1: the message has come; it was copied to p->at, or p->in_place: p->at is set to where it is. 0: not yet. -1: it is
 * another one than expected. *bytes: of the message. */
int  wire_mail_come(wire_part *p, uint64_t number, int64_t *bytes);
void wire_mail_read(int rank, uint64_t number);          /* this rank has read the message */
bool wire_mail_was_read(int rank, uint64_t number);      /* True if the rank has read this rank's message */

/* ---- post.c: as an engine's functions; wire_come closes a post, unless it has parts that are read in place ---- */

uint32_t wire_start(int nrecv, wire_part *recv, int nsend, const wire_part *send, const char **why);
int  wire_come(uint32_t post, const char **why);         /* 1: all has come; 0: not yet; -1: failed */
int  wire_gone(uint32_t post, const char **why);         /* 1: what was sent in place was read; the post is closed */
int  wire_missing(uint32_t post, int n, int *rank);

/* ---- wire.c ---- */

/* Calls done until it does not return 0, and returns that; 0: the patience has ended. */
int  wire_poll(int (*done)(void *env, const char **why), void *env, const char **why);

#endif
