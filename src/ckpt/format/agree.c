/* ckpt/format/agree.c - agreement of the processes of a job during a save or load: all processes learn whether one of
 * them has failed, and all report its error. */
#include "../ckpt.h"

bool ckpt_in_job(void) { return tt_process_count() > 1 && !ckpt_dry(); }

bool ckpt_agree(const char *site, const char *what, const char *same, double patience, const ckpt_err *e)
{
    if (!ckpt_in_job()) return !e->code;
    const tt_error_info *const before = tt_error_record();
    const tt_agreement mine = { .code = before->code ? before->code : e->code,
                                .text = before->code ? before->message : e->text,
                                .same = same,
                                .patience = patience };
    return tt_process_agree_at(site, what, &mine);
}
