/* csv, tsv: tables of numbers as sound, one frame per line, one channel per column. Samples keep their units.
 */
#include "csv.h"

#define TABLE(format, what, ends)                                                                       \
    {                                                                                                   \
        .name = format, .help = what, .extensions = ends, .kinds = HALO_AUDIO, .text = true,            \
        .dtypes = 1u << HALO_F32 | 1u << HALO_I64 | 1u << HALO_F64, .channels = HALO_ANY_CHANNELS,      \
        .holds = HALO_META_TEXT | HALO_META_TIMES, .keeps_units = true, .named = true, .no_rate = true, \
        .endless = true, .open = csv_open, .read = csv_read, .close = csv_close, .create = csv_create,  \
        .write = csv_write, .finish = csv_finish, .discard = csv_discard, .copy = csv_copy              \
    }

const HaloFormat halo_format_csv =
    TABLE("csv", "tables of numbers: a line for each frame, a column for each channel", "csv,txt");
const HaloFormat halo_format_tsv = TABLE("tsv", "the same with tabs between the columns", "tsv,tab");
