// A module of none of the three forms and without a description, so golem cannot call it.
#include "tool.h"
EXPORT(helper) int helper(void) { read_input(); put("helped"); return give(); }
EXPORT(takes) int takes(int a) { return a; }
