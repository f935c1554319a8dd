/* The interface, used from C. */

#include "Mirage-c/Mirage.h"

int main(void) {
  static const char text[] =
      "func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {\n"
      "  %0 = mgraph_kernel.neg %x : tensor<4x8xf32> -> tensor<4x8xf32>\n"
      "  return %0 : tensor<4x8xf32>\n"
      "}\n";
  MirageContext *context = mirageContextCreate();
  MirageModule *module =
      mirageModuleParse(context, text, sizeof text - 1, "negate.mlir");
  float in[32], out[32];
  MirageBuffer input, output;
  int i, good = module != NULL && mirageApiVersion() == MIRAGE_C_API_VERSION;
  for (i = 0; i < 32; ++i)
    in[i] = (float)i;
  input.data = in;
  input.bytes = sizeof in;
  output.data = out;
  output.bytes = sizeof out;
  good = good && mirageModuleRun(module, NULL, &input, 1, &output, 1, false, 1);
  for (i = 0; good && i < 32; ++i)
    good = out[i] == -in[i];
  mirageModuleDestroy(module);
  mirageContextDestroy(context);
  return !good;
}
