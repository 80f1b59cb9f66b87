// No form and no description: there is nothing that golem could call.
#include "tool.h"
EXPORT(helper) int helper(void) { read_input(); put("helped"); return give(); }
EXPORT(takes) int takes(int a) { return a; }
