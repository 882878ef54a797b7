/* viz/kept.c - the texts of viz/kept.h. They belong to a thread and go with it: the system calls texts_free when a
 * thread ends, and texts_leave at the end of the program, whose main thread does not end before. */
#include "kept.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct { char *text[VIZ_STATES]; } texts;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void texts_free(void *p)
{
    texts *t = p;
    for (int i = 0; i < VIZ_STATES; i++) free(t->text[i]);
    free(t);
}

static void texts_leave(void)
{
    texts *t = pthread_getspecific(key);
    if (t) pthread_setspecific(key, NULL), texts_free(t);
}

static void begin(void)
{
    pthread_key_create(&key, texts_free);
    atexit(texts_leave);
}

char *viz_keep(viz_kind kind, char *text)
{
    pthread_once(&once, begin);
    texts *t = pthread_getspecific(key);
    if (!t && (t = calloc(1, sizeof *t)) && pthread_setspecific(key, t)) free(t), t = NULL;
    if (!t) return free(text), NULL;
    free(t->text[kind]);
    return t->text[kind] = text;
}
