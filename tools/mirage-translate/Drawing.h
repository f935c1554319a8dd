//===- Drawing.h - Programs as pictures -------------------------*- C++ -*-===//

#ifndef MIRAGE_TOOLS_TRANSLATE_DRAWING_H
#define MIRAGE_TOOLS_TRANSLATE_DRAWING_H

namespace mirage {

/// Registers `--export-dot`.
void registerDrawings();

} // namespace mirage

#endif // MIRAGE_TOOLS_TRANSLATE_DRAWING_H
