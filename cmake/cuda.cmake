# The CUDA backend (halo_cuda), and the teaching kernels of `halo bench ladder` (halo_ladder), which are linked
# into the program alone.
if(NOT HALO_HAVE_CUDA)
    return()
endif()
file(GLOB cuda_sources CONFIGURE_DEPENDS cuda/*.cu cuda/*/*.cu)
file(GLOB ladder_sources CONFIGURE_DEPENDS cuda/ladder/*.cu)
list(REMOVE_ITEM cuda_sources ${ladder_sources})

# Files that take longest come first: ninja starts files in this order, and a long one at the end leaves cores
# idle.
set(cuda_longest)
foreach(name
        sep/sep_rolling_u8 sep/sep_rolling_u16 rank/rank_select_u16 rank/rank_select_f32 sep/sep_rolling_f32
        scan/scan conv/conv_fixed mean/horizontal rank/rank_rows
        resample/resample_half_u16 resample/resample_half_u8 resample/resample_half_f32)
    set(source ${PROJECT_SOURCE_DIR}/cuda/${name}.cu)
    if(source IN_LIST cuda_sources)
        list(REMOVE_ITEM cuda_sources ${source})
        list(APPEND cuda_longest ${source})
    endif()
endforeach()

# A file takes half a second, of a release a whole one, before its first line: CUDA's headers are parsed for the
# host and for each kind of GPU. So short files of a part are compiled as one: PART, the name of the first,
# which is the name of all together and decides the kinds of GPU (below), and the others. Some are left out,
# where two files use one name for different things.
set(cuda_joined)
foreach(group
        "bilateral bilateral bilateral_channels"
        "chain chain extremes gradient gradient_u8"
        "conv conv conv_column conv_dense_plan conv_extremes conv_integer_plan conv_long conv_sparse"
        "conv conv_single conv_rolling fft"
        "conv conv_line conv_dense"
        "device device copy memory pin start timing"
        "hist hist hist_general hist_u8 hist_f32 hist_f32_channels hist_u16"
        "hist equalize equalize_count equalize_quads equalize_packed"
        "mean mean deviation integer"
        "mean vertical single_line has_nan"
        "point gather gather_plain over"
        "point map combine mix table"
        "rank rank rank_extreme rank_line rank_select"
        "rank rank_count rank_tile"
        "reduce reduce fold powers reduce_counts reduce_extremes reduce_small reduce_float reduce_integer"
        "regions regions bits join number"
        "regions objects objects_list"
        "regions suppress thin"
        "resample resample resample_area resample_down resample_half resample_line resample_strip"
        "scan scan_xy scan_band scan_groups scan_left scan_narrow"
        "sep fast fast_interpolate fast_decimate fast_residual"
        "sep sep sep_extremes sep_gray sep_fixup sep_fixup_passes")
    string(REPLACE " " ";" names ${group})
    list(POP_FRONT names part)
    list(GET names 0 first)
    set(includes)
    foreach(name IN LISTS names)
        list(REMOVE_ITEM cuda_sources ${PROJECT_SOURCE_DIR}/cuda/${part}/${name}.cu)
        string(APPEND includes "#include \"${part}/${name}.cu\"\n")
    endforeach()
    set(joined ${PROJECT_BINARY_DIR}/joined/cuda/${part}/${first}.cu)
    file(CONFIGURE OUTPUT ${joined} CONTENT "${includes}" @ONLY)
    list(APPEND cuda_joined ${joined})
endforeach()
list(PREPEND cuda_sources ${cuda_longest} ${cuda_joined})

# nvcc's -O is for what runs on the host, which only launches kernels: at -O3 that takes twice as long to
# compile.
string(REPLACE "-O3" "-O1" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
set(cuda_compress)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0) # whose drivers all unpack it
    if(halo_every_gpu)
        set(cuda_compress --compress-mode=size)
    else() # a quarter larger, at once
        set(cuda_compress --compress-mode=balance --fatbin-options=-compress-all)
    endif()
endif()
add_library(halo_cuda OBJECT ${cuda_sources})
add_library(halo_ladder OBJECT ${ladder_sources})
foreach(target halo_cuda halo_ladder)
    target_include_directories(${target} PRIVATE include cuda)
    target_compile_options(${target} PRIVATE --fmad=false -Xcompiler=-ffp-contract=off,-Wall ${cuda_compress})
    # nvcc includes <cmath> everywhere, and of that the unused special functions of C++17 are a quarter of what
    # a small file takes to compile. libstdc++ has no other switch for them than this guard of the header.
    target_compile_definitions(${target} PRIVATE _GLIBCXX_BITS_SPECFUN_H)
    set_target_properties(${target} PROPERTIES CUDA_VISIBILITY_PRESET hidden)
endforeach()

if(halo_every_gpu)
    # What 8.0 runs, 8.6 and 8.9 run too; later ones take PTX. The front end is half of the time and
    # distinguishes just two kinds of GPU: before 8.0, and from then on, which copy to shared memory
    # asynchronously; files that do not are compiled once for all. In cuda/rank 9.0 is a third kind, which
    # compares pairs of samples by one instruction.
    set(later 90)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
        list(APPEND later 100 120)
    endif()
    list(TRANSFORM later PREPEND sm_)
    list(JOIN later "," later)
    foreach(source IN LISTS cuda_sources ladder_sources)
        if(source MATCHES "/cuda/rank/rank_(rows|span|columns)")
            set(codes "75,code=sm_75" "80,code=sm_80" "90,code=[${later},compute_90]")
        elseif(source MATCHES "/cuda/rank/")
            set(codes "75,code=[sm_75,sm_80]" "90,code=[${later},compute_90]")
        elseif(source MATCHES "/cuda/(adapt|bilateral|device|ladder|point|scan)|/cuda/(mean/mean|sep/fast)")
            set(codes "75,code=[sm_75,sm_80,${later},compute_75]")
        else()
            set(codes "75,code=sm_75" "80,code=[sm_80,${later},compute_80]")
        endif()
        list(TRANSFORM codes PREPEND "--generate-code=arch=compute_")
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${codes}")
    endforeach()
endif()
target_compile_definitions(halo_api PRIVATE HALO_HAVE_CUDA HALO_CUDA_VERSION="${CMAKE_CUDA_COMPILER_VERSION}")
list(APPEND halo_folders cuda)
