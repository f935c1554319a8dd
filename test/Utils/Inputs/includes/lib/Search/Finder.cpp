#include "Mirage/Verify/Verify.h"
#include "Mirage/Semantics/Program.h"
