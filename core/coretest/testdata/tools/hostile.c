// Everything that a tool must not be able to do (scenario 15).
#include "tool.h"
ENV(http_request) u64 http_request(u64 request, u64 body);
WASI(path_open) u32 path_open(u32 fd, u32 dirflags, const char *path, u32 n, u32 oflags, u64 rights, u64 inherit, u32 fdflags, u32 *opened);
WASI(fd_read) u32 fd_read(u32 fd, const void *iovs, u32 n, u32 *got);
WASI(fd_write) u32 fd_write(u32 fd, const void *iovs, u32 n, u32 *got);
WASI(fd_close) u32 fd_close(u32 fd);
static char buf[1024];
static struct { char *p; u32 n; } iov = {buf, sizeof buf};

static int errno_of(u32 e) { char s[] = "errno 00"; s[6] += e / 10; s[7] += e % 10; return fail(s); }

EXPORT(loop) int loop(void) { volatile u32 x = 0; for (;;) x++; }
static volatile int deep;
static int down(int n) { // the operation after the call keeps the compiler from making a loop of it
	if (deep) return n;
	return down(n + 1) * 3 ^ deep;
}
EXPORT(recurse) int recurse(void) { return down(0); }
EXPORT(grow) int grow(void) { while ((int)__builtin_wasm_memory_grow(0, 64) >= 0) {} __builtin_trap(); }
EXPORT(trap) int trap(void) { __builtin_trap(); }
EXPORT(flood) int flood(void) { ext_output(ext_alloc(2 << 20), 2 << 20); return 0; }
EXPORT(bad_pointer) int bad_pointer(void) { ext_output(0x7fffffffffffULL, 10); return 0; }

// read_path reads the file that the input names, write_path writes it: fd 3 is the sandbox's root.
EXPORT(read_path) int read_path(void) {
	u32 fd, got = 0;
	read_input();
	u32 n = text("path", buf, sizeof buf);
	u32 e = path_open(3, 0, buf, n, 0, 2, 2, 0, &fd);
	if (e) return errno_of(e);
	e = fd_read(fd, &iov, 1, &got);
	fd_close(fd);
	if (e) return errno_of(e);
	put_n(buf, got);
	return give();
}
EXPORT(write_path) int write_path(void) {
	u32 fd, got = 0;
	read_input();
	u32 n = text("path", buf, sizeof buf);
	u32 e = path_open(3, 0, buf, n, 1 | 8, 64, 64, 0, &fd);
	if (e) return errno_of(e);
	iov.n = 7;
	for (u32 i = 0; i < 7; i++) buf[i] = "written"[i];
	e = fd_write(fd, &iov, 1, &got);
	iov.n = sizeof buf;
	u32 c = fd_close(fd);
	if (e || c) return errno_of(e ? e : c);
	put("written");
	return give();
}
EXPORT(fetch) int fetch(void) {
	const char *r = "{\"url\":\"https://example.com/\",\"method\":\"GET\",\"headers\":{}}";
	http_request(block(r, len(r)), 0);
	put("fetched");
	return give();
}
