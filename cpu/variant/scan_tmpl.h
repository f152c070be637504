/* Scans of f64 by one operation: define OP (a HaloScanOp) and NAME (its suffix). The order of partial results
 * is that of docs/numerics.md. */
#define FN(name) CPU_PASTE(name, NAME)

/* Kogge and Stone's prefixes over the 32 run totals of a warp, of each channel. */
static CPU_INLINE void FN(warp)(int64_t channels, double *v)
{
    for (int64_t d = channels; d < HALO_SCAN_WARP * channels; d *= 2) {
        double old[HALO_SCAN_WARP * CPU_SCAN_CHANNELS];
        memcpy(old, v, (size_t)(HALO_SCAN_WARP * channels) * sizeof *v);
        for (int64_t e = d; e < HALO_SCAN_WARP * channels; e++) v[e] = halo_scan_join(OP, old[e - d], old[e]);
    }
}

/* The same of the first so many: from the last on, which none before it needs. */
static CPU_INLINE void FN(part_warp)(int64_t channels, double *v, int64_t lanes)
{
    for (int64_t d = channels; d < lanes * channels; d *= 2)
        for (int64_t e = lanes * channels - 1; e >= d; e--) v[e] = halo_scan_join(OP, v[e - d], v[e]);
}

/* The prefixes in a run. */
static CPU_INLINE void FN(run)(int64_t channels, double *restrict x)
{
    for (int64_t c = 0; c < channels; c++) {
        double so_far = x[c];
        for (int64_t e = c + channels; e < HALO_SCAN_RUN * channels; e += channels) {
            so_far = halo_scan_join(OP, so_far, x[e]);
            if (OP == HALO_SCAN_SUM || OP == HALO_SCAN_PRODUCT) CPU_ONE_BY_ONE(so_far);
            x[e] = so_far;
        }
    }
}

/* No result depends on later samples, so that a tile may end early. */
static CPU_INLINE void FN(tile_of)(int64_t channels, int64_t runs, double *restrict x, double *restrict lead,
                                   double *restrict total)
{
    for (int64_t c = 0; c < channels; c++) total[c] = halo_scan_identity(OP);
    for (int64_t run = 0; run < runs; run++) FN(run)(channels, x + run * HALO_SCAN_RUN * channels);
    for (int64_t first = 0; first < runs; first += HALO_SCAN_WARP, lead += HALO_SCAN_WARP * channels) {
        double v[HALO_SCAN_WARP * CPU_SCAN_CHANNELS];
        const int64_t lanes = runs - first < HALO_SCAN_WARP ? runs - first : HALO_SCAN_WARP;
        for (int64_t l = 0; l < lanes; l++)
            for (int64_t c = 0; c < channels; c++)
                v[l * channels + c] = x[((first + l + 1) * HALO_SCAN_RUN - 1) * channels + c];
        if (lanes == HALO_SCAN_WARP)
            FN(warp)(channels, v);
        else
            FN(part_warp)(channels, v, lanes);
        for (int64_t c = 0; c < channels; c++) lead[c] = halo_scan_join(OP, total[c], halo_scan_identity(OP));
        for (int64_t l = 1; l < lanes; l++)
            for (int64_t c = 0; c < channels; c++)
                lead[l * channels + c] = halo_scan_join(OP, total[c], v[(l - 1) * channels + c]);
        for (int64_t c = 0; c < channels; c++)
            total[c] = halo_scan_join(OP, total[c], v[(lanes - 1) * channels + c]);
    }
}

static CPU_INLINE void FN(join_run)(int64_t channels, bool exclusive, const double *f, double *restrict x)
{
    if (exclusive) {
        double r[HALO_SCAN_RUN * CPU_SCAN_CHANNELS];
        memcpy(r, x, (size_t)(HALO_SCAN_RUN * channels) * sizeof *x);
        for (int64_t c = 0; c < channels; c++) x[c] = halo_canonical_f64(f[c]);
        for (int64_t k = channels; k < HALO_SCAN_RUN * channels; k += channels)
            for (int64_t c = 0; c < channels; c++)
                x[k + c] = halo_canonical_f64(halo_scan_join(OP, f[c], r[k + c - channels]));
    } else if (channels == 1) { /* taken apart it would become no vectors */
        CPU_LOOP
        for (int64_t k = 0; k < HALO_SCAN_RUN; k++) x[k] = halo_canonical_f64(halo_scan_join(OP, f[0], x[k]));
    } else {
        for (int64_t k = 0; k < HALO_SCAN_RUN * channels; k += channels)
            for (int64_t c = 0; c < channels; c++)
                x[k + c] = halo_canonical_f64(halo_scan_join(OP, f[c], x[k + c]));
    }
}

static CPU_INLINE void FN(tile_join_of)(int64_t channels, bool exclusive, const double *restrict before,
                                        int64_t runs, const double *restrict lead, double *restrict x)
{
    for (int64_t run = 0; run < runs; run++, x += HALO_SCAN_RUN * channels, lead += channels) {
        double f[CPU_SCAN_CHANNELS];
        for (int64_t c = 0; c < channels; c++) f[c] = halo_scan_join(OP, before[c], lead[c]);
        FN(join_run)(channels, exclusive, f, x);
    }
}

/* Loops of their own for the numbers of channels that pictures have, for sums: other scans of several channels
 * are rare. */
#define OWN_LOOP (OP == HALO_SCAN_SUM || channels == 1 ? channels : 0)
static void FN(tile)(int64_t channels, int64_t runs, double *x, double *lead, double *total)
{
    switch (OWN_LOOP) {
    case 1: FN(tile_of)(1, runs, x, lead, total); break;
    case 2: FN(tile_of)(2, runs, x, lead, total); break;
    case 3: FN(tile_of)(3, runs, x, lead, total); break;
    case 4: FN(tile_of)(4, runs, x, lead, total); break;
    default: FN(tile_of)(channels, runs, x, lead, total);
    }
}

static void FN(tile_join)(int64_t channels, bool exclusive, const double *before, int64_t runs,
                          const double *lead, double *x)
{
    switch (OWN_LOOP) {
    case 1: FN(tile_join_of)(1, exclusive, before, runs, lead, x); break;
    case 2: FN(tile_join_of)(2, exclusive, before, runs, lead, x); break;
    case 3: FN(tile_join_of)(3, exclusive, before, runs, lead, x); break;
    case 4: FN(tile_join_of)(4, exclusive, before, runs, lead, x); break;
    case 8: FN(tile_join_of)(8, exclusive, before, runs, lead, x); break;
    default: FN(tile_join_of)(channels, exclusive, before, runs, lead, x);
    }
}

/* Row k of a run. GCC believes `restrict` of parameters alone. */
static void FN(go_down)(bool exclusive, int64_t k, double *restrict x, int64_t n, const double *restrict before,
                        double *restrict run)
{
    for (int64_t i = 0; i < n; i++) {
        const double v = x[i], prefix = k == 0 ? v : halo_scan_join(OP, run[i], v);
        const double earlier = k == 0 ? before[i] : halo_scan_join(OP, before[i], run[i]);
        x[i] = halo_canonical_f64(exclusive ? earlier : halo_scan_join(OP, before[i], prefix));
        run[i] = prefix;
    }
}

/* Behind the last row of a run, and of a group. */
static void FN(run_ends)(bool group_ends, int64_t n, const double *restrict run, double *restrict inside,
                         double *restrict group, double *restrict before)
{
    for (int64_t i = 0; i < n; i++) inside[i] = halo_scan_join(OP, inside[i], run[i]);
    for (int64_t i = 0; group_ends && i < n; i++) {
        group[i] = halo_scan_join(OP, group[i], inside[i]);
        inside[i] = halo_scan_identity(OP);
    }
    for (int64_t i = 0; i < n; i++) before[i] = halo_scan_join(OP, group[i], inside[i]);
}

static void FN(run_ended)(int64_t rows, int64_t n, const CpuAbove *above)
{
    if (rows % HALO_SCAN_ROWS == 0) FN(run_ends)
    (rows % HALO_SCAN_GROUP_ROWS == 0, n, above->run, above->inside, above->group, above->before);
}

static void FN(down)(bool exclusive, int64_t y, double *x, int64_t n, const CpuAbove *above)
{
    FN(go_down)(exclusive, y % HALO_SCAN_ROWS, x, n, above->before, above->run);
    FN(run_ended)(y + 1, n, above);
}

/* Rows of one run or less: no total precedes it along x. */
static void FN(short_row)(bool exclusive, double *restrict x, int64_t width, int64_t channels)
{
    const double none = halo_scan_identity(OP), f = halo_scan_join(OP, none, none);
    for (int64_t c = 0; c < channels; c++) {
        double r = x[c], before = f;
        for (int64_t i = c; i < width * channels; i += channels) {
            if (i > c) r = halo_scan_join(OP, r, x[i]);
            const double made = halo_scan_join(OP, f, r);
            x[i] = halo_canonical_f64(exclusive ? before : made);
            before = made;
        }
    }
}

/* A whole run of rows, column by column: the chains of one column and the next go side by side. */
static void FN(run_down)(bool exclusive, double *restrict x, int64_t elements, const double *restrict before,
                         double *restrict run)
{
    for (int64_t i = 0; i < elements; i++) {
        double r = x[i], made = halo_scan_join(OP, before[i], r);
        x[i] = halo_canonical_f64(exclusive ? before[i] : made);
        for (int64_t at = i + elements; at < HALO_SCAN_ROWS * elements; at += elements) {
            const double earlier = made;
            r = halo_scan_join(OP, r, x[at]);
            made = halo_scan_join(OP, before[i], r);
            x[at] = halo_canonical_f64(exclusive ? earlier : made);
        }
        run[i] = r;
    }
}

/* Rows of one run, the first of which is its row k. */
static void FN(narrow_run)(const CpuNarrowScan *n, bool exclusive, int64_t k, int64_t rows, double *x)
{
    enum { FEW = 4 }; /* of more, a row fills vectors */
    const int64_t elements = n->width * n->channels;
    for (int64_t i = 0; n->horizontal && i < rows; i++)
        FN(short_row)(exclusive, x + i * elements, n->width, n->channels);
    if (!n->vertical) return;
    if (elements <= FEW && rows == HALO_SCAN_ROWS) {
        FN(run_down)(exclusive, x, elements, n->above.before, n->above.run);
    } else {
        for (int64_t i = 0; i < rows; i++)
            FN(go_down)(exclusive, k + i, x + i * elements, elements, n->above.before, n->above.run);
    }
}

static void FN(narrow)(const CpuNarrowScan *n, bool exclusive, int64_t y, int64_t rows, double *x)
{
    const int64_t elements = n->width * n->channels;
    for (const int64_t end = y + rows; y < end;) {
        const int64_t k = y % HALO_SCAN_ROWS, left = HALO_SCAN_ROWS - k, some = left < end - y ? left : end - y;
        FN(narrow_run)(n, exclusive, k, some, x);
        y += some;
        x += some * elements;
        if (n->vertical) FN(run_ended)(y, elements, &n->above);
    }
}

#undef FN
#undef OP
#undef OWN_LOOP
#undef NAME
