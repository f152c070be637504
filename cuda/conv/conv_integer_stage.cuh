/* Staging for conv_integer.cu: samples, a plane for each channel, and taps. */
#ifndef HALO_CUDA_CONV_INTEGER_STAGE_CUH
#define HALO_CUDA_CONV_INTEGER_STAGE_CUH

#include <cuda_pipeline.h>

#include "conv_integer.cuh"

/* ---- samples -------------------------------------------------------------------------------------------- */

/* A piece that lies inside: `Piece` bytes of one channel, or four pixels, a word for every plane. */
template <typename Tile, int Piece>
__device__ __forceinline__ void integer_copy(uint8_t *to, const uint8_t *from, int plane)
{
    if constexpr (Tile::planes == 1) {
        __pipeline_memcpy_async(to, from, Piece);
    } else {
        union Bytes {
            uint32_t word[Tile::planes];
            uint8_t at[4 * Tile::planes];
        } in, out;
#pragma unroll
        for (int w = 0; w < Tile::planes; w++) in.word[w] = __ldg(reinterpret_cast<const uint32_t *>(from) + w);
#pragma unroll
        for (int e = 0; e < 4 * Tile::planes; e++) out.at[e % Tile::planes * 4 + e / Tile::planes] = in.at[e];
#pragma unroll
        for (int c = 0; c < Tile::planes; c++) *reinterpret_cast<uint32_t *>(to + c * plane) = out.word[c];
    }
}

/* `count` pixels from column x on, one by one; `line` NULL: the border makes the row. Columns before the first
 * one that any output needs, and those behind the last, are not read: the source need not hold them. */
template <typename Tile>
__device__ __forceinline__ void integer_pixels(const ConvArgs &a, uint8_t *to, const uint8_t *line, int64_t x,
                                               int count, int plane)
{
    const uint8_t outside = (uint8_t)halo_border_value(a.src.border, a.src.value);
#pragma unroll 1
    for (int k = 0; k < count; k++) {
        if (x + k < a.x_first || x + k >= a.src.x_end) continue;
        const int64_t ix = line ? halo_border_index(x + k, a.src.width, a.src.border) : -1;
#pragma unroll
        for (int c = 0; c < Tile::planes; c++)
            to[c * plane + k] = ix >= 0 ? __ldg(line + ix * Tile::planes + c) : outside;
    }
}

/* Rows [y, y + rows), from column x on: every thread keeps to a column of pieces of `Pixels` pixels. */
template <typename Tile, int Pixels>
__device__ __forceinline__ void integer_rows(const ConvArgs &a, bool aligned, int64_t x, int64_t y, int rows,
                                             uint8_t *tile, int plane)
{
    constexpr int across = Tile::staged / Pixels, at_once = Tile::threads / across;
    const ConvSource &src = a.src;
    const int column = (int)threadIdx.x % across * Pixels, first = (int)threadIdx.x / across;
    const int64_t end = cuda_min(src.width, src.x_end), jump = at_once * src.stride;
    if (first >= at_once) return;
    uint8_t *to = tile + first * Tile::pitch + column;
    const uint8_t *const origin = (const uint8_t *)src.data - src.x0 * Tile::planes;
    if (aligned && x >= src.x0 && x + Tile::staged <= end && y >= 0 &&
        y + rows <= cuda_min(src.height, src.y_end)) {
        const uint8_t *from = origin + (y + first - src.y0) * src.stride + (x + column) * Tile::planes;
#pragma unroll 4
        for (int r = first; r < rows; r += at_once, to += at_once * Tile::pitch, from += jump)
            integer_copy<Tile, Pixels>(to, from, plane);
        return;
    }
    const bool inside = aligned && x + column >= src.x0 && x + column + Pixels <= end;
    rows = (int)cuda_min(rows, src.y_end - y);
#pragma unroll 1
    for (int r = first; r < rows; r += at_once, to += at_once * Tile::pitch) {
        const int64_t iy = halo_border_index(y + r, src.height, src.border);
        const uint8_t *const line = iy < 0 ? NULL : origin + (iy - src.y0) * src.stride;
        if (inside && line)
            integer_copy<Tile, Pixels>(to, line + (x + column) * Tile::planes, plane);
        else
            integer_pixels<Tile>(a, to, line, x + column, Pixels, plane);
    }
}

template <typename Tile>
__device__ __forceinline__ void integer_stage(const IntegerArgs &args, int64_t x, int64_t y, uint8_t *tile,
                                              int plane)
{
    const ConvArgs &a = args.conv;
    const int rows = Tile::rows + a.height - 1;
    if (Tile::planes == 1 && args.piece == 16)
        integer_rows<Tile, 16>(a, true, x, y, rows, tile, plane);
    else if (Tile::planes == 1 && args.piece == 8)
        integer_rows<Tile, 8>(a, true, x, y, rows, tile, plane);
    else
        integer_rows<Tile, 4>(a, args.piece == 4, x, y, rows, tile, plane);
    __pipeline_commit();
}

/* ---- taps ----------------------------------------------------------------------------------------------- */

/* The taps, as they lie in the parameters, to shared memory, with zeros around every row. A warp asks for one
 * word at a time, which is the same for all of its lanes. */
template <typename Tile> __device__ __forceinline__ void integer_taps(const IntegerArgs &args, uint32_t *raw)
{
    const int lane = (int)threadIdx.x % CUDA_WARP, count = args.parts * args.conv.height * args.row_words;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < args.parts * args.pairs * 2 * Tile::raw; i += Tile::threads) raw[i] = 0;
    __syncthreads();
#pragma unroll 1
    for (int base = (int)threadIdx.x - lane; base < count; base += Tile::threads) {
        uint32_t word = 0;
#pragma unroll
        for (int k = 0; k < CUDA_WARP; k++) word = lane == k ? args.tap[base + k] : word;
        const int i = base + lane, row = i / args.row_words, part = row / args.conv.height;
        if (i < count)
            raw[(part * 2 * args.pairs + row - part * args.conv.height) * Tile::raw + 4 + i -
                row * args.row_words] = word;
    }
    __syncthreads();
}

/* The table of the matrices: see IntegerTile. */
template <typename Tile>
__device__ __forceinline__ void integer_table(const IntegerArgs &args, const uint32_t *raw, uint2 *table)
{
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < args.parts * args.pairs * 4 * Tile::table; i += Tile::threads) {
        const int at = i % Tile::table, s = i / Tile::table % 4;
        if (at >= Tile::words) continue;
        const uint32_t *const row = raw + i / (4 * Tile::table) * 2 * Tile::raw + at;
        table[i] = make_uint2(__funnelshift_rc(row[0], row[1], 32 - 8 * s),
                              __funnelshift_rc(row[Tile::raw], row[Tile::raw + 1], 32 - 8 * s));
    }
}

#endif
