# Checks against attacks that compilers and linkers offer; each where this one has it. Sanitizers have their
# own.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
if(NOT HALO_HARDENING OR CMAKE_C_FLAGS MATCHES "sanitize")
    return()
endif()

set(CMAKE_REQUIRED_FLAGS -Werror) # else Clang takes what it does not know
# Stacks; control flow: CET on x86, BTI and signed return addresses on ARM.
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "HALO_HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
        add_compile_options("$<$<COMPILE_LANGUAGE:C>:${flag}>")
    endif()
endforeach()
unset(CMAKE_REQUIRED_FLAGS)

# Needs optimisation; and distributions give a level of their own.
if(NOT CMAKE_C_FLAGS MATCHES "_FORTIFY_SOURCE" AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
endif()

# The table of addresses is filled at the start, and is read-only then. Stacks hold no code.
include(CheckLinkerFlag)
foreach(flag -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
    string(MAKE_C_IDENTIFIER "HALO_LINKS${flag}" has)
    check_linker_flag(C ${flag} ${has})
    if(${has})
        add_link_options(${flag})
    endif()
endforeach()
