/* Reports as programs hold them. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "session.h"

void report_tell(const HaloSession *session, const HaloNotes *notes)
{
    const HaloOptions *options = &session->options;
    char text[HALO_NOTE_TEXT];
    for (int i = 0; i < HALO_NOTES && options->message != NULL; i++)
        if (halo_note_is_loss((HaloNote)i) && halo_note_text(notes, (HaloNote)i, text) != NULL)
            options->message(options->context, text);
}

/* The texts of losses and changes, in the order of their kinds. */
static HaloStatus keep_notes(HaloReport *report)
{
    char text[HALO_NOTE_TEXT];
    for (int i = 0; i < HALO_NOTES; i++) {
        if (!halo_note_is_loss((HaloNote)i) || halo_note_text(&report->notes, (HaloNote)i, text) == NULL)
            continue;
        char *kept = strdup(text);
        if (kept == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
        report->note[report->note_count++] = kept;
    }
    return HALO_OK;
}

HaloStatus report_give(const HaloSession *session, HaloReport *own, HaloReport **report)
{
    HaloStatus status = HALO_OK;
    HaloReport *made = NULL;
    report_tell(session, &own->notes);
    if (report == NULL) {
        halo_report_clear(own);
        return HALO_OK;
    }
    made = malloc(sizeof *made);
    if (made == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *made = *own;
    *own = (HaloReport){0};
    HALO_TRY(report_make_tables(made));
    HALO_TRY(keep_notes(made));
    *report = made;
    made = NULL;
out:
    halo_report_clear(own);
    halo_report_close(made);
    return status;
}

void halo_report_close(HaloReport *report)
{
    if (report == NULL) return;
    halo_report_clear(report);
    free(report);
}

const char *halo_report_backend(const HaloReport *report)
{
    return report != NULL && report->backend != NULL ? report->backend : "none";
}

uint64_t halo_report_clipped(const HaloReport *report) { return report != NULL ? report->clipped : 0; }

const char *halo_report_note(const HaloReport *report, size_t i)
{
    return report != NULL && i < report->note_count ? report->note[i] : NULL;
}
