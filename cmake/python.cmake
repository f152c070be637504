# What a wheel of the Python package holds beside its modules: the library, by the name that loads it, and the
# program. With HALO_PYTHON_BUNDLE also the libraries that formats load at run time, so that the wheel reads all
# formats where they are not installed; `auditwheel repair` adds those that are linked (scripts/wheel).
option(HALO_PYTHON_BUNDLE "Put the libraries that are loaded at run time into the wheel" OFF)
# The library has the command line, too, and the program only calls it: kernels are in the wheel once.
add_library(halo_main OBJECT cli/main.c)
target_include_directories(halo_main PRIVATE include cli)
target_compile_definitions(halo_main PRIVATE main=halo_main)
target_compile_options(halo_main PRIVATE -Wno-missing-prototypes)
target_sources(halo_shared PRIVATE $<TARGET_OBJECTS:halo_main> $<TARGET_OBJECTS:halo_cli>)
if(HALO_HAVE_CUDA)
    target_sources(halo_shared PRIVATE $<TARGET_OBJECTS:halo_ladder>)
endif()
add_executable(halo_launcher python/launcher.c)
target_link_libraries(halo_launcher PRIVATE halo_shared)
set_target_properties(halo_launcher PROPERTIES OUTPUT_NAME halo RUNTIME_OUTPUT_DIRECTORY launcher)
foreach(target halo_launcher halo_shared)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
endforeach()
set_target_properties(halo_shared PROPERTIES VERSION 1) # one file: wheels have no symbolic links
target_link_options(halo_shared PRIVATE $<$<CONFIG:Release>:-s>)
install(TARGETS halo_shared LIBRARY DESTINATION halofilters/lib COMPONENT python NAMELINK_SKIP)
install(TARGETS halo_launcher RUNTIME DESTINATION halofilters/bin COMPONENT python)
if(HALO_PYTHON_BUNDLE)
    foreach(name TIFF SNDFILE MPG123)
        if(HALO_${name}_FILE)
            file(REAL_PATH "${${name}_LINK_LIBRARIES}" library)
            install(PROGRAMS ${library} DESTINATION halofilters/lib RENAME ${HALO_${name}_FILE}
                COMPONENT python)
        endif()
    endforeach()
endif()
