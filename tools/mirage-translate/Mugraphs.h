//===- Mugraphs.h - Stored graphs of the published system -------*- C++ -*-===//

#ifndef MIRAGE_TOOLS_TRANSLATE_MUGRAPHS_H
#define MIRAGE_TOOLS_TRANSLATE_MUGRAPHS_H

namespace mirage {

/// Registers `--import-mugraph-json` and `--export-mugraph-json`.
void registerMugraphTranslations();

} // namespace mirage

#endif // MIRAGE_TOOLS_TRANSLATE_MUGRAPHS_H
