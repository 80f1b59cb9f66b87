/* QuickJS-NG has no limit of its stack on WASI. This file is quickjs.c with one. */
#include "quickjs.c"

/* golem_limit_stack lets what is called from here throw an exception when it has used size
   bytes of the C stack. */
void golem_limit_stack(JSRuntime *rt, size_t size) { rt->stack_limit = js_get_stack_pointer() - size; }
