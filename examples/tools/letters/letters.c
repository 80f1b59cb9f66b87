// An Extism plug-in in C over the public PDK's header, extism-pdk.h, which is
// not kept here (README.md says where it comes from). Counts a and e.
#define EXTISM_IMPLEMENTATION
#include "extism-pdk.h"
#include <stdint.h>

int32_t EXTISM_EXPORTED_FUNCTION(count_letters) {
  static uint8_t text[4096];
  uint64_t n = extism_input_length();
  if (n > sizeof text) n = sizeof text;
  extism_load_input(0, text, n);
  int count = 0;
  for (uint64_t i = 0; i < n; i++) count += text[i] == 'a' || text[i] == 'e';
  char out[12], *at = out + sizeof out - 1;
  *at = 0;
  do *--at = (char)('0' + count % 10);
  while (count /= 10);
  extism_output_buf_from_sz(at);
  return 0;
}
