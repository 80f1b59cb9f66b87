#include "tool.h"
EXPORT(mul) int mul(void) { read_input(); put_int(number("a") * number("b")); return give(); }
