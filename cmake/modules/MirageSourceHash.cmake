# cmake -DROOT=... -DOUT=... -DVERSIONS=... -P MirageSourceHash.cmake
# Writes a header with a hash of the sources of lib/ and include/: the same in
# every build of the same sources, so that the command line, Python and another
# machine share a cache.
file(GLOB_RECURSE sources ${ROOT}/lib/*.cpp ${ROOT}/lib/*.h ${ROOT}/lib/*.inc
  ${ROOT}/include/Mirage/*.h ${ROOT}/include/Mirage/*.td
  ${ROOT}/include/Mirage/*.def ${ROOT}/include/Mirage/*.inc)
list(SORT sources)
set(all "${VERSIONS}\n")
foreach(path ${sources})
  file(SHA256 ${path} hash)
  file(RELATIVE_PATH name ${ROOT} ${path})
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
file(CONFIGURE OUTPUT ${OUT} CONTENT
  "#define MIRAGE_SOURCE_VERSION \"${hash} ${VERSIONS}\"\n")
