/* Callbacks: a tool can call the tools and workers that the worker which called it may
   call. Include this file after golemtool.h, which golem tool new --lang c writes. */
__attribute__((import_module("extism:host/user"), import_name("golem_call"))) u64 host_golem_call(u64 name, u64 args);

/* Returns the result as text or JSON, or {"error":{"code","message"}}. */
static text golem_call(const char *name, text args) {
  u64 value = host_golem_call(to_host(name, length_of(name)), to_host(args.at, args.len));
  long n = value ? (long)host_length(value) : 0;
  char *to = take(n + 1);
  for (long i = 0; i < n; i++) to[i] = (char)host_load_u8(value + (u64)i);
  to[n] = 0;
  return (text){to, n};
}

/* Returns the text that was put until now, and empties the buffer of the result. So the
   put functions can build other texts before the result. */
static text taken(void) {
  text t = {result, result_len};
  result = 0, result_len = result_room = 0;
  return t;
}

static int failed(text t) { return t.len > 9 && t.at[0] == '{' && t.at[1] == '"' && t.at[2] == 'e' && t.at[3] == 'r' && t.at[4] == 'r' && t.at[5] == 'o' && t.at[6] == 'r'; }

/* Returns the value of a field of a JSON object, read as golemtool.h reads arguments. */
static text field_of(text json, const char *field) {
  text kept = in;
  in = json;
  long i = find(skip_space(0), field);
  text value = at(i) == '"' ? decode(i) : i >= 0 ? (text){in.at + i, skip_value(i) - i} : (text){"", 0};
  in = kept;
  return value;
}
