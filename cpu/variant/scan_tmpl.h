/* Scans of f64 by one operation: define OP (a HaloScanOp) and NAME (its suffix). The order of partial results
 * is that of docs/numerics.md. */
#define FN(name) CPU_PASTE(name, NAME)

/* Kogge and Stone's prefixes over the 32 run totals of a warp. */
static inline void FN(warp)(double v[HALO_SCAN_WARP])
{
    for (int d = 1; d < HALO_SCAN_WARP; d *= 2) {
        double old[HALO_SCAN_WARP];
        memcpy(old, v, sizeof old);
        for (int l = d; l < HALO_SCAN_WARP; l++) v[l] = halo_scan_join(OP, old[l - d], old[l]);
    }
}

/* The same of the first so many: from the last on, which none before it needs. */
static inline void FN(part_warp)(double *v, int lanes)
{
    for (int d = 1; d < lanes; d *= 2)
        for (int l = lanes - 1; l >= d; l--) v[l] = halo_scan_join(OP, v[l - d], v[l]);
}

/* Nothing that is made hangs on what comes after it: a tile that ends early is made so far. */
static double FN(tile)(int runs, double *restrict x, double *restrict lead)
{
    double before = halo_scan_identity(OP);
    for (int run = 0; run < runs; run++) {
        double *r = x + run * HALO_SCAN_RUN;
        double so_far = r[0];
        for (int k = 1; k < HALO_SCAN_RUN; k++) {
            so_far = halo_scan_join(OP, so_far, r[k]);
            if (OP == HALO_SCAN_SUM || OP == HALO_SCAN_PRODUCT) CPU_ONE_BY_ONE(so_far);
            r[k] = so_far;
        }
    }
    for (int first = 0; first < runs; first += HALO_SCAN_WARP) {
        double v[HALO_SCAN_WARP];
        const int lanes = runs - first < HALO_SCAN_WARP ? runs - first : HALO_SCAN_WARP;
        for (int l = 0; l < lanes; l++) v[l] = x[(first + l) * HALO_SCAN_RUN + HALO_SCAN_RUN - 1];
        if (lanes == HALO_SCAN_WARP)
            FN(warp)(v);
        else
            FN(part_warp)(v, lanes);
        lead[first] = halo_scan_join(OP, before, halo_scan_identity(OP));
        for (int l = 1; l < lanes; l++) lead[first + l] = halo_scan_join(OP, before, v[l - 1]);
        before = halo_scan_join(OP, before, v[lanes - 1]);
    }
    return before;
}

static void FN(tile_join)(bool exclusive, double before, int runs, const double *restrict lead,
                          double *restrict x)
{
    for (int run = 0; run < runs; run++, x += HALO_SCAN_RUN) {
        const double f = halo_scan_join(OP, before, lead[run]);
        if (exclusive) {
            double r[HALO_SCAN_RUN];
            memcpy(r, x, sizeof r);
            x[0] = halo_canonical_f64(f);
            for (int k = 1; k < HALO_SCAN_RUN; k++) x[k] = halo_canonical_f64(halo_scan_join(OP, f, r[k - 1]));
        } else {
            for (int k = 0; k < HALO_SCAN_RUN; k++) x[k] = halo_canonical_f64(halo_scan_join(OP, f, x[k]));
        }
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
    if (rows % HALO_SCAN_ROWS == 0)
        FN(run_ends)(rows % HALO_SCAN_GROUP_ROWS == 0, n, above->run, above->inside, above->group, above->before);
}

static void FN(down)(bool exclusive, int64_t y, double *x, int64_t n, const CpuAbove *above)
{
    FN(go_down)(exclusive, y % HALO_SCAN_ROWS, x, n, above->before, above->run);
    FN(run_ended)(y + 1, n, above);
}

/* Rows of one run or less: along x nothing stands before it. */
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
static void FN(run_down)(bool exclusive, double *restrict x, int64_t elements, const double *restrict before, double *restrict run)
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
    for (int64_t i = 0; n->along && i < rows; i++) FN(short_row)(exclusive, x + i * elements, n->width, n->channels);
    if (!n->down) return;
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
        if (n->down) FN(run_ended)(y, elements, &n->above);
    }
}

#undef FN
#undef OP
#undef NAME
