/* Which kernels this machine runs. HALO_CPU forces one, by its name: for tests and for finding faults, since
 * all give the same bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#if defined(HALO_CPU_X86)
#include <cpuid.h>

/* x86-64-v3 and v4 as the psABI defines them. The compiler's checks include that of the operating system,
 * which has to save the wide registers. */
static bool has_v3(void)
{
    unsigned a, b, c, d;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2"))
        return false;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_MOVBE) == 0 || (c & bit_F16C) == 0) return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT) != 0;
}

static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

void cpu_processor_name(char *name, size_t size)
{
    unsigned word[12] = {0};
    char text[sizeof word + 1] = "";
    if ((unsigned)__get_cpuid_max(0x80000000, NULL) >= 0x80000004u) {
        for (unsigned i = 0; i < 3; i++) {
            unsigned *w = word + 4 * i;
            __get_cpuid(0x80000002 + i, &w[0], &w[1], &w[2], &w[3]);
        }
        memcpy(text, word, sizeof word);
    }
    const char *start = text + strspn(text, " ");
    size_t length = strlen(start);
    while (length > 0 && start[length - 1] == ' ') length--;
    snprintf(name, size, "%.*s", length > 0 ? (int)length : (int)sizeof "x86-64",
             length > 0 ? start : "x86-64");
}
#elif defined(HALO_CPU_ARM)
void cpu_processor_name(char *name, size_t size) { snprintf(name, size, "64-bit ARM"); }
#else
void cpu_processor_name(char *name, size_t size) { snprintf(name, size, "CPU"); }
#endif

static bool always(void) { return true; }

#if defined(HALO_CPU_X86)
#define CHOICES "baseline, v3 or v4"
#elif defined(HALO_CPU_ARM)
#define CHOICES "baseline or neon"
#else
#define CHOICES "baseline"
#endif

/* The best first. */
static const struct {
    const CpuKernels *kernels;
    bool (*runs_here)(void);
} variant[] = {
#if defined(HALO_CPU_X86)
    {&cpu_kernels_v4, has_v4},
    {&cpu_kernels_v3, has_v3},
#elif defined(HALO_CPU_ARM)
    {&cpu_kernels_neon, always},
#endif
    {&cpu_kernels_baseline, always},
};

HaloStatus cpu_choose_kernels(const CpuKernels **kernels)
{
    const char *forced = getenv("HALO_CPU");
    const bool free_choice = forced == NULL || forced[0] == '\0';
    for (size_t i = 0; i < sizeof variant / sizeof variant[0]; i++) {
        if (!free_choice && strcmp(forced, variant[i].kernels->name) != 0) continue;
        if (variant[i].runs_here()) {
            *kernels = variant[i].kernels;
            return HALO_OK;
        }
        if (!free_choice)
            return halo_fail(HALO_ERR_DEVICE, "HALO_CPU=%s: this processor cannot run it", forced);
    }
    return halo_fail(HALO_ERR_DEVICE, "HALO_CPU=%s: expected " CHOICES, forced);
}

HaloSimd cpu_simd(const HaloDevice *device)
{
#if defined(HALO_CPU_X86)
    if (device->kernels == &cpu_kernels_v4) return HALO_SIMD_V4;
    if (device->kernels == &cpu_kernels_v3) return HALO_SIMD_V3;
#endif
    (void)device;
    return HALO_SIMD_BASELINE;
}

const char *cpu_variant(void)
{
    const CpuKernels *kernels;
    return cpu_choose_kernels(&kernels) == HALO_OK ? kernels->name : NULL;
}
