// The host interface that Extism plug-ins import (extism:host/env), and
// golem_call, as the tests' modules use it.
typedef unsigned long long u64;
typedef unsigned int u32;
#define HOST(module, name) __attribute__((import_module(module), import_name(name))) extern
#define EXPORT(name) __attribute__((export_name(name)))

HOST("extism:host/env", "alloc") u64 host_alloc(u64 n);
HOST("extism:host/env", "length") u64 host_length(u64 at);
HOST("extism:host/env", "load_u8") u32 host_load(u64 at);
HOST("extism:host/env", "store_u8") void host_store(u64 at, u32 v);
HOST("extism:host/env", "input_length") u64 input_length(void);
HOST("extism:host/env", "input_load_u8") u32 input_load(u64 at);
HOST("extism:host/env", "output_set") void output_set(u64 at, u64 n);
HOST("extism:host/env", "error_set") void error_set(u64 at);
HOST("extism:host/env", "config_get") u64 config_get(u64 key);
HOST("extism:host/env", "log_info") void log_info(u64 at);
HOST("extism:host/env", "http_request") u64 http_request(u64 request, u64 body);
HOST("extism:host/env", "http_status_code") u32 http_status_code(void);
HOST("extism:host/user", "golem_call") u64 golem_call(u64 name, u64 args);

static char out[65536], in[65536];
static u32 used;

static void put(const char *s) { while (*s && used < sizeof out) out[used++] = *s++; }

// quoted puts s with the escapes of a JSON string, without quotes.
static void quoted(const char *s) {
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') out[used++] = '\\';
    if (*s == '\n') { put("\\n"); continue; }
    out[used++] = *s;
  }
}

static u64 block(const char *s) {
  u64 n = 0;
  while (s[n]) n++;
  u64 at = host_alloc(n);
  for (u64 i = 0; i < n; i++) host_store(at + i, (unsigned char)s[i]);
  return at;
}

static void fetch(char *to, u32 room, u64 at) {
  u64 n = at ? host_length(at) : 0;
  if (n > room - 1) n = room - 1;
  for (u64 i = 0; i < n; i++) to[i] = (char)host_load(at + i);
  to[n] = 0;
}

static int answer(void) {
  out[used] = 0;
  u64 at = block(out);
  output_set(at, used);
  used = 0;
  return 0;
}

static void input(void) {
  u64 n = input_length();
  if (n > sizeof in - 1) n = sizeof in - 1;
  for (u64 i = 0; i < n; i++) in[i] = (char)input_load(i);
  in[n] = 0;
}

// has reports whether the input contains the text.
static int has(const char *what) {
  for (const char *p = in; *p; p++) {
    const char *a = p, *b = what;
    while (*b && *a == *b) a++, b++;
    if (!*b) return 1;
  }
  return 0;
}
