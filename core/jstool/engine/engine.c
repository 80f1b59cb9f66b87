/* The JavaScript engine of golem's tools: QuickJS-NG as an Extism plug-in with the exports
   describe and call (SPEC §6). `make jsengine` builds it.

   golem links a tool by writing its archive into golem_slot: a JSON text with the files of
   the tool and the description of its functions. boot.js reads it; what JavaScript cannot
   do by itself is done here. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quickjs.h"

/* The C stack that JavaScript may use, in bytes. When functions that call themselves have used
   this much, the guard has counted at most five sixths of what it allows (core/wasmtool/guard): so
   a recursion ends with an exception, which has a stack trace. TestRecursions tries many ways. */
#define STACK_SIZE (48 << 10)
void golem_limit_stack(JSRuntime *rt, size_t size);

#define SLOT_SIZE (1 << 20)

/* The length of the archive, and the archive. It has no initial value, so that the module
   does not contain a megabyte of zeros. */
struct slot {
  unsigned length;
  char archive[SLOT_SIZE];
};
__attribute__((used)) volatile struct slot golem_slot;

extern const unsigned char boot_js[];
extern const unsigned boot_js_length;

typedef unsigned long long u64;
#define ENV(NAME) __attribute__((import_module("extism:host/env"), import_name(#NAME)))
#define USER(NAME) __attribute__((import_module("extism:host/user"), import_name(#NAME)))
ENV(input_length) u64 host_input_length(void);
ENV(input_load_u8) int host_input_load_u8(u64 at);
ENV(input_load_u64) u64 host_input_load_u64(u64 at);
ENV(alloc) u64 host_alloc(u64 size);
ENV(free) void host_free(u64 at);
ENV(length) u64 host_length(u64 at);
ENV(load_u8) int host_load_u8(u64 at);
ENV(load_u64) u64 host_load_u64(u64 at);
ENV(store_u8) void host_store_u8(u64 at, int value);
ENV(store_u64) void host_store_u64(u64 at, u64 value);
ENV(output_set) void host_output_set(u64 at, u64 size);
ENV(error_set) void host_error_set(u64 at);
ENV(config_get) u64 host_config_get(u64 key);
ENV(log_info) void host_log_info(u64 text);
ENV(log_warn) void host_log_warn(u64 text);
ENV(log_error) void host_log_error(u64 text);
ENV(http_request) u64 host_http_request(u64 request, u64 body);
ENV(http_status_code) int host_http_status_code(void);
ENV(http_headers) u64 host_http_headers(void);
USER(golem_call) u64 host_golem_call(u64 name, u64 arguments);

static u64 to_host(const char *s, size_t n) {
  u64 to = host_alloc(n);
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    u64 eight;
    memcpy(&eight, s + i, 8);
    host_store_u64(to + i, eight);
  }
  for (; i < n; i++) host_store_u8(to + i, (unsigned char)s[i]);
  return to;
}

/* from_host returns a copy of host memory, which ends with a zero. The caller frees it. */
static char *from_host(u64 at, size_t *length) {
  size_t n = at ? (size_t)host_length(at) : 0, i = 0;
  char *to = malloc(n + 1);
  if (!to) abort();
  for (; i + 8 <= n; i += 8) {
    u64 eight = host_load_u64(at + i);
    memcpy(to + i, &eight, 8);
  }
  for (; i < n; i++) to[i] = (char)host_load_u8(at + i);
  to[n] = 0;
  *length = n;
  return to;
}

static char *input(size_t *length) {
  size_t n = (size_t)host_input_length(), i = 0;
  char *to = malloc(n + 1);
  if (!to) abort();
  for (; i + 8 <= n; i += 8) {
    u64 eight = host_input_load_u64(i);
    memcpy(to + i, &eight, 8);
  }
  for (; i < n; i++) to[i] = (char)host_input_load_u8(i);
  to[n] = 0;
  *length = n;
  return to;
}

static void output(const char *s, size_t n) { host_output_set(to_host(s, n), n); }
static void fail(const char *s) { host_error_set(to_host(s, strlen(s))); }

/* value_to_host copies a string, or the bytes of a Uint8Array, to host memory. It returns 0
   with an exception if the value is neither. */
static u64 value_to_host(JSContext *ctx, JSValueConst v) {
  size_t n;
  if (JS_IsObject(v)) {
    const uint8_t *bytes = JS_GetUint8Array(ctx, &n, v);
    return bytes ? to_host((const char *)bytes, n) : 0;
  }
  const char *s = JS_ToCStringLen(ctx, &n, v);
  if (!s) return 0;
  u64 at = to_host(s, n);
  JS_FreeCString(ctx, s);
  return at;
}

static JSValue host_to_string(JSContext *ctx, u64 at) {
  size_t n;
  char *s = from_host(at, &n);
  JSValue v = JS_NewStringLen(ctx, s, n);
  free(s);
  return v;
}

static JSValue host_to_bytes(JSContext *ctx, u64 at) {
  size_t n;
  char *s = from_host(at, &n);
  JSValue v = JS_NewUint8ArrayCopy(ctx, (const uint8_t *)s, n);
  free(s);
  return v;
}

/* log(level, text) */
static JSValue js_log(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv) {
  int level = 0;
  if (JS_ToInt32(ctx, &level, argv[0])) return JS_EXCEPTION;
  u64 at = value_to_host(ctx, argv[1]);
  if (!at) return JS_EXCEPTION;
  if (level == 0) host_log_info(at);
  else if (level == 1) host_log_warn(at);
  else host_log_error(at);
  return JS_UNDEFINED;
}

/* config(key): the value, or undefined */
static JSValue js_config(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv) {
  u64 key = value_to_host(ctx, argv[0]);
  if (!key) return JS_EXCEPTION;
  u64 value = host_config_get(key);
  return value ? host_to_string(ctx, value) : JS_UNDEFINED;
}

/* call(name, json): the answer as JSON */
static JSValue js_call(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv) {
  u64 name = value_to_host(ctx, argv[0]), arguments = value_to_host(ctx, argv[1]);
  if (!name || !arguments) return JS_EXCEPTION;
  return host_to_string(ctx, host_golem_call(name, arguments));
}

/* http(json, body): [status, headers as JSON, body as bytes] */
static JSValue js_http(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv) {
  u64 request = value_to_host(ctx, argv[0]), body = 0;
  if (!request) return JS_EXCEPTION;
  if (!JS_IsUndefined(argv[1]) && !(body = value_to_host(ctx, argv[1]))) return JS_EXCEPTION;
  u64 answer = host_http_request(request, body);
  JSValue out = JS_NewArray(ctx);
  JS_SetPropertyUint32(ctx, out, 0, JS_NewInt32(ctx, host_http_status_code()));
  JS_SetPropertyUint32(ctx, out, 1, host_to_string(ctx, host_http_headers()));
  JS_SetPropertyUint32(ctx, out, 2, host_to_bytes(ctx, answer));
  return out;
}

/* random(): a number from 0 up to 1, of xorshift64* over a seed of the host's random bytes.
   QuickJS takes its seed when the context is made, which is when the engine is built. */
static JSValue js_random(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv) {
  static u64 state;
  if (!state && (getentropy(&state, sizeof state) || !state)) state = 1;
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return JS_NewFloat64(ctx, (state * 0x2545F4914F6CDD1DULL >> 11) * 0x1p-53);
}

static JSValue file_error(JSContext *ctx, const char *name) {
  return JS_ThrowPlainError(ctx, "%s: %s", name, strerror(errno));
}

/* read(path): the bytes of a file */
static JSValue js_read(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv) {
  const char *name = JS_ToCString(ctx, argv[0]);
  if (!name) return JS_EXCEPTION;
  JSValue out = JS_EXCEPTION;
  size_t room = 1 << 16, n = 0;
  char *data = NULL;
  FILE *f = fopen(name, "rb");
  if (!f) {
    file_error(ctx, name);
    goto done;
  }
  for (;;) {
    char *more = realloc(data, room);
    if (!more) {
      JS_ThrowOutOfMemory(ctx);
      goto done;
    }
    data = more;
    n += fread(data + n, 1, room - n, f);
    if (ferror(f)) {
      file_error(ctx, name);
      goto done;
    }
    if (n < room) break;
    room *= 2;
  }
  out = JS_NewUint8ArrayCopy(ctx, (const uint8_t *)data, n);
done:
  if (f) fclose(f);
  free(data);
  JS_FreeCString(ctx, name);
  return out;
}

/* write(path, text or bytes) */
static JSValue js_write(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv) {
  const char *name = JS_ToCString(ctx, argv[0]);
  if (!name) return JS_EXCEPTION;
  size_t n;
  const char *text = NULL, *data;
  JSValue out = JS_EXCEPTION;
  if (JS_IsObject(argv[1])) data = (const char *)JS_GetUint8Array(ctx, &n, argv[1]);
  else data = text = JS_ToCStringLen(ctx, &n, argv[1]);
  if (!data) goto done;
  FILE *f = fopen(name, "wb");
  if (!f) {
    file_error(ctx, name);
    goto done;
  }
  int failed = fwrite(data, 1, n, f) != n;
  failed |= fclose(f) != 0;
  if (failed) file_error(ctx, name);
  else out = JS_UNDEFINED;
done:
  if (text) JS_FreeCString(ctx, text);
  JS_FreeCString(ctx, name);
  return out;
}

/* list(path): the names in a directory, directories with a slash at the end */
static JSValue js_list(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv) {
  const char *name = JS_ToCString(ctx, argv[0]);
  if (!name) return JS_EXCEPTION;
  JSValue out = JS_EXCEPTION;
  DIR *d = opendir(name);
  if (!d) {
    file_error(ctx, name);
    goto done;
  }
  out = JS_NewArray(ctx);
  unsigned n = 0;
  for (struct dirent *e; (e = readdir(d));) {
    if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
    size_t length = strlen(e->d_name);
    char *entry = malloc(length + 2);
    if (!entry) abort();
    memcpy(entry, e->d_name, length);
    if (e->d_type == DT_DIR) entry[length++] = '/';
    JS_SetPropertyUint32(ctx, out, n++, JS_NewStringLen(ctx, entry, length));
    free(entry);
  }
  closedir(d);
done:
  JS_FreeCString(ctx, name);
  return out;
}

/* info(path): [kind, size], or undefined if there is nothing */
static JSValue js_info(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv) {
  const char *name = JS_ToCString(ctx, argv[0]);
  if (!name) return JS_EXCEPTION;
  struct stat st;
  JSValue out = JS_UNDEFINED;
  if (!stat(name, &st)) {
    out = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, out, 0, JS_NewString(ctx, S_ISDIR(st.st_mode) ? "directory" : "file"));
    JS_SetPropertyUint32(ctx, out, 1, JS_NewInt64(ctx, st.st_size));
  } else if (errno != ENOENT && errno != ENOTDIR) {
    out = file_error(ctx, name);
  }
  JS_FreeCString(ctx, name);
  return out;
}

/* make(path): a directory. remove(path): a file or an empty directory. */
static JSValue js_change(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv, int which) {
  const char *name = JS_ToCString(ctx, argv[0]);
  if (!name) return JS_EXCEPTION;
  int failed = which == 0 ? mkdir(name, 0777) : unlink(name) && (errno != EISDIR && errno != EPERM ? -1 : rmdir(name));
  JSValue out = failed ? file_error(ctx, name) : JS_UNDEFINED;
  JS_FreeCString(ctx, name);
  return out;
}

/* archive(): the text in the slot, up to the byte 0 that bytecode follows */
static JSValue js_archive(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv) {
  return JS_NewStringLen(ctx, (const char *)golem_slot.archive, strnlen((const char *)golem_slot.archive, golem_slot.length));
}

/* bytecode returns the compiled entry that may follow the archive; NULL if there is none. */
static const char *bytecode(size_t *length) {
  size_t text = strnlen((const char *)golem_slot.archive, golem_slot.length);
  if (text == golem_slot.length) return NULL;
  *length = golem_slot.length - text - 1;
  return (const char *)golem_slot.archive + text + 1;
}

/* module_source asks boot.js for the text of a module. */
static JSValue module_source(JSContext *ctx, const char *name) {
  JSValue global = JS_GetGlobalObject(ctx);
  JSValue find = JS_GetPropertyStr(ctx, global, "\x01source");
  JSValue argument = JS_NewString(ctx, name);
  JSValue source = JS_Call(ctx, find, JS_UNDEFINED, 1, (JSValueConst *)&argument);
  JS_FreeValue(ctx, argument);
  JS_FreeValue(ctx, find);
  JS_FreeValue(ctx, global);
  return source;
}

/* The loader gets each module's text from boot.js. */
static JSModuleDef *load(JSContext *ctx, const char *name, void *opaque) {
  size_t n;
  JSValue source = module_source(ctx, name);
  const char *compiled_entry = JS_IsNull(source) ? bytecode(&n) : NULL;
  if (compiled_entry) {
    JSValue read = JS_ReadObject(ctx, (const uint8_t *)compiled_entry, n, JS_READ_OBJ_BYTECODE);
    return JS_IsException(read) || JS_ResolveModule(ctx, read) ? NULL : JS_VALUE_GET_PTR(read);
  }
  const char *text = JS_IsException(source) ? NULL : JS_ToCStringLen(ctx, &n, source);
  JS_FreeValue(ctx, source);
  if (!text) return NULL;
  JSValue compiled = JS_Eval(ctx, text, n, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
  JS_FreeCString(ctx, text);
  if (JS_IsException(compiled)) return NULL;
  JSModuleDef *m = JS_VALUE_GET_PTR(compiled);
  JS_FreeValue(ctx, compiled);
  return m;
}

static const JSCFunctionListEntry functions[] = {
  JS_CFUNC_DEF("log", 2, js_log),
  JS_CFUNC_DEF("random", 0, js_random),
  JS_CFUNC_DEF("config", 1, js_config),
  JS_CFUNC_DEF("call", 2, js_call),
  JS_CFUNC_DEF("http", 2, js_http),
  JS_CFUNC_DEF("read", 1, js_read),
  JS_CFUNC_DEF("write", 2, js_write),
  JS_CFUNC_DEF("list", 1, js_list),
  JS_CFUNC_DEF("info", 1, js_info),
  JS_CFUNC_MAGIC_DEF("makeDirectory", 1, js_change, 0),
  JS_CFUNC_MAGIC_DEF("remove", 1, js_change, 1),
  JS_CFUNC_DEF("archive", 0, js_archive),
};

/* without_boot takes the lines of boot.js off a stack trace: they say nothing about the tool. */
static void without_boot(char *text) {
  char *to = text;
  for (char *line = text; *line;) {
    char *end = strchr(line, '\n');
    size_t n = end ? (size_t)(end + 1 - line) : strlen(line);
    char *place = strstr(line, "(boot.js:");
    if (!place || place > line + n) {
      memmove(to, line, n);
      to += n;
    }
    line += n;
  }
  *to = 0;
}

/* failure sets the error of the call from the exception of a context. */
static int failure(JSContext *ctx) {
  JSValue thrown = JS_GetException(ctx);
  const char *text = JS_ToCString(ctx, thrown);
  const char *stack = NULL;
  JSValue trace = JS_UNDEFINED;
  if (JS_IsError(ctx, thrown)) {
    trace = JS_GetPropertyStr(ctx, thrown, "stack");
    if (JS_IsString(trace)) stack = JS_ToCString(ctx, trace);
  }
  char message[4096];
  snprintf(message, sizeof message, "%s%s%s", text ? text : "an exception without a text", stack && *stack ? "\n" : "", stack ? stack : "");
  without_boot(message);
  for (size_t n = strlen(message); n && message[n - 1] == '\n';) message[--n] = 0;
  fail(message);
  return 1;
}

static JSRuntime *rt;
static JSContext *ctx;
static JSValue start; /* the function that boot.js leaves */

/* prepare makes the context and runs boot.js in it. make jsengine calls it and keeps the memory
   as the engine's own, so that an instance does not begin with this work. */
__attribute__((export_name("golem_prepare"))) int prepare(void) {
  rt = JS_NewRuntime();
  ctx = rt ? JS_NewContext(rt) : NULL;
  if (!ctx) {
    fail("JavaScript has no memory to start in");
    return 1;
  }
  JS_SetModuleLoaderFunc(rt, NULL, load, NULL);
  JSValue boot = JS_Eval(ctx, (const char *)boot_js, boot_js_length, "boot.js", JS_EVAL_TYPE_GLOBAL);
  if (JS_IsException(boot)) return failure(ctx);
  JSValue host = JS_NewObject(ctx);
  JS_SetPropertyFunctionList(ctx, host, functions, sizeof functions / sizeof *functions);
  start = JS_Call(ctx, boot, JS_UNDEFINED, 1, (JSValueConst *)&host);
  if (JS_IsException(start)) return failure(ctx);
  JS_FreeValue(ctx, host);
  JS_FreeValue(ctx, boot);
  JS_RunGC(rt);
  return 0;
}

/* run calls the function of boot.js for an export with the input of the call, runs what the
   function started, and sets its result. */
static int run(const char *export) {
  size_t n;
  if (!bytecode(&n)) golem_limit_stack(rt, STACK_SIZE); /* the linker may use all that the guard allows */
  JS_AddPerformance(ctx);                               /* its time begins now */
  char *text = input(&n);
  JSValue arguments[2] = {JS_NewString(ctx, export), JS_NewStringLen(ctx, text, n)};
  free(text);
  JSValue promise = JS_Call(ctx, start, JS_UNDEFINED, 2, (JSValueConst *)arguments);
  if (JS_IsException(promise)) return failure(ctx);
  for (JSContext *of; JS_ExecutePendingJob(rt, &of) > 0;) {
  }
  switch (JS_PromiseState(ctx, promise)) {
  case JS_PROMISE_FULFILLED:
    break;
  case JS_PROMISE_REJECTED:
    JS_Throw(ctx, JS_PromiseResult(ctx, promise));
    return failure(ctx);
  default:
    fail("the function waits for a promise that nothing settles: there are no timers and no events in a tool");
    return 1;
  }
  const char *result = JS_ToCStringLen(ctx, &n, JS_PromiseResult(ctx, promise));
  if (!result) return failure(ctx);
  output(result, n);
  return 0; /* the instance ends with the call, so nothing is freed */
}

/* compile sets the bytecode of a module as its output. It is for make jsengine: a tool is
   linked as text. */
__attribute__((export_name("compile"))) int golem_compile_export(void) {
  size_t n;
  char *text = input(&n);
  JSValue compiled = JS_Eval(ctx, text, n, "link.js", JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
  if (JS_IsException(compiled)) return failure(ctx);
  uint8_t *bytes = JS_WriteObject(ctx, &n, compiled, JS_WRITE_OBJ_BYTECODE | JS_WRITE_OBJ_STRIP_SOURCE);
  if (!bytes) return failure(ctx);
  output((const char *)bytes, n);
  return 0;
}

__attribute__((export_name("call"))) int golem_call_export(void) { return run("call"); }
__attribute__((export_name("describe"))) int golem_describe_export(void) { return run("describe"); }
