/* metrics/metrics.h - declarations shared by the files of src/metrics; no other room includes this header. */
#ifndef TUTTI_METRICS_ROOM_H
#define TUTTI_METRICS_ROOM_H

#include <tutti/form.h>

enum { METRICS_PATH = 4096, METRICS_NAME = 512 };

/* ---- a tree as a list of names and arrays (leaves.c) ---- */

typedef struct { char name[METRICS_NAME]; tt_val v; } metrics_leaf;
typedef struct { int n, cap; metrics_leaf *at; } metrics_list;
/* Names in their order, to find one: malloc'ed; NULL: no memory. */
typedef struct { const char *name; int at; } metrics_word;
metrics_word *metrics_words(int n, const char *(*name)(const void *of, int i), const void *of);
int metrics_words_find(const metrics_word *, int n, const char *name);         /* its place; -1: it is not there */
const char *metrics_words_twice(const metrics_word *, int n);                  /* a name that is there twice, or NULL */
/* `what` begins the errors. The caller frees the list, after an error too. */
bool metrics_list_of(const char *site, const char *what, tt_val tree, metrics_list *);
void metrics_list_free(metrics_list *);
const char *metrics_leaf_name(const void *list, int i);
/* A real number: as a double, and as the shortest text that reads back as the same value of its dtype. */
typedef struct { double value; char text[40]; } metrics_number;
bool metrics_number_of(const char *site, const metrics_leaf *, metrics_number *);

/* ---- a file that grows by complete lines or records (file.c) ---- */

typedef struct { unsigned char *p; size_t n, cap; bool failed; } metrics_bytes;
typedef struct {
    int fd; int64_t end;
    bool unsynced, lost;                                 /* lost: an fsync has failed, the next ones prove nothing */
    char path[METRICS_PATH];
    char *head;                                          /* the first line of a file that was there; NULL: none */
} metrics_file;
/* Opens a file of lines that begins with `title`, to append to it. An incomplete last line is taken away. */
bool metrics_file_open(const char *site, metrics_file *, const char *path, const char *title);
/* The lines of steps before `purge`, each of which begins with `start` and its step, behind a first line that is a
 * title; kept->p NULL: those are all. False with the error set: a line has no step. */
bool metrics_file_before(const char *site, const metrics_file *, bool titled, const char *start, int64_t purge,
                         metrics_bytes *kept);
bool metrics_file_replace(const char *site, metrics_file *, const metrics_bytes *); /* writes the file anew */
bool metrics_file_new(const char *site, metrics_file *, const char *path);     /* an error if the file exists */
bool metrics_file_append(const char *site, metrics_file *, const void *data, size_t n);
bool metrics_file_sync(const char *site, metrics_file *);
void metrics_file_close(metrics_file *);
bool metrics_folder_make(const char *site, const char *path);                  /* and the folders that it is in */

/* ---- lines (lines.c) ---- */

void metrics_put_json(FILE *, const char *text);         /* a JSON string */
bool metrics_is_utf8(const char *text);
void metrics_put_json_head(FILE *, int64_t step, double wall);
void metrics_put_json_number(FILE *, const char *name, const metrics_number *);
typedef struct { int n; char **name; } metrics_columns;  /* without step and wall_time */
enum { METRICS_CSV_TITLE_BYTES = 14 };
#define METRICS_CSV_TITLE    "step,wall_time"
#define METRICS_JSON_HEAD    "{\"step\": "                 /* a line of JSON begins with it */
bool metrics_columns_of(const char *site, const char *words, metrics_columns *);       /* of .columns */
bool metrics_columns_read(const char *site, const char *path, const char *head, metrics_columns *);
bool metrics_columns_add(const char *site, metrics_columns *, const char *name, size_t n);
void metrics_columns_free(metrics_columns *);
bool metrics_columns_equal(const metrics_columns *, const metrics_columns *);
bool metrics_columns_have(const char *site, const char *path, const metrics_columns *, const metrics_list *);
void metrics_put_csv_title(FILE *, const metrics_columns *);
/* False: there is no memory. */
bool metrics_put_csv(FILE *, const metrics_columns *, int64_t step, double wall, const metrics_list *,
                     const metrics_number *);

/* ---- histograms and images ---- */

typedef struct {
    int64_t bins, n, left_out;                           /* n: values in bins; left_out: NaN and infinities */
    double least, most, sum, squares, *edge, *count;     /* edge: [bins + 1] */
} metrics_histogram;
bool metrics_histogram_of(const char *site, const double *x, int64_t n, int64_t bins, metrics_histogram *);
void metrics_histogram_free(metrics_histogram *);
void metrics_put(metrics_bytes *, const void *data, size_t n);
/* PNG of h x w pixels with 1, 3 or 4 bytes each. */
void metrics_put_png(metrics_bytes *, const unsigned char *pixel, uint32_t h, uint32_t w, int channels);

/* ---- event files (events.c): records of protocol buffers with checksums ---- */

bool metrics_events_open(const char *site, metrics_file *, const char *folder, double wall, const int64_t *purge);
typedef struct { int64_t step; double wall; metrics_bytes value; } metrics_event;
void metrics_event_scalar(metrics_event *, const char *tag, double x);
void metrics_event_histogram(metrics_event *, const char *tag, const metrics_histogram *);
void metrics_event_image(metrics_event *, const char *tag, const metrics_bytes *png, int64_t h, int64_t w,
                         int channels);
void metrics_event_text(metrics_event *, const char *tag, const char *text);
bool metrics_event_write(const char *site, metrics_file *, metrics_event *);   /* and frees it */

/* ---- what the calls that write have of an open writer (writer.c) ---- */

enum { METRICS_JSONL = 1, METRICS_CSV = 2, METRICS_EVENTS = 4 };
/* True if the writer is open and has a file of one of the formats, and the step is one; else sets the error. */
bool metrics_may_write(const char *site, const char *what, tt_metric_writer, int64_t step, int formats);
bool metrics_is_silent(tt_metric_writer);                /* True if this process writes nothing */
/* True if no error is set. In a job all processes call it together, unless each writes its own files: then true if none
 * of them has an error, and all are at this call with the same step and names (l; NULL: none). Else sets the error. */
bool metrics_agree(const char *site, const char *what, tt_metric_writer, int64_t step, const metrics_list *l);
metrics_file *metrics_events_of(tt_metric_writer), *metrics_jsonl_of(tt_metric_writer);         /* NULL: none */
/* Appends what was written to a stream in memory; frees it. */
bool metrics_append_text(const char *site, metrics_file *, FILE *, char **text, size_t *bytes);
metrics_event metrics_event_now(int64_t step);

#endif
