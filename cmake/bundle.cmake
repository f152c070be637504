# Included by `cmake --install` of a build with HALO_BUNDLE: copies the libraries that PROGRAM links, and those
# in LOADED, with what they need, to LIBDIR, and their licences to DOCDIR. Those of the C and C++ compiler stay
# the system's. NO_JBIG takes the place of JBIG-KIT (packaging/no_jbig.c).
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${PROGRAM} LIBRARIES ${LOADED}
    RESOLVED_DEPENDENCIES_VAR needed UNRESOLVED_DEPENDENCIES_VAR missing
    POST_EXCLUDE_REGEXES "/(ld-linux|ld-musl)[^/]*$" "/lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so[^/]*$"
        "/libc\\.musl[^/]*$")
if(missing)
    message(FATAL_ERROR "these libraries are missing: ${missing}")
endif()
find_program(DPKG_QUERY dpkg-query)
foreach(library ${LOADED} ${needed})
    file(REAL_PATH ${library} real)
    cmake_path(GET library FILENAME name) # by which programs ask for it
    if(name STREQUAL "libjbig.so.0")
        file(INSTALL ${NO_JBIG} DESTINATION ${LIBDIR} RENAME ${name})
        continue()
    endif()
    file(INSTALL ${real} DESTINATION ${LIBDIR} RENAME ${name})
    if(NOT DPKG_QUERY)
        message(WARNING "${library}: add its licence to ${DOCDIR}/licenses")
        continue()
    endif()
    # A library may be named below /lib and recorded below /usr/lib, or the other way.
    string(REGEX REPLACE "^/usr" "" short ${real})
    execute_process(COMMAND ${DPKG_QUERY} -S ${short} /usr${short} OUTPUT_VARIABLE owner ERROR_QUIET)
    if(NOT owner MATCHES "^([^:,]+)")
        message(FATAL_ERROR "${library} belongs to no package: its licence is unknown")
    endif()
    set(package ${CMAKE_MATCH_1})
    set(licence /usr/share/doc/${package}/copyright)
    file(INSTALL ${licence} DESTINATION ${DOCDIR}/licenses RENAME ${package})
    # It names texts that every Debian has, and others have not.
    file(READ ${licence} licence)
    string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z]+-[0-9]+(\\.[0-9]+)?" texts "${licence}")
    foreach(text ${texts})
        file(INSTALL ${text} DESTINATION ${DOCDIR}/licenses)
    endforeach()
endforeach()
