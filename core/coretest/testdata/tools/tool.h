// Functions for all fixtures: Extism input and output, and a little JSON.
typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned char u8;

#define ENV(name) __attribute__((import_module("extism:host/env"), import_name(#name)))
#define USER(name) __attribute__((import_module("extism:host/user"), import_name(#name)))
#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))
#define EXPORT(name) __attribute__((export_name(#name)))

ENV(alloc) u64 ext_alloc(u64 n);
ENV(length) u64 ext_length(u64 at);
ENV(load_u8) u32 ext_load(u64 at);
ENV(store_u8) void ext_store(u64 at, u32 v);
ENV(input_length) u64 ext_input_length(void);
ENV(input_load_u8) u32 ext_input(u64 at);
ENV(output_set) void ext_output(u64 at, u64 n);
ENV(error_set) void ext_error(u64 at);

static char in[4096], out[8192];
static u32 in_len, out_len;

static u32 len(const char *s) { u32 n = 0; while (s[n]) n++; return n; }

static void read_input(void) {
	u64 n = ext_input_length();
	in_len = n < sizeof in - 1 ? (u32)n : sizeof in - 1;
	for (u32 i = 0; i < in_len; i++) in[i] = (char)ext_input(i);
	in[in_len] = 0;
	out_len = 0;
}

static void put(const char *s) { while (*s && out_len < sizeof out - 1) out[out_len++] = *s++; out[out_len] = 0; }
static void put_n(const char *s, u32 n) { while (n-- && out_len < sizeof out - 1) out[out_len++] = *s++; out[out_len] = 0; }

static void put_int(long n) {
	char d[24];
	int i = 23;
	unsigned long v = n < 0 ? -(unsigned long)n : (unsigned long)n;
	d[i] = 0;
	do d[--i] = '0' + v % 10; while (v /= 10);
	if (n < 0) d[--i] = '-';
	put(d + i);
}

static u64 block(const char *s, u32 n) {
	u64 at = ext_alloc(n);
	for (u32 i = 0; i < n; i++) ext_store(at + i, (u8)s[i]);
	return at;
}

// give returns the text that was put as the result of the call.
static int give(void) { ext_output(block(out, out_len), out_len); return 0; }
static int fail(const char *why) { ext_error(block(why, len(why))); return 1; }

// field returns the value of a key in the input object, or 0 if there is none.
static const char *field(const char *key) {
	u32 k = len(key);
	for (u32 i = 0; i + k + 3 < in_len; i++) {
		u32 j = 0;
		if (in[i] != '"') continue;
		while (j < k && in[i + 1 + j] == key[j]) j++;
		if (j < k || in[i + 1 + k] != '"' || in[i + 2 + k] != ':') continue;
		return in + i + k + 3;
	}
	return 0;
}

static long number(const char *key) {
	const char *p = field(key);
	long n = 0, sign = 1;
	if (!p) return 0;
	if (*p == '-') { sign = -1; p++; }
	while (*p >= '0' && *p <= '9') n = n * 10 + (*p++ - '0');
	return sign * n;
}

// text copies a string value without decoding its escapes.
static u32 text(const char *key, char *to, u32 room) {
	const char *p = field(key);
	u32 n = 0;
	if (!p || *p++ != '"') return 0;
	while (*p && *p != '"' && n < room - 1) {
		if (*p == '\\' && p[1]) to[n++] = *p++;
		to[n++] = *p++;
	}
	to[n] = 0;
	return n;
}
