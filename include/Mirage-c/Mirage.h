/*===- Mirage.h - The C interface of Mirage ---------------------*- C -*-===*\
|*                                                                          *|
|* Parse a tensor program, superoptimize it, lower it to PTX, run it on the  *|
|* CPU or launch it on a GPU. Python is built on this header alone.          *|
|*                                                                          *|
|* Failure. A function that can fail returns false, NULL or NaN; then        *|
|* mirageContextErrors says what was expected and what was found, each       *|
|* error on a line of its own with its place in the text. Nothing is         *|
|* printed. mirageContextRemarks holds what passes reported in the same      *|
|* call. Both texts belong to the context, until its next call.              *|
|*                                                                          *|
|* Threads. A context and what was made from it serve one thread at a time;  *|
|* different contexts are independent. mirageKernelsLaunch may be called     *|
|* from any thread.                                                          *|
|*                                                                          *|
|* Ownership. What a Create, Parse, Clone or Load function returns is given  *|
|* back to the Destroy function of its type, modules and kernels before      *|
|* their context. A char * result is given to mirageStringDestroy. NULL is   *|
|* allowed there.                                                            *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/

#ifndef MIRAGE_C_MIRAGE_H
#define MIRAGE_C_MIRAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MIRAGE_EXPORT __attribute__((visibility("default")))

/** Grows when a function changes its meaning or its parameters. */
#define MIRAGE_C_API_VERSION 1

typedef struct MirageContext MirageContext;
typedef struct MirageModule MirageModule;
typedef struct MirageKernels MirageKernels;

/** MIRAGE_C_API_VERSION of the library. */
MIRAGE_EXPORT int mirageApiVersion(void);
/** "0.1.0": static, not to be destroyed. */
MIRAGE_EXPORT const char *mirageVersion(void);
/** The targets, as "sm_80 sm_86 ...": static, not to be destroyed. */
MIRAGE_EXPORT const char *mirageTargets(void);
MIRAGE_EXPORT void mirageStringDestroy(char *string);

/*===----------------------------------------------------------------------===*\
|* Context
\*===----------------------------------------------------------------------===*/

MIRAGE_EXPORT MirageContext *mirageContextCreate(void);
MIRAGE_EXPORT void mirageContextDestroy(MirageContext *context);
/** Errors of the last call, "" where it succeeded. */
MIRAGE_EXPORT const char *mirageContextErrors(const MirageContext *context);
/** Warnings and remarks of the last call, with their notes. */
MIRAGE_EXPORT const char *mirageContextRemarks(const MirageContext *context);

/*===----------------------------------------------------------------------===*\
|* Modules
\*===----------------------------------------------------------------------===*/

/** Parses and verifies `length` bytes of MLIR text: functions of linalg on
 *  tensors or of mgraph_kernel. `name` stands for the file in errors. */
MIRAGE_EXPORT MirageModule *mirageModuleParse(MirageContext *context,
                                              const char *text, size_t length,
                                              const char *name);
MIRAGE_EXPORT MirageModule *mirageModuleClone(const MirageModule *module);
MIRAGE_EXPORT void mirageModuleDestroy(MirageModule *module);
/** The module as text. */
MIRAGE_EXPORT char *mirageModulePrint(const MirageModule *module);

/* Passes. After a failure the module is in an unspecified but valid state.
 * `options` are those of the pass, as "target=sm_90a threads=2"; an unknown
 * one is an error. NULL stands for "". */

/** --convert-linalg-to-mgraph-kernel, on every function. */
MIRAGE_EXPORT bool mirageModuleRaise(MirageModule *module);
/** --mirage-superopt="options". */
MIRAGE_EXPORT bool mirageModuleSuperoptimize(MirageModule *module,
                                             const char *options);
/** --mirage-verify="options": re-checks certificates. The remarks hold the
 *  verdicts; false where one does not hold. */
MIRAGE_EXPORT bool mirageModuleVerify(MirageModule *module,
                                      const char *options);
/** --mirage-strip-reference. */
MIRAGE_EXPORT bool mirageModuleStripReferences(MirageModule *module);
/** --mirage-lower-to-ptx="target=..." */
MIRAGE_EXPORT bool mirageModuleLower(MirageModule *module, const char *target);

/* The folder of mirageModuleSuperoptimize(module, "cache=FOLDER") also keeps
 * what callers put there: JSON text under a kind and a key, for this version of
 * the library. Entries are whole or absent, whatever happens to the processes
 * that write them. */

/** What was kept, or NULL: nothing, or a folder that cannot be used. */
MIRAGE_EXPORT char *mirageCacheLoad(const char *folder, const char *kind,
                                    const char *key, size_t keyLength);
/** Whether `answer`, which is JSON, was kept. */
MIRAGE_EXPORT bool mirageCacheSave(const char *folder, const char *kind,
                                   const char *key, size_t keyLength,
                                   const char *answer, size_t answerLength);

/** The PTX of a lowered module, or NULL. */
MIRAGE_EXPORT char *mirageModulePTX(const MirageModule *module);

/* `function` names one function of the module; NULL or "" stands for its only
 * public one. */

/** The launch plan of a function of a lowered module, as JSON (LaunchPlan.h
 *  defines it), or NULL. */
MIRAGE_EXPORT char *mirageModulePlan(const MirageModule *module,
                                     const char *function);
/** Inputs and outputs of a function of mgraph_kernel or linalg, as JSON:
 *  {"function": "f", "inputs": [{"shape": [16, 64], "dtype": "f16"}, ...],
 *   "outputs": [...]}. */
MIRAGE_EXPORT char *mirageModuleSignature(const MirageModule *module,
                                          const char *function);
/** Predicted microseconds of a function of mgraph_kernel on `target`, each
 *  predefined op as a kernel of its own; NaN on failure, infinity where a graph
 *  exceeds the target. */
MIRAGE_EXPORT double mirageModulePredict(const MirageModule *module,
                                         const char *function,
                                         const char *target);

/** A dense row-major tensor in host memory, little-endian elements. */
typedef struct MirageBuffer {
  void *data;
  size_t bytes;
} MirageBuffer;

/** Runs a function (of mgraph_kernel, graphs included, or of linalg that can be
 *  raised) in the interpreter. Sizes must be those of the signature. With
 *  `exact` nothing rounds, and every float output is written as f64; else each
 *  kernel-level result is rounded to its type. `threads` = 0 takes all
 *  cores. */
MIRAGE_EXPORT bool mirageModuleRun(const MirageModule *module,
                                   const char *function,
                                   const MirageBuffer *inputs, size_t numInputs,
                                   const MirageBuffer *outputs,
                                   size_t numOutputs, bool exact,
                                   unsigned threads);

/*===----------------------------------------------------------------------===*\
|* Kernels on a GPU
\*===----------------------------------------------------------------------===*/

/** Loads a plan and its machine code (a cubin, or PTX text) on CUDA device
 *  `ordinal`, into its primary context, which stays current on this thread. The
 *  driver is loaded here, from `driver` ("libcuda.so.1" for NULL). A device
 *  that is older than the plan's target is an error. */
MIRAGE_EXPORT MirageKernels *
mirageKernelsLoad(MirageContext *context, const char *plan, size_t planLength,
                  const void *image, size_t imageLength, int ordinal,
                  const char *driver);
MIRAGE_EXPORT void mirageKernelsDestroy(MirageKernels *kernels);

/** Enqueues the plan's kernels on `stream`, a CUstream. `addresses` are device
 *  addresses: the inputs, the outputs, then the scratch buffers of the plan;
 *  there are mirageKernelsNumAddresses of them. Zero scratch is cleared here.
 *  With `dependent`, kernels compiled for dependent launch overlap their
 *  predecessor. Returns 0, or the driver's error. Allocates nothing and calls
 *  the driver once for each kernel, so that streams may be captured. */
MIRAGE_EXPORT int mirageKernelsLaunch(const MirageKernels *kernels,
                                      const uint64_t *addresses, void *stream,
                                      bool dependent);
MIRAGE_EXPORT size_t mirageKernelsNumAddresses(const MirageKernels *kernels);
/** The driver's words for an error of mirageKernelsLaunch: static. */
MIRAGE_EXPORT const char *mirageKernelsErrorString(const MirageKernels *kernels,
                                                   int status);

#ifdef __cplusplus
}
#endif

#endif /* MIRAGE_C_MIRAGE_H */
