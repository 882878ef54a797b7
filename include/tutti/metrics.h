/* tutti/metrics.h - metrics by step, written to files: JSON lines, CSV, and the event files of TensorBoard. The calls
 * are those of CLU's metric writers (clu.metric_writers) and of PyTorch's SummaryWriter.
 *
 *     tt_metric_writer w = tt_metric_writer_open("runs/first");
 *     for (tt_loop it = tt_steps(1000, .bar = "train"); tt_next(&it); ) {
 *         ...
 *         if (it.i % 10 == 0) tt_write_scalars(w, it.i, tt_dict("loss", l, "train/accuracy", a));
 *     }
 *
 * `tensorboard --logdir runs` shows them; in Python pandas.read_json("runs/first/metrics.jsonl", lines=True) reads
 * them.
 *
 * Every call writes complete lines and records at once: a program that is killed loses nothing that it has written.
 * They are on the disk after tt_metric_writer_flush, and after the scope in which the writer was opened has closed. */
#include <tutti.h>
#ifndef TUTTI_METRICS_H
#define TUTTI_METRICS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct { struct tt_metric_writer_s *p; tt_val alive; } tt_metric_writer;  /* belongs to the current scope */
/* Opens files to append to them, and creates missing folders. path: a folder, in which the files of
 * .formats are; or the one file, x.jsonl or x.csv. The formats, by default "jsonl, events":
 * - jsonl: metrics.jsonl, a line for each call: {"step": 10, "wall_time": 1764273866.25, "loss": 0.125, ...}.
 *   wall_time is in seconds since 1970. Numbers are the shortest that read back as the same value; those that JSON
 *   does not have are the texts "NaN", "Infinity", "-Infinity", as in Protobuf's JSON.
 * - csv: metrics.csv, a line for each call: step, wall_time, and the scalars. The columns are those of .columns,
 *   "loss, accuracy", or else of the file's first line, or else of the first call. A scalar without a column is an
 *   error; a column without a scalar stays empty. NaN and infinities are nan, inf, -inf.
 * - events: events.out.tfevents.*, a new file for each writer, as TensorBoard requires. Scalars are float32 there.
 *
 * A file that exists is continued; an incomplete last line is removed.
 * purge_step: records of this step and of later ones are removed first, as by SummaryWriter's purge_step, for a
 * run that goes on at a checkpoint. A path to a file of another kind, and a file that another writer has open, are
 * errors.
 *
 * In a job (tutti/process.h) all processes make the same calls, of the same steps and names, which they compare: a call
 * that differs, or an error of one process, is an error of all. Process 0 alone reads the values and writes.
 * all_processes: each writes its own, to the folder path/rank0, path/rank1, ..., or to x.rank0.jsonl, ..., and nothing
 * is compared.
 * With TUTTI=dry nothing is written. Only one thread at a time may use a writer. */
typedef struct tt_metric_writer_opts {
    TT_OPTION_HEAD
    const char *formats TT_DEFAULT, *columns TT_DEFAULT; int64_t purge_step TT_DEFAULT; int all_processes TT_DEFAULT;
} tt_metric_writer_opts;
#define tt_metric_writer_open(...) TT_METRIC_WRITER_(TT_AT("tt_metric_writer_open(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_METRIC_WRITER_(at, path, ...) tt_metric_writer_open_at(at, path, TT_OPTS(tt_metric_writer_opts, __VA_ARGS__))
TT_API tt_metric_writer tt_metric_writer_open_at(const char *site, const char *path, const tt_metric_writer_opts *);

/* Writes the scalars of a tree: tt_dict("loss", l, "train", tt_dict("accuracy", a)) has the names loss and
 * train/accuracy. Waits until they are computed. Values: real numbers of any dtype, rank 0; step: 0 or more. The
 * names step and wall_time, names given twice, arrays and complex numbers are errors. False with the error set; a
 * call that fails for its arguments has written to no file.
 *     tt_write_scalars(writer, step_number, tt_dict("loss", l)); */
#define tt_write_scalars(w, step, tree) \
    tt_write_scalars_at(TT_AT("tt_write_scalars(" #w ", " #step ", " #tree ")"), w, step, tree)
TT_API bool tt_write_scalars_at(const char *site, tt_metric_writer w, int64_t step, tt_val tree);
/* Writes how often values occur, for each array of a tree: .bins (default 30) of equal width between the least and
 * the greatest, counted as numpy.histogram counts. To events, and to jsonl as {"counts": [...], "edges": [...],
 * "not_finite": 0}. NaN and infinities are in no bin; their number is not_finite, in events the scalar
 * NAME/not_finite where it is not 0. With CSV alone it is an error.
 *     tt_write_histograms(writer, step_number, params, .bins = 50); */
typedef struct tt_write_histograms_opts { TT_OPTION_HEAD int64_t bins TT_FROM_1; } tt_write_histograms_opts;
#define tt_write_histograms(...) TT_HISTOGRAMS_(TT_AT("tt_write_histograms(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_HISTOGRAMS_(at, w, step, tree, ...) \
    tt_write_histograms_at(at, w, step, tree, TT_OPTS(tt_write_histograms_opts, __VA_ARGS__))
TT_API bool tt_write_histograms_at(const char *site, tt_metric_writer w, int64_t step, tt_val tree,
                                   const tt_write_histograms_opts *);
/* Writes images as PNG, for each array of a tree: [H, W], [H, W, C], or [N, H, W, C], with C of 1 (grey), 3 (RGB) or 4
 * (RGBA); u8, or floats from 0 to 1, clamped to that range (NaN is 0). Of N images the names are NAME/0, NAME/1, ... To
 * events alone; a writer without them: an error.
 *     tt_write_images(writer, step_number, tt_dict("digits", images)); */
#define tt_write_images(w, step, tree) \
    tt_write_images_at(TT_AT("tt_write_images(" #w ", " #step ", " #tree ")"), w, step, tree)
TT_API bool tt_write_images_at(const char *site, tt_metric_writer w, int64_t step, tt_val tree);
/* Writes a text under a name, to events, where it is read as Markdown, and to jsonl.
 *     tt_write_text(writer, 0, "settings", "rate **0.1**"); */
#define tt_write_text(w, step, name, text) \
    tt_write_text_at(TT_AT("tt_write_text(" #w ", " #step ", " #name ", " #text ")"), w, step, name, text)
TT_API bool tt_write_text_at(const char *site, tt_metric_writer w, int64_t step, const char *name, const char *text);
/* Waits until all that was written is on the disk (fsync). False with the error set; after an fsync that failed, every
 * flush of this writer fails, as nobody knows what was lost.
 *     tt_metric_writer_flush(writer); */
#define tt_metric_writer_flush(w) tt_metric_writer_flush_at(TT_AT("tt_metric_writer_flush(" #w ")"), w)
TT_API bool tt_metric_writer_flush_at(const char *site, tt_metric_writer w);

#ifdef __cplusplus
}
#endif
#endif
