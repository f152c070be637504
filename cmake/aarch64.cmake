# Builds for 64-bit ARM on another machine: cmake --toolchain cmake/aarch64.cmake. The libraries are those of
# HALO_SYSROOT (scripts/arm makes one), or without it the arm64 packages installed beside the machine's own.
# What the build or the tests run is run by qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(HALO_SYSROOT "" CACHE PATH "Root of an arm64 system with the libraries that halo needs")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HALO_SYSROOT)
set(CMAKE_SYSROOT ${HALO_SYSROOT})
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${HALO_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${HALO_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${HALO_SYSROOT}/usr/share/pkgconfig)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

find_program(HALO_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(HALO_QEMU)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${HALO_QEMU})
    if(HALO_SYSROOT)
        list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -L ${HALO_SYSROOT})
    endif()
endif()
