// A tool that replaces a worker: it has the same name and the same schema (S3-24).
#include "tool.h"
EXPORT(slugify) int slugify(void) {
	char s[1024];
	int dash = 0;
	read_input();
	u32 n = text("title", s, sizeof s);
	for (u32 i = 0; i < n; i++) {
		char c = s[i];
		if (c >= 'A' && c <= 'Z') c += 32;
		if (c >= 'a' && c <= 'z' || c >= '0' && c <= '9') {
			if (dash && out_len) put("-");
			dash = 0;
			put_n(&c, 1);
		} else dash = 1;
	}
	return give();
}
