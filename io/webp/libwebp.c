#ifdef HALO_HAVE_WEBP
#include "libwebp.h"

#ifdef HALO_WEBP_FILE
LIBRARY_LOADED(WebpFunctions, webp, WEBP_FUNCTIONS, HALO_WEBP_FILE, "WebP", load_codec)
#else
LIBRARY_LINKED(WebpFunctions, webp, WEBP_FUNCTIONS, load_codec)
#endif
#ifdef HALO_WEBPMUX_FILE
LIBRARY_LOADED(WebpMuxFunctions, webp_mux, WEBP_MUX_FUNCTIONS, HALO_WEBPMUX_FILE, "WebP", load_mux)
#else
LIBRARY_LINKED(WebpMuxFunctions, webp_mux, WEBP_MUX_FUNCTIONS, load_mux)
#endif
#ifdef HALO_WEBPDEMUX_FILE
LIBRARY_LOADED(WebpDemuxFunctions, webp_demux, WEBP_DEMUX_FUNCTIONS, HALO_WEBPDEMUX_FILE, "WebP", load_demux)
#else
LIBRARY_LINKED(WebpDemuxFunctions, webp_demux, WEBP_DEMUX_FUNCTIONS, load_demux)
#endif

HaloStatus webp_load(void)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(load_codec());
    HALO_TRY(load_mux());
    HALO_TRY(load_demux());
out:
    return status;
}
#endif
