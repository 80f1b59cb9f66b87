/* Makes the calls of WASI preview 1 that standard input names, one a line, and prints each line
   again with its result, as it says after " = ". So a transcript of calls and results is at once
   the input of this program and the output that it must have. */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name))) extern u32 name
#define EXPORT(name) __attribute__((export_name(#name)))

typedef struct { void *at; u32 n; } vec;
typedef struct { u8 type; u8 pad0; u16 flags; u32 pad1; u64 base, inheriting; } fdstat;
typedef struct { u64 dev, ino; u8 type; u8 pad[7]; u64 nlink, size, atim, mtim, ctim; } filestat;
typedef struct { u64 next, ino; u32 n; u32 type; } dirent;
typedef struct { u64 user; u8 tag; u8 pad[7]; union { struct { u32 id, pad; u64 timeout, precision; u16 flags; } clock; u32 fd; }; } subscription;
typedef struct { u64 user; u16 error; u8 type; u8 pad[5]; u64 n; u16 flags; u8 more[6]; } event;

WASI(args_get)(u32 *at, u8 *buf);
WASI(args_sizes_get)(u32 *n, u32 *size);
WASI(environ_get)(u32 *at, u8 *buf);
WASI(environ_sizes_get)(u32 *n, u32 *size);
WASI(clock_res_get)(u32 id, u64 *out);
WASI(clock_time_get)(u32 id, u64 precision, u64 *out);
WASI(random_get)(u8 *buf, u32 n);
WASI(sched_yield)(void);
WASI(proc_raise)(u32 signal);
WASI(poll_oneoff)(subscription *in, event *out, u32 n, u32 *events);
WASI(fd_advise)(u32 fd, u64 offset, u64 n, u32 advice);
WASI(fd_allocate)(u32 fd, u64 offset, u64 n);
WASI(fd_close)(u32 fd);
WASI(fd_datasync)(u32 fd);
WASI(fd_sync)(u32 fd);
WASI(fd_fdstat_get)(u32 fd, fdstat *out);
WASI(fd_fdstat_set_flags)(u32 fd, u32 flags);
WASI(fd_fdstat_set_rights)(u32 fd, u64 base, u64 inheriting);
WASI(fd_filestat_get)(u32 fd, filestat *out);
WASI(fd_filestat_set_size)(u32 fd, u64 size);
WASI(fd_filestat_set_times)(u32 fd, u64 atim, u64 mtim, u32 flags);
WASI(fd_pread)(u32 fd, vec *to, u32 n, u64 offset, u32 *size);
WASI(fd_pwrite)(u32 fd, vec *from, u32 n, u64 offset, u32 *size);
WASI(fd_read)(u32 fd, vec *to, u32 n, u32 *size);
WASI(fd_write)(u32 fd, vec *from, u32 n, u32 *size);
WASI(fd_prestat_get)(u32 fd, u32 *out);
WASI(fd_prestat_dir_name)(u32 fd, u8 *to, u32 n);
WASI(fd_readdir)(u32 fd, u8 *to, u32 n, u64 cookie, u32 *size);
WASI(fd_renumber)(u32 fd, u32 to);
WASI(fd_seek)(u32 fd, s64 offset, u32 whence, u64 *out);
WASI(fd_tell)(u32 fd, u64 *out);
WASI(path_create_directory)(u32 fd, u8 *name, u32 n);
WASI(path_filestat_get)(u32 fd, u32 flags, u8 *name, u32 n, filestat *out);
WASI(path_filestat_set_times)(u32 fd, u32 flags, u8 *name, u32 n, u64 atim, u64 mtim, u32 which);
WASI(path_link)(u32 fd, u32 flags, u8 *name, u32 n, u32 to, u8 *name2, u32 n2);
WASI(path_open)(u32 fd, u32 flags, u8 *name, u32 n, u32 oflags, u64 base, u64 inheriting, u32 fdflags, u32 *out);
WASI(path_readlink)(u32 fd, u8 *name, u32 n, u8 *to, u32 size, u32 *used);
WASI(path_remove_directory)(u32 fd, u8 *name, u32 n);
WASI(path_rename)(u32 fd, u8 *name, u32 n, u32 to, u8 *name2, u32 n2);
WASI(path_symlink)(u8 *text, u32 n, u32 fd, u8 *name, u32 n2);
WASI(path_unlink_file)(u32 fd, u8 *name, u32 n);
WASI(sock_accept)(u32 fd, u32 flags, u32 *out);
WASI(sock_recv)(u32 fd, vec *to, u32 n, u32 flags, u32 *size, u16 *out);
WASI(sock_send)(u32 fd, vec *from, u32 n, u32 flags, u32 *size);
WASI(sock_shutdown)(u32 fd, u32 how);

/* What is printed. */

static u8 out[1 << 16];
static u32 outSize;

void *memcpy(void *to, const void *from, unsigned long n) { for (unsigned long i = 0; i < n; i++) ((u8 *)to)[i] = ((const u8 *)from)[i]; return to; }
void *memset(void *to, int c, unsigned long n) { for (unsigned long i = 0; i < n; i++) ((u8 *)to)[i] = (u8)c; return to; }

static void put(u8 c) { if (outSize < sizeof out) out[outSize++] = c; }
static void say(const char *s) { while (*s) put((u8)*s++); }

static void number(u64 v) {
	u8 digits[20];
	u32 n = 0;
	do digits[n++] = (u8)('0' + v % 10); while (v /= 10);
	put(' ');
	while (n) put(digits[--n]);
}

static void text(const u8 *s, u32 n) { /* quoted, with bytes outside ASCII as %xx */
	say(" '");
	for (u32 i = 0; i < n; i++) {
		if (s[i] > 32 && s[i] < 127 && s[i] != '%') { put(s[i]); continue; }
		put('%');
		put((u8)"0123456789abcdef"[s[i] >> 4]);
		put((u8)"0123456789abcdef"[s[i] & 15]);
	}
	put('\'');
}

static const char errors[] = "ok 2big access addrinuse addrnotavail afnosupport again already badf badmsg busy canceled child connaborted connrefused connreset deadlk destaddrreq dom dquot exist fault fbig hostunreach idrm ilseq inprogress intr inval io isconn isdir loop mfile mlink msgsize multihop nametoolong netdown netreset netunreach nfile nobufs nodev noent noexec nolck nolink nomem nomsg noprotoopt nospc nosys notconn notdir notempty notrecoverable notsock notsup notty nxio overflow ownerdead perm pipe proto protonosupport prototype range rofs spipe srch stale timedout txtbsy xdev notcapable ";

static u32 error(u32 code) { /* prints the error's name; it returns whether there is none */
	const char *s = errors;
	for (u32 i = 0; i < code && *s; i++) while (*s++ != ' ') {}
	put(' ');
	while (*s && *s != ' ') put((u8)*s++);
	return !code;
}

/* The line that is read. */

static u8 in[1 << 16], *at, *end;
static u8 words[1 << 16];
static u32 wordsSize;

static u32 more(void) {
	while (at < end && *at == ' ') at++;
	return at < end;
}

static u32 hex(u8 c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

static vec word(void) { /* '' is the empty word, %xx a byte, %xx*N a byte N times */
	vec w = {words + wordsSize, 0};
	more();
	if (at + 1 < end && at[0] == '\'' && at[1] == '\'') { at += 2; return w; }
	for (; at < end && *at != ' '; w.n++) {
		u8 c = *at++;
		if (c == '%') {
			c = (u8)(hex(at[0]) << 4 | hex(at[1]));
			at += 2;
			if (at < end && *at == '*') {
				u32 times = 0;
				for (at++; at < end && *at >= '0' && *at <= '9'; at++) times = times * 10 + (*at - '0');
				for (; times > 1; times--, w.n++) words[wordsSize++] = c;
			}
		}
		words[wordsSize++] = c;
	}
	return w;
}

static s64 value(void) {
	vec w = word();
	u8 *s = w.at, *e = s + w.n;
	u32 minus = s < e && *s == '-' ? (s++, 1) : 0;
	u64 v = 0;
	for (; s < e; s++) v = v * 10 + (*s - '0');
	return (s64)(minus ? 0 - v : v);
}

static u32 small(void) { return (u32)value(); }

static u64 flags(const char *letters) { /* a word of letters, - for none; each is a bit */
	vec w = word();
	u64 bits = 0;
	for (u32 i = 0; i < w.n; i++) for (u32 b = 0; letters[b]; b++) if (((u8 *)w.at)[i] == (u8)letters[b]) bits |= 1ull << b;
	return bits;
}

static vec list[64];

static u32 vectors(u32 filled) { /* the remaining words as texts to write, or as sizes to read into */
	u32 n = 0;
	static u8 room[1 << 16];
	u32 used = 0;
	for (; more() && n < 64; n++) {
		if (filled) { list[n] = word(); continue; }
		u32 size = small();
		list[n] = (vec){room + used, size};
		memset(room + used, '?', size);
		used += size;
	}
	return n;
}

static void got(u32 n) { /* prints the n bytes that were read into list */
	for (u32 i = 0; n; i++) {
		u32 part = n < list[i].n ? n : list[i].n;
		text(list[i].at, part);
		n -= part;
	}
}

/* The calls. */

static void stat(u32 code, filestat *s) {
	if (!error(code)) return;
	say(s->type == 3 ? " dir" : s->type == 4 ? " file" : s->type == 7 ? " link" : " other");
	if (s->type == 4) { say(" size"); number(s->size); }
}

static void times(u32 code, filestat *s) {
	if (!error(code)) return;
	number(s->atim);
	number(s->mtim);
}

/* Lists a directory through a buffer of the given size: the names in order, each with its kind; "!"
   where the number of the file differs from what path_filestat_get says. */
static void listing(u32 fd, u32 size) {
	static u8 buf[1 << 14], names[1 << 14];
	static struct { u8 *name; u32 n; u8 type; u8 odd; } all[512];
	u32 used, count = 0, room = 0;
	for (u64 cookie = 0;;) {
		u32 code = fd_readdir(fd, buf, size, cookie, &used);
		if (code) { error(code); return; }
		u32 i = 0;
		while (i + sizeof(dirent) <= used) {
			dirent d;
			memcpy(&d, buf + i, sizeof d);
			if (i + sizeof d + d.n > used) break;
			u8 *name = names + room;
			memcpy(name, buf + i + sizeof d, d.n);
			room += d.n;
			filestat s = {0};
			u32 dots = d.n < 3 && name[0] == '.' && name[d.n - 1] == '.';
			u32 to = count++;
			for (; to; to--) { /* insertion keeps the names in order */
				u32 k = 0, m = all[to - 1].n;
				while (k < m && k < d.n && all[to - 1].name[k] == name[k]) k++;
				if (k == m || (k < d.n && all[to - 1].name[k] < name[k])) break;
				all[to] = all[to - 1];
			}
			all[to].name = name, all[to].n = d.n, all[to].type = (u8)d.type;
			all[to].odd = !dots && (path_filestat_get(fd, 0, name, d.n, &s) || s.ino != d.ino || s.type != (u8)d.type);
			cookie = d.next;
			i += sizeof d + d.n;
		}
		if (used < size) break;
		if (!i) { say(" stuck"); return; }
	}
	error(0);
	for (u32 i = 0; i < count; i++) {
		text(all[i].name, all[i].n);
		put(all[i].type == 3 ? '/' : all[i].type == 4 ? ' ' : '?');
		if (all[i].type == 4) outSize--;
		if (all[i].odd) put('!');
	}
}

static void poll(void) { /* clock ID NANOSECONDS FLAGS, read FD, write FD, tag N */
	static subscription subs[16];
	static event events[16];
	u32 n = 0, got = 0;
	memset(events, 0, sizeof events);
	for (; more() && n < 16; n++) {
		vec w = word();
		u8 kind = *(u8 *)w.at;
		subscription *s = &subs[n];
		*s = (subscription){.user = 100 + n, .tag = kind == 'r' ? 1 : kind == 'w' ? 2 : 0};
		if (kind == 'c') s->clock.id = small(), s->clock.timeout = (u64)value(), s->clock.flags = (u16)small();
		else if (kind == 't') s->tag = (u8)small();
		else s->fd = small();
	}
	if (!error(poll_oneoff(subs, events, n, &got))) return;
	for (u32 i = 0; i < got && i < 16; i++) {
		number(events[i].user);
		say(events[i].type == 0 ? " clock" : events[i].type == 1 ? " read" : " write");
		error(events[i].error);
	}
}

static u32 is(vec w, const char *name) {
	u32 i = 0;
	for (; i < w.n && name[i]; i++) if (((u8 *)w.at)[i] != (u8)name[i]) return 0;
	return i == w.n && !name[i];
}

static void strings(u32 code, u32 n, u32 *ptrs, u8 *buf, u32 size) {
	if (!error(code)) return;
	for (u32 i = 0; i < n; i++) {
		u8 *s = (u8 *)ptrs[i];
		u32 k = 0;
		while (s + k < buf + size && s[k]) k++;
		text(s, k);
	}
}

static void call(void) {
	static u32 ptrs[64];
	static u8 buf[1 << 14];
	vec name = word(), a, b;
	u32 fd, n, n2, code;
	u64 v, v2;
	filestat s = {0};
	fdstat f = {0};
#define CALL(x) else if (is(name, #x))
	if (is(name, "args_get")) {
		args_sizes_get(&n, &n2);
		strings(args_get(ptrs, buf), n, ptrs, buf, n2);
	}
	CALL(args_sizes_get) { if (error(args_sizes_get(&n, &n2))) number(n), number(n2); }
	CALL(environ_get) {
		environ_sizes_get(&n, &n2);
		strings(environ_get(ptrs, buf), n, ptrs, buf, n2);
	}
	CALL(environ_sizes_get) { if (error(environ_sizes_get(&n, &n2))) number(n), number(n2); }
	CALL(clock_res_get) { v = 0; if (error(clock_res_get(small(), &v))) say(v ? " positive" : " zero"); }
	CALL(clock_time_get) { v = v2 = 0; n = small(); if (error(clock_time_get(n, 1, &v))) clock_time_get(n, 1, &v2), say(!v ? " zero" : v2 < v ? " backwards" : " forwards"); }
	CALL(random_get) { n = small(); buf[n] = 1; error(random_get(buf, n)); if (buf[n] != 1) say(" too much"); }
	CALL(sched_yield) error(sched_yield());
	CALL(proc_raise) error(proc_raise(small()));
	CALL(poll_oneoff) poll();
	CALL(fd_advise) { fd = small(), v = (u64)value(), v2 = (u64)value(), error(fd_advise(fd, v, v2, small())); }
	CALL(fd_allocate) { fd = small(), v = (u64)value(), error(fd_allocate(fd, v, (u64)value())); }
	CALL(fd_close) error(fd_close(small()));
	CALL(fd_datasync) error(fd_datasync(small()));
	CALL(fd_sync) error(fd_sync(small()));
	CALL(fd_fdstat_get) { if (error(fd_fdstat_get(small(), &f))) say(f.type == 3 ? " dir" : f.type == 4 ? " file" : f.type == 2 ? " terminal" : " other"), say(" flags"), number(f.flags), say(" rights"), number(f.base), number(f.inheriting); }
	CALL(fd_fdstat_set_flags) { fd = small(), error(fd_fdstat_set_flags(fd, (u32)flags("adnrs"))); }
	CALL(fd_fdstat_set_rights) { fd = small(), v = (u64)value(), error(fd_fdstat_set_rights(fd, v, (u64)value())); }
	CALL(fd_filestat_get) { code = fd_filestat_get(small(), &s), stat(code, &s); }
	CALL(fd_filestat_get.times) { code = fd_filestat_get(small(), &s), times(code, &s); }
	CALL(fd_filestat_set_size) { fd = small(), error(fd_filestat_set_size(fd, (u64)value())); }
	CALL(fd_filestat_set_times) { fd = small(), v = (u64)value(), v2 = (u64)value(), error(fd_filestat_set_times(fd, v, v2, (u32)flags("aAmM"))); }
	CALL(fd_pread) { fd = small(), v = (u64)value(), n2 = vectors(0), n = 0; if (error(fd_pread(fd, list, n2, v, &n))) number(n), got(n); }
	CALL(fd_pwrite) { fd = small(), v = (u64)value(), n2 = vectors(1), n = 0; if (error(fd_pwrite(fd, list, n2, v, &n))) number(n); }
	CALL(fd_read) { fd = small(), n2 = vectors(0), n = 0; if (error(fd_read(fd, list, n2, &n))) number(n), got(n); }
	CALL(fd_write) { fd = small(), n2 = vectors(1), n = 0; if (error(fd_write(fd, list, n2, &n))) number(n); }
	CALL(fd_prestat_get) { u32 p[2] = {0}; if (error(fd_prestat_get(small(), p))) number(p[0] & 255), number(p[1]); }
	CALL(fd_prestat_dir_name) { fd = small(), n = small(); if (error(fd_prestat_dir_name(fd, buf, n))) text(buf, n); }
	CALL(fd_readdir) { fd = small(), listing(fd, small()); }
	CALL(fd_readdir.raw) { /* FD SIZE COOKIE: the used size, and the first entry */
		dirent d = {0};
		fd = small(), n2 = small(), v = (u64)value(), n = 0;
		if (error(fd_readdir(fd, buf, n2, v, &n))) {
			number(n);
			memcpy(&d, buf, sizeof d);
			if (n >= sizeof d) number(d.next), number(d.n);
			if (n >= sizeof d + d.n) text(buf + sizeof d, d.n);
		}
	}
	CALL(fd_renumber) { fd = small(), error(fd_renumber(fd, small())); }
	CALL(fd_seek) { v2 = 0, fd = small(), v = (u64)value(); if (error(fd_seek(fd, (s64)v, small(), &v2))) number(v2); }
	CALL(fd_tell) { v = 0; if (error(fd_tell(small(), &v))) number(v); }
	CALL(path_create_directory) { fd = small(), a = word(), error(path_create_directory(fd, a.at, a.n)); }
	CALL(path_filestat_get) { fd = small(), n = small(), a = word(), code = path_filestat_get(fd, n, a.at, a.n, &s), stat(code, &s); }
	CALL(path_filestat_get.times) { fd = small(), n = small(), a = word(), code = path_filestat_get(fd, n, a.at, a.n, &s), times(code, &s); }
	CALL(path_filestat_set_times) { fd = small(), n = small(), a = word(), v = (u64)value(), v2 = (u64)value(), error(path_filestat_set_times(fd, n, a.at, a.n, v, v2, (u32)flags("aAmM"))); }
	CALL(path_link) { fd = small(), n = small(), a = word(), n2 = small(), b = word(), error(path_link(fd, n, a.at, a.n, n2, b.at, b.n)); }
	CALL(path_open) { /* FD LOOKUP NAME OFLAGS RIGHTS FDFLAGS */
		fd = small(), n2 = small(), a = word(), n = (u32)flags("cdet"), v = flags(" r    w"), v2 = flags("adnrs"), code = path_open(fd, n2, a.at, a.n, n, v, v, (u32)v2, &n2);
		if (error(code)) number(n2);
	}
	CALL(path_readlink) { fd = small(), a = word(), n2 = small(), n = 0; if (error(path_readlink(fd, a.at, a.n, buf, n2, &n))) text(buf, n); }
	CALL(path_remove_directory) { fd = small(), a = word(), error(path_remove_directory(fd, a.at, a.n)); }
	CALL(path_rename) { fd = small(), a = word(), n2 = small(), b = word(), error(path_rename(fd, a.at, a.n, n2, b.at, b.n)); }
	CALL(path_symlink) { a = word(), fd = small(), b = word(), error(path_symlink(a.at, a.n, fd, b.at, b.n)); }
	CALL(path_unlink_file) { fd = small(), a = word(), error(path_unlink_file(fd, a.at, a.n)); }
	CALL(sock_accept) { fd = small(), error(sock_accept(fd, (u32)flags("adnrs"), &n)); }
	CALL(sock_recv) { u16 f2; fd = small(), n2 = vectors(0), error(sock_recv(fd, list, n2, 0, &n, &f2)); }
	CALL(sock_send) { fd = small(), n2 = vectors(1), error(sock_send(fd, list, n2, 0, &n)); }
	CALL(sock_shutdown) { fd = small(), error(sock_shutdown(fd, small())); }
	else say(" unknown");
}

EXPORT(_start) void start(void) {
	static u8 all[1 << 16];
	u32 size = 0, n = 0;
	for (vec v = {all, sizeof all}; !fd_read(0, &v, 1, &n) && n; v.at = all + size, v.n = sizeof all - size) size += n;
	for (u32 i = 0; i < size;) {
		u32 stop = i, line;
		while (stop < size && all[stop] != '\n') stop++;
		line = stop;
		for (u32 k = i; k + 2 < stop; k++) if (all[k] == ' ' && all[k + 1] == '=' && all[k + 2] == ' ') { line = k; break; }
		memcpy(in, all + i, line - i);
		at = in, end = in + (line - i), wordsSize = 0;
		for (u8 *c = at; c < end; c++) put(*c);
		if (more() && *at != '#') say(" ="), call();
		put('\n');
		for (vec v = {out, outSize}; v.n && !fd_write(1, &v, 1, &n); v.at = (u8 *)v.at + n, v.n -= n) {}
		outSize = 0;
		i = stop + 1;
	}
}
