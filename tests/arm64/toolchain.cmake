# Cross-compiles for 64-bit ARM with Debian's compiler (gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu), against the
# libraries that sysroot.sh unpacks into ARM64_ROOT. Programs of the build and its tests run under qemu-user.
#
#   tests/arm64/sysroot.sh build/arm64-root && cmake --preset arm64 && cmake --build --preset arm64
#   ctest --preset arm64

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu) # where Debian keeps libraries
set(ARM64_ROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/arm64-root CACHE PATH "The libraries, as sysroot.sh unpacks them")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ARM64_ROOT)
file(REAL_PATH ${ARM64_ROOT} CMAKE_SYSROOT)
if(NOT EXISTS ${CMAKE_SYSROOT}/usr/include)
  message(FATAL_ERROR "there are no libraries in ${CMAKE_SYSROOT}: tests/arm64/sysroot.sh unpacks them")
endif()

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${CMAKE_SYSROOT})

set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_PATH} "")
