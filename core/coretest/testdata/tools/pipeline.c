// Code that orchestrates (S3-15): it calls workers and tools, one after the other.
#include "tool.h"
USER(golem_call) u64 golem_call(u64 name, u64 args);
static void call(const char *name, const char *args) {
	u64 at = golem_call(block(name, len(name)), block(args, len(args)));
	u64 n = ext_length(at);
	put(name);
	put("=");
	for (u64 i = 0; i < n; i++) { char c = (char)ext_load(at + i); put_n(&c, 1); }
	put(";");
}
EXPORT(pipeline) int pipeline(void) {
	char topic[512], args[600];
	read_input();
	text("topic", topic, sizeof topic);
	u32 n = 0;
	for (const char *p = "{\"input\":\""; *p; p++) args[n++] = *p;
	for (const char *p = topic; *p; p++) args[n++] = *p;
	args[n++] = '"'; args[n++] = '}'; args[n] = 0;
	call("writer", args);
	call("read_file", "{\"path\":\"/notes.txt\"}");
	return give();
}
// forward calls the tool that its argument name names, with its own arguments. It may name
// itself.
EXPORT(forward) int forward(void) {
	char name[128];
	read_input();
	text("name", name, sizeof name);
	call(name, in);
	return give();
}
