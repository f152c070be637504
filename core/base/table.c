#include "halo/table.h"

#include <stdlib.h>
#include <string.h>

HaloStatus halo_table_add(HaloTable *table, const double *row)
{
    const int64_t columns = table->columns;
    if (table->rows == table->capacity) {
        int64_t capacity = table->capacity > 0 ? 2 * table->capacity : 64;
        if (table->most > 0 && capacity > table->most) capacity = table->most;
        if (capacity == table->rows)
            return halo_fail(HALO_ERR_LIMIT,
                             "%lld rows of %s take the memory that is allowed, and there are more: raise it by "
                             "--max-memory=SIZE",
                             (long long)table->most, table->name);
        double *grown = realloc(table->cell, (size_t)(capacity * columns) * sizeof *grown);
        if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for %s", table->name);
        table->cell = grown;
        table->capacity = capacity;
    }
    memcpy(table->cell + table->rows++ * columns, row, (size_t)columns * sizeof *row);
    return HALO_OK;
}
