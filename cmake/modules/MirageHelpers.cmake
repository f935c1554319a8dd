# One helper for each kind of target.

# Compiler settings that every Mirage target shares: LLVM is built without RTTI
# and exceptions, so is Mirage.
add_library(mirage_options INTERFACE)
target_compile_options(mirage_options INTERFACE -fno-rtti -fno-exceptions
  $<BUILD_INTERFACE:-Wall> $<BUILD_INTERFACE:-Wextra>
  $<BUILD_INTERFACE:-Wno-unused-parameter>
  $<BUILD_INTERFACE:$<$<BOOL:${MIRAGE_WERROR}>:-Werror>>)
target_include_directories(mirage_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:include>)
target_include_directories(mirage_options SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

# What find_package(Mirage) knows: see MirageInstall.cmake.
install(TARGETS mirage_options EXPORT MirageTargets)

# add_mirage_library(NAME src... [DEPENDS target...] [LINK_LIBS lib...])
# A static library. It links LLVM's shared object; MLIR's is named in LINK_LIBS
# by the libraries that see MLIR.
function(add_mirage_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC mirage_options ${ARG_LINK_LIBS} LLVM)
  install(TARGETS ${name} EXPORT MirageTargets
    ARCHIVE DESTINATION lib COMPONENT dev)
endfunction()

# As add_mirage_library, for code that includes MLIR or generated headers.
function(add_mirage_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_mirage_library(${name} ${ARG_UNPARSED_ARGUMENTS}
    DEPENDS mirage-headers ${ARG_DEPENDS} LINK_LIBS ${ARG_LINK_LIBS} MLIR)
endfunction()

# add_mirage_tool(NAME src... LINK_LIBS lib...)
function(add_mirage_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(${name} mirage-headers)
  target_link_libraries(${name} PRIVATE mirage_options ${ARG_LINK_LIBS})
endfunction()

# add_mirage_unittest(NAME src... LINK_LIBS lib...)
# One GoogleTest binary, one ctest entry.
function(add_mirage_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE mirage_options ${ARG_LINK_LIBS}
    GTest::gtest GTest::gtest_main)
  add_test(NAME unit/${name} COMMAND ${name})
endfunction()

# add_mirage_pytest(NAME folder [ENV name=value...])
# The Python tests of one folder, one ctest entry. They run in the project's
# .venv where there is one, so that NumPy is found.
function(add_mirage_pytest name folder)
  cmake_parse_arguments(ARG "" "" "ENV" ${ARGN})
  if(NOT MIRAGE_PYTHON)
    find_program(MIRAGE_PYTHON NAMES python3
      HINTS ${PROJECT_SOURCE_DIR}/.venv/bin NO_CMAKE_PATH
      DOC "Python that runs the tests: needs pytest and NumPy")
  endif()
  add_test(NAME python/${name}
    COMMAND ${MIRAGE_PYTHON} -m pytest -q -rs -p no:cacheprovider ${folder})
  set_tests_properties(python/${name} PROPERTIES
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;${ARG_ENV}")
endfunction()

# add_mirage_dialect(NAME namespace [TYPES] [ATTRS])
# Code and the reference page of the dialect `namespace`, from <NAME>Ops.td in
# the current folder.
function(add_mirage_dialect name namespace)
  cmake_parse_arguments(ARG "TYPES;ATTRS" "" "" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS ${name}Ops.td)
  mlir_tablegen(${name}Ops.h.inc -gen-op-decls -dialect=${namespace})
  mlir_tablegen(${name}Ops.cpp.inc -gen-op-defs -dialect=${namespace})
  mlir_tablegen(${name}Dialect.h.inc -gen-dialect-decls -dialect=${namespace})
  mlir_tablegen(${name}Dialect.cpp.inc -gen-dialect-defs -dialect=${namespace})
  if(ARG_TYPES)
    mlir_tablegen(${name}Types.h.inc -gen-typedef-decls
      -typedefs-dialect=${namespace})
    mlir_tablegen(${name}Types.cpp.inc -gen-typedef-defs
      -typedefs-dialect=${namespace})
  endif()
  if(ARG_ATTRS)
    mlir_tablegen(${name}Attrs.h.inc -gen-attrdef-decls
      -attrdefs-dialect=${namespace})
    mlir_tablegen(${name}Attrs.cpp.inc -gen-attrdef-defs
      -attrdefs-dialect=${namespace})
  endif()
  add_public_tablegen_target(Mirage${name}IncGen)
  add_dependencies(mirage-headers Mirage${name}IncGen)
  add_mlir_doc(${name}Ops ${name} Dialects/ -gen-dialect-doc
    -dialect=${namespace})
  add_dependencies(mirage-doc ${name}DocGen)
endfunction()
