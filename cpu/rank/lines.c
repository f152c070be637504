/* Lines of keys: of the source with the border round it, and into the results. */
#include <string.h>

#include "middle.h"

/* ---- in ------------------------------------------------------------------------------------------------- */

/* n pixels of `bytes`, `from_step` and `to_step` apart. */
static void copy_pixels(const char *from, int64_t from_step, char *to, int64_t to_step, int64_t n,
                        int64_t bytes)
{
    if (from_step == bytes && to_step == bytes) {
        memcpy(to, from, (size_t)(n * bytes));
        return;
    }
    switch (bytes) { /* a copy of a size that is known is one instruction */
    case 1:
        for (int64_t i = 0; i < n; i++) to[i * to_step] = from[i * from_step];
        break;
    case 2:
        for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, 2);
        break;
    case 4:
        for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, 4);
        break;
    default:
        for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, (size_t)bytes);
    }
}

static const char *sample(const CpuMiddle *m, int64_t along, int64_t across)
{
    return (const char *)m->src->data + (along - m->along.held) * m->along.source_step +
           (across - m->across.held) * m->across.source_step;
}

/* Pixels [first, end) of a line as samples; places outside the picture are taken where the border says. */
static void copy_line(const CpuMiddle *m, int64_t across, int64_t first, int64_t end, char *to)
{
    const int64_t pixel = m->channels * (int64_t)halo_dtype_size(m->src->shape.dtype), whole = m->along.whole;
    const int64_t in = least(most(first, 0), end), in_end = most(least(end, whole), in);
    for (int64_t i = first; i < end; i++, to += pixel) {
        if (i == in && in_end > in) {
            copy_pixels(sample(m, in, across), m->along.source_step, to, pixel, in_end - in, pixel);
            i = in_end - 1;
            to += (in_end - in - 1) * pixel;
        } else {
            memcpy(to, sample(m, halo_border_index(i, whole, m->rank->window.border), across), (size_t)pixel);
        }
    }
}

/* The value that the border has of its own. */
static void fill(const CpuMiddleTask *task, int64_t n, char *to)
{
    const CpuMiddle *m = task->m;
    const float value = halo_border_value(m->rank->window.border, m->rank->window.value);
    if (m->keys == HALO_U8) {
        memset(to, (uint8_t)value, (size_t)n);
    } else if (m->keys == HALO_U16) {
        for (int64_t i = 0; i < n; i++) ((uint16_t *)(void *)to)[i] = (uint16_t)value;
    } else if (task->keys == CPU_KEYS_REAL) {
        for (int64_t i = 0; i < n; i++) ((float *)(void *)to)[i] = value;
    } else {
        for (int64_t i = 0; i < n; i++) ((uint32_t *)(void *)to)[i] = halo_key(value);
    }
}

/* Floats that lie side by side become keys where they are. */
static bool reads_there(const CpuMiddle *m)
{
    const uintptr_t odd = (uintptr_t)m->src->data | (uintptr_t)m->src->stride;
    return m->src->shape.dtype == HALO_F32 && !m->transposed && odd % sizeof(float) == 0;
}

static void read_line(const CpuMiddleTask *task, int64_t across, int64_t first, int64_t end, char *to)
{
    const CpuMiddle *m = task->m;
    const CpuKernels *kernels = m->device->kernels;
    const HaloDtype dtype = m->src->shape.dtype;
    const int64_t n = (end - first) * m->channels;
    float *const real = (float *)(void *)(task->scratch + m->at_float);
    if (task->keys != HALO_F32) {
        copy_line(m, across, first, end, to);
    } else if (dtype == HALO_F32 && first >= 0 && end <= m->along.whole && reads_there(m)) {
        kernels->rank->to_keys[HALO_F32]((const float *)(const void *)sample(m, first, across), n, to);
    } else if (dtype == HALO_F32) {
        copy_line(m, across, first, end, (char *)real);
        kernels->rank->to_keys[HALO_F32](real, n, to);
    } else {
        copy_line(m, across, first, end, task->scratch + m->at_raw);
        kernels->rows->load[dtype](task->scratch + m->at_raw, n, real);
        kernels->rank->to_keys[HALO_F32](real, n, to);
    }
}

static void make_line(const CpuMiddleTask *task, int64_t place, char *to)
{
    const CpuMiddle *m = task->m;
    const HaloBorder border = m->rank->window.border;
    const bool fixed = border == HALO_BORDER_ZERO || border == HALO_BORDER_CONSTANT;
    const int64_t pixel = m->channels * m->key_size;
    const int64_t across = halo_border_index(place, m->across.whole, border);
    const int64_t first = m->along.first + task->x + m->along.offset, end = first + task->wide;
    int64_t in = first, in_end = end;
    if (fixed) {
        in = across < 0 ? end : least(most(first, 0), end);
        in_end = most(least(end, m->along.whole), in);
    }
    fill(task, (in - first) * m->channels, to);
    /* what lies in the picture by itself: it need not be copied */
    const int64_t cut[] = {in, least(most(0, in), in_end), most(least(m->along.whole, in_end), in), in_end};
    for (int k = 0; k < 3; k++)
        if (cut[k + 1] > cut[k]) read_line(task, across, cut[k], cut[k + 1], to + (cut[k] - first) * pixel);
    fill(task, (end - in_end) * m->channels, to + (in_end - first) * pixel);
}

/* Are samples i, i + 1, … of a line, `count` pixels of the picture, such floats as need no keys? */
static bool are_real(const CpuMiddle *m, int64_t i, int64_t across, int64_t count)
{
    return m->device->kernels->rank->are_real((const float *)(const void *)sample(m, i, across),
                                              count * m->channels);
}

/* The same of a line of the task, with what lies outside. */
static bool line_is_real(const CpuMiddleTask *task, int64_t place)
{
    const CpuMiddle *m = task->m;
    const HaloBorder border = m->rank->window.border;
    const float value = halo_border_value(border, m->rank->window.value);
    const int64_t across = halo_border_index(place, m->across.whole, border);
    const int64_t first = m->along.first + task->x + m->along.offset, end = first + task->wide;
    const int64_t in = most(first, 0), in_end = least(end, m->along.whole);
    if (across < 0 || border == HALO_BORDER_ZERO || border == HALO_BORDER_CONSTANT) {
        if (!m->device->kernels->rank->are_real(&value, 1)) return false;
        return across < 0 || in >= in_end || are_real(m, in, across, in_end - in);
    }
    for (int64_t i = first; i < end; i++) {
        if (i == in && in < in_end) {
            if (!are_real(m, in, across, in_end - in)) return false;
            i = in_end - 1;
        } else if (!are_real(m, halo_border_index(i, m->along.whole, border), across, 1)) {
            return false;
        }
    }
    return true;
}

int cpu_middle_keys(const CpuMiddleTask *task)
{
    const CpuMiddle *m = task->m;
    const uintptr_t odd = (uintptr_t)m->dst->data | (uintptr_t)m->dst->stride;
    if (m->keys != HALO_F32 || !reads_there(m) || odd % sizeof(float) != 0) return (int)m->keys;
    for (int64_t j = 0; j < task->rows + m->across.window - 1; j++)
        if (!line_is_real(task, m->across.first + task->y + m->across.offset + j)) return (int)m->keys;
    return CPU_KEYS_REAL;
}

const void *cpu_middle_line(CpuMiddleTask *task, int64_t j)
{
    const CpuMiddle *m = task->m;
    const int64_t place = m->across.first + task->y + m->across.offset + j, at = j % m->lines;
    int64_t *const made = (int64_t *)(void *)(task->scratch + m->at_made);
    char *const line = task->scratch + m->at_ring + at * m->pitch * m->key_size;
    if (task->in_place) {
        const int64_t across = halo_border_index(place, m->across.whole, m->rank->window.border);
        if (across >= 0) return sample(m, m->along.first + task->x + m->along.offset + task->left, across);
    }
    if (made[at] != j) {
        made[at] = j;
        make_line(task, place, line);
        if (task->keys == HALO_F32 &&
            m->device->kernels->rank->any_nan((const uint32_t *)(void *)line, task->wide * m->channels))
            task->last_nan = j;
    }
    return line;
}

/* ---- out ------------------------------------------------------------------------------------------------ */

static char *output(const CpuMiddleTask *task, int64_t j)
{
    const CpuMiddle *m = task->m;
    return (char *)m->dst->data + task->x * m->along.output_step + (task->y + j) * m->across.output_step;
}

void *cpu_middle_out(const CpuMiddleTask *task) { return task->scratch + task->m->at_out; }

void *cpu_middle_place(const CpuMiddleTask *task, int64_t j)
{
    const CpuMiddle *m = task->m;
    const bool there = m->plain && !m->stream && !m->transposed && task->keys != HALO_F32 &&
                       task->cols * m->channels >= CPU_LINE_SLACK;
    return there ? output(task, j) : cpu_middle_out(task);
}

/* Stores n elements; the result's line has its pixels side by side. */
static void store_line(CpuMiddleTask *task, const void *keys, int64_t n, void *to)
{
    const CpuMiddle *m = task->m;
    const CpuKernels *kernels = m->device->kernels;
    float *const real = (float *)(void *)(task->scratch + m->at_float);
    const void *samples = keys;
    if (keys == to) return;
    if (task->keys == HALO_F32) {
        if (m->plain && !m->stream && (uintptr_t)to % sizeof(float) == 0) {
            kernels->rank->from_keys(keys, n, to);
            return;
        }
        kernels->rank->from_keys(keys, n, real);
        samples = real;
    } else if (!m->plain) {
        kernels->rows->load[m->keys](keys, n, real);
    }
    if (!m->plain)
        kernels->rows->store[m->dst->shape.dtype](real, n, m->store, to, &task->clipped);
    else if (m->stream)
        kernels->rows->stream(samples, n * m->key_size, to);
    else
        memcpy(to, samples, (size_t)(n * m->key_size));
}

void cpu_middle_put(CpuMiddleTask *task, int64_t j, const void *keys)
{
    const CpuMiddle *m = task->m;
    const int64_t pixel = m->channels * (int64_t)halo_dtype_size(m->dst->shape.dtype),
                  n = task->cols * m->channels;
    char *const to = output(task, j);
    if (!m->transposed) {
        store_line(task, keys, n, to);
    } else {
        char *const raw = task->scratch + m->at_raw;
        store_line(task, keys, n, raw);
        copy_pixels(raw, pixel, to, m->along.output_step, task->cols, pixel);
    }
}
