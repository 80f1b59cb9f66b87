// A module in none of the three forms: a worker can name its exports as tools.
#include "extism.h"

EXPORT("upper")
int upper(void) {
  input();
  for (char *p = in; *p; p++) out[used++] = *p >= 'a' && *p <= 'z' ? *p - 32 : *p;
  return answer();
}

EXPORT("add")
int add(int a, int b) { return a + b; }
