//===- Page.h - The parts of the page ---------------------------*- C++ -*-===//

#ifndef MIRAGE_LIB_REPORT_PAGE_H
#define MIRAGE_LIB_REPORT_PAGE_H

#include "Mirage/Drawing/Diagram.h"
#include "Mirage/Report/Report.h"

namespace mirage::report {

/// Style sheet of the page, dark and light.
extern const char *const kStyle;

using drawing::escapeXML;

/// "15.8".
std::string micros(double value);
/// "1 op", "2 ops"; thousands apart: "24 024 instances".
std::string counted(int64_t count, llvm::StringRef what);
std::string grouped(int64_t count);

/// Every candidate as a mark at its predicted time, one row each.
void writeCandidatePlot(const Fragment &fragment, llvm::raw_ostream &os);
/// Every candidate that was timed, predicted against measured.
void writeMeasuredPlot(const TuneResults &tuned, llvm::raw_ostream &os);
/// What became of the operators that the search proposed.
void writePruning(const Statistics &stats, llvm::raw_ostream &os);
/// Where the buffers of one kernel lie in shared memory, and when.
void writeSharedPlan(const LoweredKernel &kernel, llvm::raw_ostream &os);

/// The certificate in sentences.
void writeCertificate(const llvm::json::Object &certificate,
                      llvm::raw_ostream &os);

} // namespace mirage::report

#endif // MIRAGE_LIB_REPORT_PAGE_H
