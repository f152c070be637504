# What a wheel of the Python package holds beside its modules: the library, by the name that loads it, and the
# program. With HALO_PYTHON_BUNDLE also the libraries that formats load at run time, so that the wheel reads all
# formats where they are not installed; `auditwheel repair` adds those that are linked (scripts/wheel).
option(HALO_PYTHON_BUNDLE "Put the libraries that are loaded at run time into the wheel" OFF)
foreach(target halo halo_shared)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
endforeach()
set_target_properties(halo_shared PROPERTIES VERSION 1) # one file: wheels have no symbolic links
target_link_options(halo_shared PRIVATE $<$<CONFIG:Release>:-s>)
install(TARGETS halo_shared LIBRARY DESTINATION halofilters/lib COMPONENT python NAMELINK_SKIP)
install(TARGETS halo RUNTIME DESTINATION halofilters/bin COMPONENT python)
if(HALO_PYTHON_BUNDLE)
    foreach(path ${halo_loaded_paths})
        file(REAL_PATH ${path} library)
        cmake_path(GET path FILENAME name)
        install(PROGRAMS ${library} DESTINATION halofilters/lib RENAME ${name} COMPONENT python)
    endforeach()
endif()
