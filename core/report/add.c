/* Reports: those of pages become one. */
#include <stdlib.h>

#include "report.h"

/* Results are held until the last page is done. */
static int64_t results_bytes(const HaloResults *results)
{
    int64_t bytes = 0;
    for (int i = 0; i < results->count; i++) {
        const HaloResult *item = &results->item[i];
        const int64_t channel = item->type == HALO_RESULT_STATS ? (int64_t)sizeof *item->channel : 8;
        const int64_t bins = item->type == HALO_RESULT_HIST ? item->hist.bins + 3 : 0;
        for (int c = 0; item->type == HALO_RESULT_TABLE && c < item->shape.channels; c++)
            bytes += (int64_t)sizeof *item->table +
                     item->table[c].capacity * item->table[c].columns * (int64_t)sizeof(double);
        bytes += (int64_t)sizeof *item + item->shape.channels * (channel + 8 * bins);
    }
    return bytes;
}

/* Adds the report of one more page; its results get the number of that page, from 1. */
HaloStatus report_add(HaloMemory *memory, HaloReport *all, HaloReport *one, int64_t page)
{
    const bool first = all->input.kind == 0;
    const HaloStatus status = halo_memory_hold(memory, first ? 0 : results_bytes(&one->results));
    if (status != HALO_OK) return halo_fail_at(status, "memory for the results of %lld pages", (long long)page);
    HaloResults *results = &all->results;
    const HaloTimes *ms = &one->ms;
    HaloReport sum = *one;
    if (one->results.count > 0) {
        const size_t count = (size_t)results->count + (size_t)one->results.count;
        HaloResult *grown = realloc(results->item, count * sizeof *grown);
        if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
        for (int i = 0; i < one->results.count; i++) {
            grown[results->count + i] = one->results.item[i];
            grown[results->count + i].image = page;
        }
        results->item = grown;
        results->count = (int)count;
        free(one->results.item);
        one->results = (HaloResults){0};
    }
    sum.results = *results;
    sum.notes = all->notes;
    halo_notes_join(&sum.notes, &one->notes);
    if (!first) {
        sum.input = all->input;
        sum.clipped += all->clipped;
    }
    sum.ms.read = all->ms.read + ms->read;
    sum.ms.upload = all->ms.upload + ms->upload;
    sum.ms.compute = all->ms.compute + ms->compute;
    sum.ms.download = all->ms.download + ms->download;
    sum.ms.write = all->ms.write + ms->write;
    *all = sum;
    return HALO_OK;
}

void halo_report_clear(HaloReport *report)
{
    halo_results_free(&report->results);
    report_free_tables(report);
    while (report->note_count > 0) free(report->note[--report->note_count]);
}
