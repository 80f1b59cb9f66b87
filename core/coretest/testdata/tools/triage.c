// The code of a hardened worker (SPEC §18): it sorts messages into labels. Words of a message
// choose what goes wrong.
#include "tool.h"
USER(golem_call) u64 golem_call(u64 name, u64 args);
static char s[1024];
static int has(const char *word) {
	for (const char *p = s; *p; p++) {
		const char *a = p, *b = word;
		while (*b && *a == *b) a++, b++;
		if (!*b) return 1;
	}
	return 0;
}
EXPORT(triage) int triage(void) {
	read_input();
	text("input", s, sizeof s);
	if (has("trap")) __builtin_trap();
	if (has("spin")) for (volatile int i = 0;; i++);
	if (has("call")) {
		const char *args = "{\"path\":\"/notes.txt\"}";
		u64 at = golem_call(block("read_file", 9), block(args, len(args)));
		for (u64 i = 0, n = ext_length(at); i < n; i++) { char c = (char)ext_load(at + i); put_n(&c, 1); }
		return give();
	}
	if (has("odd")) put("{\"label\":\"odd\"}");
	else if (has("invoice")) put("{\"label\":\"billing\"}");
	else if (has("crash")) put("{\"label\":\"bug\"}");
	else put("{\"unsure\":\"no word that it knows\"}");
	return give();
}
