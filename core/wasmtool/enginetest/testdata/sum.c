// An ordinary Extism plug-in without a C library: it adds the numbers in its
// input, and fails if the input has other characters than digits and spaces.
typedef unsigned long long u64;
#define HOST(name) __attribute__((import_module("extism:host/env"), import_name(name))) extern
HOST("input_length") u64 input_length(void);
HOST("input_load_u8") unsigned input_load_u8(u64 at);
HOST("alloc") u64 alloc(u64 n);
HOST("store_u8") void store_u8(u64 at, unsigned byte);
HOST("output_set") void output_set(u64 at, u64 n);
HOST("error_set") void error_set(u64 at);

static u64 block(const char *s, u64 n) {
  u64 at = alloc(n);
  for (u64 i = 0; i < n; i++) store_u8(at + i, (unsigned char)s[i]);
  return at;
}

__attribute__((export_name("run"))) int run(void) {
  u64 sum = 0, number = 0, n = input_length();
  for (u64 i = 0; i < n; i++) {
    unsigned c = input_load_u8(i);
    if (c == ' ') {
      sum += number;
      number = 0;
    } else if (c >= '0' && c <= '9') {
      number = number * 10 + c - '0';
    } else {
      error_set(block("no number", 9));
      return 1;
    }
  }
  sum += number;
  char digits[20];
  int at = sizeof digits;
  do digits[--at] = (char)('0' + sum % 10);
  while (sum /= 10);
  output_set(block(digits + at, sizeof digits - (u64)at), sizeof digits - (u64)at);
  return 0;
}
