/* Convolution by Fourier transforms, where the build has a library for them. */
#ifndef CPU_FFT_H
#define CPU_FFT_H

#include "device.h"

/* Is this convolution to be done so? Never without HALO_HAVE_KISSFFT. */
bool cpu_fft_takes(const HaloConv *conv);
HaloStatus cpu_fft(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store);

#endif
