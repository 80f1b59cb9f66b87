package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// nesting are changes of quickjs.c: reading and writing JSON calls itself for each level of the
// data, and needs less of the C stack for it than the guard counts. So each level counts for more
// (JSON_LEVEL in stack.c), and ends with an exception that has a stack trace.
var nesting = [][2]string{
	{
		"static JSValue json_parse_value(JSParseState *s)\n{\n    JSContext *ctx = s->ctx;\n    JSValue val = JS_NULL;\n    int ret;\n",
		"static JSValue json_parse_value(JSParseState *s)\n{\n    JSContext *ctx = s->ctx;\n    JSValue val = JS_NULL;\n    int ret;\n    GOLEM_JSON_LEVEL(ctx, return JS_EXCEPTION);\n",
	},
	{
		"    prop = JS_UNDEFINED;\n\n    if (js_check_stack_overflow(ctx->rt, 0)) {\n        JS_ThrowStackOverflow(ctx);\n        goto exception;\n    }\n\n    if (JS_IsObject(val)) {\n        p = JS_VALUE_GET_OBJ(val);",
		"    prop = JS_UNDEFINED;\n\n    GOLEM_JSON_LEVEL(ctx, goto exception);\n\n    if (JS_IsObject(val)) {\n        p = JS_VALUE_GET_OBJ(val);",
	},
}

// changed writes quickjs.c with the changes of nesting into a directory.
func changed(sources, dir string) error {
	const name = "quickjs.c"
	data, err := os.ReadFile(filepath.Join(sources, name))
	if err != nil {
		return err
	}
	text := string(data)
	for _, c := range nesting {
		if n := strings.Count(text, c[0]); n != 1 {
			return fmt.Errorf("%s has %d places for the change %q", name, n, c[1])
		}
		text = strings.Replace(text, c[0], c[1], 1)
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
}
