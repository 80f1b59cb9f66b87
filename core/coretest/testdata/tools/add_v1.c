#include "tool.h"
EXPORT(add) int add(void) { read_input(); put("v1: "); put_int(number("a") + number("b")); return give(); }
EXPORT(sub) int sub(void) { read_input(); put("v1: "); put_int(number("a") - number("b")); return give(); }
