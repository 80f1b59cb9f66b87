/* QuickJS-NG has no limit of its stack on WASI. This file is quickjs.c with one. */
#include <stdint.h>

#include "quickjs.h"

/* What a level of JSON counts beside its own C stack, in bytes: so many levels that the guard has
   counted as much as for functions that call themselves use up the stack (engine.c). */
#define JSON_LEVEL 24

/* What is left of the C stack at least, for what a level calls. */
#define JSON_LEAST 1536

static int golem_enter_json(JSContext *ctx, JSRuntime *rt);
static void golem_leave_json(JSRuntime **rt);

/* GOLEM_JSON_LEVEL begins a level of JSON, which ends with its block. Does what OTHERWISE says,
   with an exception, where the levels are too many. */
#define GOLEM_JSON_LEVEL(CTX, OTHERWISE) \
  __attribute__((cleanup(golem_leave_json))) JSRuntime *golem_level = JS_GetRuntime(CTX); \
  if (golem_enter_json(CTX, golem_level)) OTHERWISE

#include "quickjs.c"

static int golem_enter_json(JSContext *ctx, JSRuntime *rt) {
  rt->stack_limit += JSON_LEVEL;
  if (!js_check_stack_overflow(rt, JSON_LEAST)) return 0;
  JS_ThrowRangeError(ctx, "the data is nested too deep for JSON");
  return -1;
}

static void golem_leave_json(JSRuntime **rt) { (*rt)->stack_limit -= JSON_LEVEL; }

/* golem_limit_stack lets what is called from here throw an exception when it has used size
   bytes of the C stack. */
void golem_limit_stack(JSRuntime *rt, size_t size) { rt->stack_limit = js_get_stack_pointer() - size; }
