#include "Mirage/Semantics/Program.h"
#include "Mirage/Verify/Verify.h"
