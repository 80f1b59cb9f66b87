// A module for the tests of package wasmtool, with a tool for each thing that a
// module can reach. Built in the servlet form, or with -DHYPER in the hyper-mcp form.
// Build all of testdata/modules with: make -C core/wasmtool/testdata/modules
#include "extism.h"

static int calls;
static char big[16384];

static const char *tools =
  "{\"tools\":["
  "{\"name\":\"echo\",\"description\":\"Returns what it was given.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}},"
  "{\"name\":\"count\",\"inputSchema\":{\"type\":\"object\"}},"
  "{\"name\":\"config\",\"inputSchema\":{\"type\":\"object\"}},"
  "{\"name\":\"fetch\",\"inputSchema\":{\"type\":\"object\"}},"
  "{\"name\":\"back\",\"inputSchema\":{\"type\":\"object\"}},"
  "{\"name\":\"fail\",\"inputSchema\":{\"type\":\"object\"}},"
  "{\"name\":\"error\",\"inputSchema\":{\"type\":\"object\"}},"
  "{\"name\":\"say\",\"inputSchema\":{\"type\":\"object\"}},"
  "{\"name\":\"spin\",\"inputSchema\":{\"type\":\"object\"}}"
  "]}";

static void text(const char *s) {
  put("{\"content\":[{\"type\":\"text\",\"text\":\"");
  quoted(s);
  put("\"}]");
#ifdef HYPER
  put(",\"structuredContent\":{\"form\":\"hyper\"}");
#endif
  put("}");
}

static void config(const char *key) { fetch(big, sizeof big, config_get(block(key))); }

#ifdef HYPER
EXPORT("list_tools")
#else
EXPORT("describe")
#endif
int describe(void) { put(tools); return answer(); }

#ifdef HYPER
EXPORT("call_tool")
#else
EXPORT("call")
#endif
int call(void) {
  input();
  if (has("\"name\":\"echo\"")) {
    text(in);
  } else if (has("\"name\":\"count\"")) {
    char n[2] = {(char)('0' + ++calls), 0};
    text(n);
  } else if (has("\"name\":\"config\"")) {
    config("greeting");
    text(big);
  } else if (has("\"name\":\"fetch\"")) {
    config("request");
    u64 at = http_request(block(big), 0);
    fetch(big, sizeof big, at);
    text(http_status_code() == 200 ? big : "not found");
  } else if (has("\"name\":\"back\"")) {
    config("callee");
    fetch(big, sizeof big, golem_call(block(big), block("{\"n\":1}")));
    text(big);
  } else if (has("\"name\":\"fail\"")) {
    put("{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"it cannot\"}]}");
  } else if (has("\"name\":\"error\"")) {
    error_set(block("set by error_set"));
    return 1;
  } else if (has("\"name\":\"say\"")) {
    log_info(block("one\nline \x1b[31mred"));
    text("said");
  } else if (has("\"name\":\"spin\"")) {
    for (volatile u32 i = 0;; i++) {}
  } else {
    error_set(block("no such tool"));
    return 1;
  }
  return answer();
}

// upper is a single export with Extism input and output, which can be a tool.
EXPORT("upper")
int upper(void) {
  input();
  for (char *p = in; *p; p++) out[used++] = *p >= 'a' && *p <= 'z' ? *p - 32 : *p;
  return answer();
}
