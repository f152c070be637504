#include "nifti.h"

#include <math.h>
#include <string.h>

#include "bytes/endian.h"
#include "meta/grid.h"

/* Where the fields of a version stand, and how many bytes their numbers have. */
typedef struct Layout {
    size_t type, dim, dim_bytes, pixdim, real_bytes, start, slope, text, forms, form_bytes, quaternion, units,
        unit_bytes, rows;
} Layout;

static const Layout layouts[2] = {
    {70, 40, 2, 76, 4, 108, 112, 148, 252, 2, 256, 123, 1, 280},
    {12, 16, 8, 104, 8, 168, 176, 240, 344, 4, 352, 500, 4, 400},
};

static int64_t get_int(const uint8_t *at, size_t bytes, bool big)
{
    const uint64_t value = halo_get(at, bytes, big), sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)((value ^ sign) - sign);
}

static double get_real(const uint8_t *at, size_t bytes, bool big)
{
    const uint64_t bits = halo_get(at, bytes, big);
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    memcpy(&single, &low, sizeof single);
    memcpy(&value, &bits, sizeof value);
    return bytes == 4 ? (double)single : value;
}

static void put_real(uint8_t *at, double value, size_t bytes)
{
    const float single = (float)value;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &single, sizeof low);
    memcpy(&bits, &value, sizeof bits);
    halo_put_le(at, bytes == 4 ? low : bits, bytes);
}

bool nifti_begins(const uint8_t *bytes, size_t size)
{
    for (int big = 0; big < 2 && size >= 48; big++) {
        const uint64_t head = halo_get(bytes, 4, big);
        if (head == NIFTI_2_BYTES && memcmp(bytes + 4, "n+2", 4) == 0) return true;
        const int64_t dims = get_int(bytes + 40, 2, big);
        if (head == NIFTI_1_BYTES && dims >= 1 && dims <= 7 && get_int(bytes + 42, 2, big) > 0) return true;
    }
    return false;
}

static HaloStatus check(const NiftiHead *head)
{
    if (head->version == 0)
        return halo_fail(HALO_ERR_INPUT,
                         "ANALYZE 7.5 does not say how its samples lie: convert it with 'nib-convert' or "
                         "'fslchfiletype NIFTI'");
    if (head->dim[0] < 1 || head->dim[0] > 7)
        return halo_fail(HALO_ERR_INPUT, "the NIfTI header is invalid: it has %lld dimensions, not 1 to 7",
                         (long long)head->dim[0]);
    for (int i = 1; i <= head->dim[0]; i++)
        if (head->dim[i] < 1)
            return halo_fail(HALO_ERR_INPUT, "an image without pixels: dimension %d of the NIfTI is %lld", i,
                             (long long)head->dim[i]);
    if (head->start < 0 || head->start > INT64_MAX / 4)
        return halo_fail(HALO_ERR_INPUT, "the samples of the NIfTI begin at an invalid place");
    return HALO_OK;
}

static void parse_version(const uint8_t *bytes, NiftiHead *head)
{
    const uint8_t *magic = bytes + (head->version == 1 ? 344 : 4);
    head->beside = magic[1] == 'i';
    if (head->version == 1 && memcmp(magic, "n+1", 4) != 0 && memcmp(magic, "ni1", 4) != 0) head->version = 0;
}

HaloStatus nifti_parse(const uint8_t *bytes, NiftiHead *head)
{
    *head = (NiftiHead){.version = 1};
    head->big = halo_get_be(bytes, 4) == NIFTI_1_BYTES || halo_get_be(bytes, 4) == NIFTI_2_BYTES;
    if (halo_get(bytes, 4, head->big) == NIFTI_2_BYTES) head->version = 2;
    const Layout *at = &layouts[head->version - 1];
    const size_t real = at->real_bytes;
    parse_version(bytes, head);
    head->type = (int)halo_get(bytes + at->type, 2, head->big);
    for (size_t i = 0; i < 8; i++) {
        head->dim[i] = get_int(bytes + at->dim + i * at->dim_bytes, at->dim_bytes, head->big);
        head->pixdim[i] = get_real(bytes + at->pixdim + i * real, real, head->big);
    }
    const double start = get_real(bytes + at->start, 4, head->big);
    head->start = head->version == 2                   ? get_int(bytes + at->start, 8, head->big)
                  : start >= 0 && start < 2147483647.0 ? (int64_t)start
                                                       : -1;
    head->slope = get_real(bytes + at->slope, real, head->big);
    head->offset = get_real(bytes + at->slope + real, real, head->big);
    memcpy(head->text, bytes + at->text, 80);
    head->units = (int)halo_get(bytes + at->units, at->unit_bytes, head->big) & 0xff;
    head->qform = (int)get_int(bytes + at->forms, at->form_bytes, head->big);
    head->sform = (int)get_int(bytes + at->forms + at->form_bytes, at->form_bytes, head->big);
    for (size_t i = 0; i < 3; i++) {
        head->quaternion[i] = get_real(bytes + at->quaternion + i * real, real, head->big);
        head->shift[i] = get_real(bytes + at->quaternion + (3 + i) * real, real, head->big);
        for (size_t k = 0; k < 4; k++)
            head->row[i][k] = get_real(bytes + at->rows + (4 * i + k) * real, real, head->big);
    }
    return check(head);
}

static uint64_t bits_of(int type)
{
    static const struct {
        int type;
        uint64_t bits;
    } types[] = {{2, 8}, {256, 8}, {4, 16}, {512, 16}, {NIFTI_RGB, 24}, {64, 64}, {1024, 64}, {1280, 64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type) return types[i].bits;
    return 32;
}

size_t nifti_print(const NiftiHead *head, uint8_t bytes[NIFTI_2_BYTES + 4])
{
    const Layout *at = &layouts[head->version - 1];
    const size_t real = at->real_bytes, size = head->version == 1 ? NIFTI_1_BYTES : NIFTI_2_BYTES;
    memset(bytes, 0, NIFTI_2_BYTES + 4);
    halo_put_le(bytes, size, 4);
    if (head->version == 1)
        memcpy(bytes + 344, "n+1", 4);
    else
        memcpy(bytes + 4, "n+2\0\r\n\032\n", 8);
    if (head->version == 1) bytes[38] = 'r';
    halo_put_le(bytes + at->type, (uint64_t)head->type, 2);
    halo_put_le(bytes + at->type + 2, bits_of(head->type), 2);
    for (size_t i = 0; i < 8; i++) {
        halo_put_le(bytes + at->dim + i * at->dim_bytes, (uint64_t)head->dim[i], at->dim_bytes);
        put_real(bytes + at->pixdim + i * real, head->pixdim[i], real);
    }
    if (head->version == 1)
        put_real(bytes + at->start, (double)head->start, 4);
    else
        halo_put_le(bytes + at->start, (uint64_t)head->start, 8);
    put_real(bytes + at->slope, head->slope, real);
    memcpy(bytes + at->text, head->text, 80);
    halo_put_le(bytes + at->units, (uint64_t)head->units, at->unit_bytes);
    halo_put_le(bytes + at->forms + at->form_bytes, (uint64_t)head->sform, at->form_bytes);
    for (size_t i = 0; i < 12; i++) put_real(bytes + at->rows + i * real, head->row[i / 4][i % 4], real);
    return size + 4;
}

/* ---- place in space ------------------------------------------------------------------------------------- */

/* The rotation of a quaternion whose first part is not stored. */
static void rows_of_quaternion(const NiftiHead *head, double row[3][4])
{
    const double b = head->quaternion[0], c = head->quaternion[1], d = head->quaternion[2];
    const double rest = 1 - (b * b + c * c + d * d), a = rest > 0 ? sqrt(rest) : 0;
    const double turn[3][3] = {{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
                               {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
                               {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            row[i][k] = turn[i][k] * head->pixdim[1 + k] * (k == 2 && head->pixdim[0] < 0 ? -1 : 1);
        row[i][3] = head->shift[i];
    }
}

static double seconds_of(int units) { return (units & 0x38) == 16 ? 1e-3 : (units & 0x38) == 24 ? 1e-6 : 1.0; }

void nifti_grid(const NiftiHead *head, HaloGrid *grid)
{
    static const char *const names[] = {"", "m", "mm", "um"};
    double row[3][4] = {{0}};
    const bool placed = head->sform > 0 || head->qform > 0;
    *grid = (HaloGrid){.known = true, .patient = placed};
    if (head->sform > 0)
        memcpy(row, head->row, sizeof row);
    else if (head->qform > 0)
        rows_of_quaternion(head, row);
    else
        for (int i = 0; i < 3; i++) row[i][i] = fabs(head->pixdim[1 + i]) > 0 ? fabs(head->pixdim[1 + i]) : 1;
    for (int i = 0; i < 3; i++) { /* x and y of LPS grow the other way */
        const double sign = placed && i < 2 ? -1 : 1;
        for (int axis = 0; axis < 3; axis++) grid->step[axis][i] = sign * row[i][axis];
        grid->origin[i] = sign * row[i][3];
    }
    if ((head->units & 7) <= 3) strcpy(grid->unit, names[head->units & 7]);
    if (head->dim[0] >= 4 && head->dim[4] > 1 && head->pixdim[4] > 0)
        grid->interval = head->pixdim[4] * seconds_of(head->units);
    halo_grid_check(grid);
}

/* Coordinates that are not a patient's are taken for such, as ITK does; their code is that of an alignment to
 * something else. */
void nifti_place(const HaloGrid *grid, NiftiHead *head)
{
    const bool plain =
        !grid->patient && !grid->turned && grid->origin[0] == 0 && grid->origin[1] == 0 && grid->origin[2] == 0;
    const double metres = halo_unit_metres(grid->unit);
    const double factor = halo_grid_factor(grid, metres == 1 || metres == 1e-6 ? grid->unit : "mm");
    if (metres > 0) head->units = metres == 1 ? 1 : metres == 1e-6 ? 3 : 2;
    if (grid->interval > 0) head->units |= 8;
    for (int axis = 0; axis < 3; axis++) head->pixdim[1 + axis] = halo_grid_spacing(grid, axis) * factor;
    head->pixdim[0] = 1;
    head->pixdim[4] = grid->interval > 0 ? grid->interval : 1;
    if (plain) return;
    const bool deep = grid->step[2][0] != 0 || grid->step[2][1] != 0 || grid->step[2][2] != 0;
    head->sform = grid->patient ? 1 : 2;
    for (int i = 0; i < 3; i++) {
        const double sign = i < 2 ? -1 : 1;
        for (int axis = 0; axis < 3; axis++) head->row[i][axis] = sign * grid->step[axis][i] * factor + 0.0;
        head->row[i][3] = sign * grid->origin[i] * factor + 0.0;
        if (!deep) head->row[i][2] = i == 2;
    }
}
