//===- ReportCode.h - The code of a kernel for a report ---------*- C++ -*-===//

#ifndef MIRAGE_TOOLS_MIRAGE_RUN_REPORTCODE_H
#define MIRAGE_TOOLS_MIRAGE_RUN_REPORTCODE_H

#include "Mirage/Report/Report.h"

namespace mirage::run {

/// Lowers a program of graph-defined kernels; says why where that fails.
report::Code lowerForReport(const semantics::Program &program,
                            const std::string &target);

} // namespace mirage::run

#endif // MIRAGE_TOOLS_MIRAGE_RUN_REPORTCODE_H
