// A WASI preview 1 command, without a C library.
typedef unsigned int u32;
#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(name))) extern
WASI("args_sizes_get") u32 args_sizes_get(u32 *n, u32 *size);
WASI("args_get") u32 args_get(char **argv, char *buf);
WASI("fd_read") u32 fd_read(u32 fd, void *iov, u32 n, u32 *got);
WASI("fd_write") u32 fd_write(u32 fd, const void *iov, u32 n, u32 *put);
WASI("path_open") u32 path_open(u32 dir, u32 flags, const char *path, u32 n, u32 oflags, unsigned long long rights, unsigned long long inherit, u32 fdflags, u32 *fd);
WASI("proc_exit") __attribute__((noreturn)) void proc_exit(u32 code);

struct iov { const void *at; u32 n; };
static char buf[4096], args[4096], *argv[16];

static u32 size(const char *s) { u32 n = 0; while (s[n]) n++; return n; }
static int same(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }
static void put(u32 fd, const char *s, u32 n) { struct iov v = {s, n}; u32 done; fd_write(fd, &v, 1, &done); }
static void say(u32 fd, const char *s) { put(fd, s, size(s)); }
static u32 take(u32 fd) { struct iov v = {buf, sizeof buf - 1}; u32 n = 0; fd_read(fd, &v, 1, &n); return n; }

__attribute__((export_name("_start"))) void _start(void) {
  u32 n, bytes;
  args_sizes_get(&n, &bytes);
  args_get(argv, args);
  if (n == 2 && same(argv[1], "describe")) {
    say(1, "{\"tools\":[{\"name\":\"echo\"},{\"name\":\"exit\"},{\"name\":\"file\"}]}\n");
  } else if (n == 3 && same(argv[1], "call") && same(argv[2], "echo")) {
    say(1, argv[0]);
    say(1, " ");
    put(1, buf, take(0));
    say(1, "\n");
  } else if (n == 3 && same(argv[2], "exit")) {
    say(2, "it broke \x1b[31m here\n");
    proc_exit(3);
  } else if (n == 3 && same(argv[2], "file")) {
    u32 fd, err = path_open(3, 0, "note.txt", 8, 0, 2, 0, 0, &fd);
    if (err) { say(2, "no note.txt"); proc_exit(4); }
    put(1, buf, take(fd));
  }
}
