# find_package(Mirage), from the build tree and from an installed one. Targets have
# the names that they have here: MirageAll is what Mirage/InitAll.h needs, MirageC
# the C interface.
include(CMakePackageConfigHelpers)

set(MIRAGE_CMAKE_DIR lib/cmake/mirage)
configure_file(${PROJECT_SOURCE_DIR}/cmake/modules/MirageConfig.cmake.in
  ${PROJECT_BINARY_DIR}/${MIRAGE_CMAKE_DIR}/MirageConfig.cmake @ONLY)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/${MIRAGE_CMAKE_DIR}/MirageConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
export(EXPORT MirageTargets
  FILE ${PROJECT_BINARY_DIR}/${MIRAGE_CMAKE_DIR}/MirageTargets.cmake)

install(EXPORT MirageTargets DESTINATION ${MIRAGE_CMAKE_DIR} COMPONENT dev)
install(FILES
  ${PROJECT_BINARY_DIR}/${MIRAGE_CMAKE_DIR}/MirageConfig.cmake
  ${PROJECT_BINARY_DIR}/${MIRAGE_CMAKE_DIR}/MirageConfigVersion.cmake
  DESTINATION ${MIRAGE_CMAKE_DIR} COMPONENT dev)
install(DIRECTORY include/Mirage include/Mirage-c DESTINATION include
  COMPONENT dev FILES_MATCHING
  PATTERN "*.h" PATTERN "*.td" PATTERN "*.def")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/Mirage DESTINATION include
  COMPONENT dev FILES_MATCHING PATTERN "*.inc"
  PATTERN "CMakeFiles" EXCLUDE)
