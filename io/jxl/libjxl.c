#ifdef HALO_HAVE_JXL
#include "libjxl.h"

#ifdef HALO_JXL_FILE
LIBRARY_LOADED(JxlFunctions, jxl, JXL_FUNCTIONS, HALO_JXL_FILE, "JPEG XL", load_codec)
#else
LIBRARY_LINKED(JxlFunctions, jxl, JXL_FUNCTIONS, load_codec)
#endif
#ifdef HALO_JXLTHREADS_FILE
LIBRARY_LOADED(JxlThreadsFunctions, jxl_threads, JXL_THREADS_FUNCTIONS, HALO_JXLTHREADS_FILE, "JPEG XL",
               load_threads)
#else
LIBRARY_LINKED(JxlThreadsFunctions, jxl_threads, JXL_THREADS_FUNCTIONS, load_threads)
#endif

HaloStatus jxl_load(void)
{
    const HaloStatus status = load_codec();
    return status == HALO_OK ? load_threads() : status;
}
#endif
