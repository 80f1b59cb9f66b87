#include "tool.h"
static int n;
EXPORT(count) int count(void) { read_input(); put_int(++n); return give(); }
