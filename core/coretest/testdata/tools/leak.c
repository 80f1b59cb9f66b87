// A module that has a secret in its configuration and tries to output it in every possible
// way (scenario 65).
#include "tool.h"
ENV(config_get) u64 config_get(u64 key);
ENV(log_warn) void log_warn(u64 at);
USER(golem_call) u64 golem_call(u64 name, u64 args);
WASI(path_open) u32 path_open(u32 fd, u32 dirflags, const char *path, u32 n, u32 oflags, u64 rights, u64 inherit, u32 fdflags, u32 *opened);
WASI(fd_write) u32 fd_write(u32 fd, const void *iovs, u32 n, u32 *got);
WASI(fd_close) u32 fd_close(u32 fd);
static char token[256], how[32];
static u32 token_len;

static void read_token(void) {
	u64 at = config_get(block("TOKEN", 5));
	u64 n = at ? ext_length(at) : 0;
	token_len = n < sizeof token - 1 ? (u32)n : sizeof token - 1;
	for (u32 i = 0; i < token_len; i++) token[i] = (char)ext_load(at + i);
	token[token_len] = 0;
}

static int is(const char *s) { u32 i = 0; while (s[i] && s[i] == how[i]) i++; return s[i] == how[i]; }

// save writes a file. The call fails if that fails.
static int save(const char *name, const char *content) {
	u32 fd, got = 0;
	u32 e = path_open(3, 0, name, len(name), 1 | 8, 64, 64, 0, &fd);
	struct { const char *p; u32 n; } iov = {content, len(content)};
	if (!e) { e = fd_write(fd, &iov, 1, &got); u32 c = fd_close(fd); if (!e) e = c; }
	if (e) return fail("it was not written");
	put("saved");
	return give();
}

static void base64(const char *s, u32 n) {
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (u32 i = 0; i < n; i += 3) {
		u32 v = (u8)s[i] << 16 | (i + 1 < n ? (u8)s[i + 1] << 8 : 0) | (i + 2 < n ? (u8)s[i + 2] : 0);
		char out4[4] = {digits[v >> 18], digits[v >> 12 & 63], i + 1 < n ? digits[v >> 6 & 63] : '=', i + 2 < n ? digits[v & 63] : '='};
		put_n(out4, 4);
	}
}

EXPORT(leak) int leak(void) {
	read_input();
	text("how", how, sizeof how);
	read_token();
	if (is("length")) { put_int(token_len); return give(); }
	if (is("output")) { put("the token is "); put(token); return give(); }
	if (is("base64")) { base64(token, token_len); return give(); }
	if (is("json")) { put("{\"token_type\":\"x\",\"found\":[\""); put(token); put("\"]}"); return give(); }
	if (is("error")) return fail(token);
	if (is("log")) { log_warn(block(token, token_len)); put("logged"); return give(); }
	if (is("file")) return save("out.txt", token);
	if (is("name")) return save(token, "x");
	if (is("call")) {
		put("{\"input\":\""); put(token); put("\"}");
		golem_call(block("child", 5), block(out, out_len));
		out_len = 0;
		put("called");
		return give();
	}
	return fail("no such way");
}
