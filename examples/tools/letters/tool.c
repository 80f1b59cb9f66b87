/* A plug-in without describe and call: it has one export that reads its input and sets
   its output with Extism's functions, which are declared here by hand. A plug-in built
   with a C PDK imports the same functions. Its description is in a file beside the
   module. It counts a and e in the value of {"text":"…"}, which is how golem writes
   arguments. */
typedef unsigned long long u64;

#define HOST(NAME) __attribute__((import_module("extism:host/env"), import_name(#NAME)))
HOST(input_length) u64 input_length(void);
HOST(input_load_u8) int input_load_u8(u64 at);
HOST(alloc) u64 alloc(u64 size);
HOST(store_u8) void store_u8(u64 at, int value);
HOST(output_set) void output_set(u64 at, u64 size);

__attribute__((export_name("count_letters"))) int count_letters(void) {
  u64 n = input_length();
  unsigned count = 0;
  u64 i = 0;
  while (i < n && input_load_u8(i) != ':') i++;
  for (; i < n; i++) {
    int c = input_load_u8(i);
    count += c == 'a' || c == 'e';
  }
  unsigned digits = 1;
  for (unsigned rest = count; rest >= 10; rest /= 10) digits++;
  u64 out = alloc(digits);
  for (unsigned i = digits; i > 0; count /= 10) store_u8(out + --i, '0' + (int)(count % 10));
  output_set(out, digits);
  return 0;
}
