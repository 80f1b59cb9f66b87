/* lines: a WASI program that was not written for golem.
   lines [-nCOUNT] [--] [FILE]   prints the first COUNT lines (10) of FILE, or of standard input. */
typedef unsigned int u32;
typedef unsigned long long u64;
typedef struct { const char *at; u32 n; } span;
#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))
WASI(args_sizes_get) u32 args_sizes_get(u32 *count, u32 *bytes);
WASI(args_get) u32 args_get(char **argv, char *buf);
WASI(path_open) u32 path_open(u32 dir, u32 look, const char *path, u32 n, u32 how, u64 rights, u64 more, u32 flags, u32 *fd);
WASI(fd_read) u32 fd_read(u32 fd, const span *to, u32 n, u32 *got);
WASI(fd_write) u32 fd_write(u32 fd, const span *from, u32 n, u32 *done);
WASI(proc_exit) _Noreturn void proc_exit(u32 code);

static char *argv[64], args[1 << 16], buf[1 << 15];

static u32 len(const char *s) { u32 n = 0; while (s[n]) n++; return n; }
static int same(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return *a == *b; }

static void print(u32 fd, const char *s, u32 n) {
  while (n) {
    span part = {s, n};
    u32 done = 0;
    if (fd_write(fd, &part, 1, &done) || !done) proc_exit(1);
    s += done, n -= done;
  }
}

static _Noreturn void fail(const char *why, const char *what) {
  print(2, "lines: ", 7);
  print(2, why, len(why));
  print(2, what, len(what));
  print(2, "\n", 1);
  proc_exit(2);
}

static long number(const char *s) {
  long n = 0;
  if (!*s) fail("not a number: ", s);
  for (const char *c = s; *c; c++) {
    if (*c < '0' || *c > '9' || n > 1000000) fail("not a number: ", s);
    n = n * 10 + (*c - '0');
  }
  return n;
}

__attribute__((export_name("_start"))) void start(void) {
  u32 count = 0, bytes = 0, fd = 0, got = 0;
  long want = 10;
  const char *file = 0;
  if (args_sizes_get(&count, &bytes) || count > 64 || bytes > sizeof args || args_get(argv, args)) fail("too many arguments", "");
  int options = 1;
  for (u32 i = 1; i < count; i++) {
    if (options && same(argv[i], "--")) options = 0;
    else if (options && argv[i][0] == '-' && argv[i][1] == 'n') want = number(argv[i] + 2);
    else if (options && argv[i][0] == '-') fail("unknown option: ", argv[i]);
    else if (file) fail("more than one file: ", argv[i]);
    else file = argv[i];
  }
  if (file && file[0] == '/') file++; /* the only directory is the root */
  if (file && path_open(3, 1, file, len(file), 0, 2, 0, 0, &fd)) fail("cannot open ", file);
  while (want > 0) {
    span part = {buf, sizeof buf};
    if (fd_read(fd, &part, 1, &got)) fail("cannot read", "");
    if (!got) break;
    u32 n = 0;
    while (n < got && want > 0) if (buf[n++] == '\n') want--;
    print(1, buf, n);
  }
  proc_exit(0);
}
