# What `cmake --install` puts in place: the program, its manual and completions, the library in both forms, its
# headers, and the descriptions by which pkg-config and CMake find it.
set_target_properties(halo_shared PROPERTIES EXPORT_NAME halo)
set_target_properties(halo_static PROPERTIES EXPORT_NAME static)
if(HALO_HAVE_CUDA) # nvcc links these by itself; a C program that uses the archive has to be told
    find_package(CUDAToolkit REQUIRED)
    target_link_libraries(halo_static PRIVATE CUDA::cudart_static stdc++)
endif()
# An archive that may lie in any folder: libraries are looked for beside the program and the library first, also
# by those libraries (which is why this is an RPATH, not a RUNPATH).
if(HALO_BUNDLE)
    file(RELATIVE_PATH to_libraries "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(halo PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
    set_target_properties(halo_shared PROPERTIES INSTALL_RPATH "$ORIGIN")
    target_link_options(halo PRIVATE -Wl,--disable-new-dtags)
    target_link_options(halo_shared PRIVATE -Wl,--disable-new-dtags)
    add_library(halo_no_jbig SHARED packaging/no_jbig.c)
    target_link_options(halo_no_jbig PRIVATE -Wl,-soname,libjbig.so.0)
endif()
install(TARGETS halo)
install(TARGETS halo_shared halo_static EXPORT haloTargets)
file(GLOB headers CONFIGURE_DEPENDS include/halo/*.h)
foreach(header ${headers})
    file(STRINGS ${header} first LIMIT_COUNT 1)
    if(NOT first MATCHES "^/\\* For halo's own folders")
        install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/halo)
    endif()
endforeach()
install(FILES LICENSE NOTICES.md README.md TYPE DOC)

# ---- pkg-config ----------------------------------------------------------------------------------------------
# What the archive needs is in Libs.private by name. As Requires.private, it would have pkg-config look for the
# .pc file of each, and add its flags, whenever it is asked for halo's.
file(RELATIVE_PATH HALO_PREFIX_FROM_PC "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
set(HALO_PC_LIBS)
foreach(package ${halo_linked})
    string(REPLACE "PkgConfig::" "" package ${package})
    foreach(folder ${${package}_LIBRARY_DIRS})
        if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
            list(APPEND HALO_PC_LIBS -L${folder})
        endif()
    endforeach()
    list(APPEND HALO_PC_LIBS ${${package}_LIBRARIES})
endforeach()
list(REMOVE_DUPLICATES HALO_PC_LIBS)
list(APPEND HALO_PC_LIBS -lm -pthread ${CMAKE_DL_LIBS})
list(TRANSFORM HALO_PC_LIBS REPLACE "^([^-].*)$" "-l\\1")
list(JOIN HALO_PC_LIBS " " HALO_PC_LIBS)
if(HALO_HAVE_CUDA)
    string(APPEND HALO_PC_LIBS " -lcudart_static -lrt -lstdc++")
endif()
configure_file(cmake/halo.pc.in halo.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/halo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- CMake: find_package(halo), then halo::halo or halo::static ----------------------------------------------
set(HALO_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/halo)
configure_package_config_file(cmake/haloConfig.cmake.in haloConfig.cmake INSTALL_DESTINATION
    ${HALO_PACKAGE_DIR})
write_basic_package_version_file(haloConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT haloTargets NAMESPACE halo:: DESTINATION ${HALO_PACKAGE_DIR})
install(FILES ${PROJECT_BINARY_DIR}/haloConfig.cmake ${PROJECT_BINARY_DIR}/haloConfigVersion.cmake
    DESTINATION ${HALO_PACKAGE_DIR})

# ---- the manual and the completions, which the program writes itself -----------------------------------------
set(HALO_PAGES "man;halo.1;${CMAKE_INSTALL_MANDIR}/man1"
    "complete-bash;halo.bash;${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
    "complete-zsh;_halo;${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
    "complete-fish;halo.fish;${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
while(HALO_PAGES)
    list(POP_FRONT HALO_PAGES what file folder)
    add_custom_command(OUTPUT ${file} COMMAND halo --generate ${what} > ${file} DEPENDS halo VERBATIM)
    list(APPEND HALO_PAGE_FILES ${file})
    string(REPLACE "halo.bash" "halo" name ${file})
    install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${folder} RENAME ${name})
endwhile()
add_custom_target(pages ALL DEPENDS ${HALO_PAGE_FILES})

# ---- what packaging/ needs to know ---------------------------------------------------------------------------
get_target_property(halo_soversion halo_shared SOVERSION)
list(TRANSFORM halo_loaded_paths REPLACE "^.*/" "" OUTPUT_VARIABLE halo_loaded_files)
list(JOIN halo_loaded_files " " halo_loaded_files)
file(WRITE ${PROJECT_BINARY_DIR}/packaging.txt
    "version=${PROJECT_VERSION}\nsoversion=${halo_soversion}\nloaded=${halo_loaded_files}\n")

if(HALO_BUNDLE)
    install(CODE "
        set(PROGRAM \"$<TARGET_FILE:halo>\")
        set(LOADED \"${halo_bundled_paths}\")
        set(NO_JBIG \"$<TARGET_FILE:halo_no_jbig>\")
        set(LIBDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
        set(DOCDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
        include(\"${PROJECT_SOURCE_DIR}/cmake/bundle.cmake\")")
endif()
string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME halo-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
