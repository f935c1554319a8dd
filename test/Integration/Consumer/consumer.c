/* Mirage's C interface in another project. */

#include <Mirage-c/Mirage.h>
#include <stdio.h>

int main(void) {
  printf("Mirage %s for %s\n", mirageVersion(), mirageTargets());
  return mirageApiVersion() != MIRAGE_C_API_VERSION;
}
