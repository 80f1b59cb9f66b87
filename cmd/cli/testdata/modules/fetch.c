/* fetch: a module for the command line's tests. It asks for the address that
   it is given, and returns status and body. */
#include "golemtool.h"

HOST(http_request) u64 host_http_request(u64 request, u64 body);
HOST(http_status_code) int host_http_status_code(void);

static void fetch(void) {
  put("{\"method\":\"GET\",\"headers\":{\"x-key\":\"secret\"},\"url\":");
  put_json(arg_text("url"));
  put("}");
  u64 answer = host_http_request(to_host(result, result_len), 0);
  long n = (long)host_length(answer);
  result_len = 0;
  put_int(host_http_status_code());
  put(" ");
  for (long i = 0; i < n; i++) put_text((text){(char[]){(char)host_load_u8(answer + (u64)i)}, 1});
}

void tool(text name) {
  if (same(name, "fetch")) return fetch();
  fail("fetch.c has no such tool");
}
