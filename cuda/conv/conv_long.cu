/* Masks of one row or one column: the host's side of both. */
#include "conv_long.cuh"

HaloStatus long_sums(HaloDevice *device, int64_t numbers, int64_t rows, ConvTarget *sums)
{
    void *data;
    int64_t stride, bytes;
    if (!halo_mul(numbers, (int64_t)sizeof(float), &stride) || !halo_mul(stride, rows, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "the sums of %lld rows are too large: use --device cpu",
                         (long long)rows);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, bytes, &data));
    if (sums == NULL) return HALO_OK;
    sums->data = (char *)data;
    sums->stride = stride;
    sums->dtype = HALO_F32;
    sums->affine = false;
    sums->store = {1.0f, 1.0f};
    return HALO_OK;
}

HaloStatus long_pieces(HaloDevice *device, const ConvArgs *conv, const float *tap, LongLaunch *launch)
{
    const int taps = conv->width * conv->height, pieces = (taps + long_taps - 1) / long_taps;
    const bool row = conv->height == 1;
    ConvTarget sums = conv->dst;
    const bool held =
        conv->dst.dtype == HALO_F32 && conv_plain(conv->dst); /* the destination holds sums as they are */
    if (pieces > 1 && !held)
        CUDA_PASS(long_sums(device, conv->dst.cols * conv->dst.channels, conv->dst.rows, &sums));
    for (int i = 0; i < pieces; i++) {
        const int from = (int)((int64_t)taps * i / pieces),
                  count = (int)((int64_t)taps * (i + 1) / pieces) - from;
        LongArgs args = {};
        args.conv = *conv;
        if (row) {
            args.conv.x_first += from;
            args.conv.width = count;
            args.conv.src.x_end = args.conv.x_first + conv->dst.cols + count - 1;
        } else {
            args.conv.y_first += from;
            args.conv.height = count;
            args.conv.src.y_end = args.conv.y_first + conv->dst.rows + count - 1;
        }
        if (i < pieces - 1) args.conv.dst = sums;
        args.sums = i > 0 ? sums.data : NULL;
        args.sums_stride = sums.stride;
        for (int k = 0; k < count; k++) *(k % 2 ? &args.tap[k / 2].y : &args.tap[k / 2].x) = tap[from + k];
        CUDA_PASS(launch(device, &args));
    }
    return HALO_OK;
}
