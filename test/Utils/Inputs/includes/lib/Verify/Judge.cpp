#include "Mirage/Search/Search.h"
#include <z3.h>
