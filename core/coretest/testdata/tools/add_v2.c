#include "tool.h"
EXPORT(add) int add(void) { read_input(); put("v2: "); put_int(number("a") + number("b")); return give(); }
