// This file is the JavaScript half of sandbox/opfs: each operation of the Go half
// is one call here and one answer, whatever number of steps OPFS needs for it.
//
// golemOPFS(root, done, memory) returns a tree for a FileSystemDirectoryHandle.
// Its method run(id, operation, …) returns [error, value] at once or calls
// done(id, error, value) once. error is "" or a name: a DOMException's, or one of
// ours (Exists, IsDirectory, NotDirectory, NotEmpty, TooLarge, Locked). memory()
// returns the WebAssembly.Memory of the Go program: big files are read into it and
// written from it directly.
globalThis.golemOPFS = (() => {
	const TEMP = ".golem-tmp-opfs"; // the directory of unfinished writes; never listed
	const { Refusal, changing, cut, outdated } = globalThis.golemHandles;
	const { Reads, READS, turn } = globalThis.golemReads;
	const { Log, flush } = globalThis.golemLogs;

	// owner is a random name for this worker, with which the names of its unfinished
	// writes begin. The worker holds a lock for that name, which the browser frees
	// when the worker ends in any way.
	let owner, count = 0;
	const lockOf = (name) => "golem-write:" + name.split("-")[0];
	const own = () => owner ||= new Promise((resolve, reject) => {
		const name = crypto.randomUUID().replaceAll("-", "");
		navigator.locks.request(lockOf(name), () => new Promise(() => resolve(name))).catch(reject);
	});

	class Tree extends Reads {
		// temp returns the handle of the directory of unfinished writes.
		temp() {
			this.shared.temp ||= this.shared.home.getDirectoryHandle(TEMP, { create: true }).catch((e) => {
				this.shared.temp = null;
				throw e;
			});
			return this.shared.temp;
		}

		// write replaces a file: it writes a temporary file and moves it, so that the
		// name always has the old or the new content. The content is bytes or, if
		// bytes is null, size bytes at an address of Go's memory. With alone, a name
		// that exists is an error.
		write(path, bytes, address, size, alone) {
			const at = this.from(path);
			return this.change(() => this.fresh(async () => {
				const [up, base] = cut(at);
				const dir = await this.dir(up, true);
				await this.notDirectory(at, dir, base);
				if (alone) await this.absent(dir, base);
				const room = await this.temp();
				const name = `${await own()}-${count++}`;
				const file = await room.getFileHandle(name, { create: true });
				try {
					const out = await file.createSyncAccessHandle();
					try {
						this.pour(out, bytes || new Uint8Array(this.memory().buffer, address, size), true);
					} finally {
						out.close();
					}
					await this.move(file, dir, base);
				} catch (e) {
					await room.removeEntry(name).catch(() => {});
					throw e;
				}
				this.shared.kept.wrote(at, bytes ? bytes.length : size, bytes || undefined);
			}), alone ? ["Exists"] : []);
		}

		// create writes a file that must not exist. No other tab can create it
		// meanwhile, because changes happen one after the other in all tabs.
		create(path, bytes) {
			return this.write(path, bytes, 0, 0, true);
		}

		// joined returns the same tree for another Go program, which has its own done.
		// It does not use that program's memory directly.
		joined(done) {
			return new Tree(this.shared.home, done, undefined, this.at, this.shared);
		}

		// opened opens the file at a path of the whole tree for writing, and creates it
		// if it does not exist.
		async opened(at) {
			const [up, base] = cut(at);
			const dir = await this.dir(up, true);
			let file;
			try {
				file = await dir.getFileHandle(base, { create: true });
			} catch (e) {
				throw e.name === "TypeMismatchError" ? new Refusal("IsDirectory") : e;
			}
			return changing(() => file.createSyncAccessHandle());
		}

		// lay writes a file under its own name, without a temporary file and without a
		// flush, for FS.Filling. The parameters are those of write.
		lay(path, bytes, address, size) {
			const at = this.from(path);
			return this.change(() => this.fresh(async () => {
				const out = await this.opened(at);
				try {
					out.truncate(0);
					this.pour(out, bytes || new Uint8Array(this.memory().buffer, address, size), false);
				} finally {
					out.close();
				}
				this.shared.kept.wrote(at, bytes ? bytes.length : size, bytes || undefined);
			}));
		}

		// pour writes all bytes from the start of an open file.
		pour(out, bytes, flush) {
			for (let at = 0; at < bytes.length; ) {
				const n = out.write(at === 0 ? bytes : bytes.subarray(at), { at });
				if (n <= 0) throw new Refusal("QuotaExceededError");
				at += n;
			}
			if (flush) out.flush();
		}

		// notDirectory throws IsDirectory if the name belongs to a directory.
		async notDirectory(at, dir, base) {
			const e = this.shared.kept.mine ? this.shared.kept.look(at) : undefined;
			if (e === null || e?.kind === "f") return;
			try {
				await dir.getFileHandle(base);
			} catch (e) {
				if (e.name === "TypeMismatchError") throw new Refusal("IsDirectory");
				if (e.name !== "NotFoundError") throw e;
			}
		}

		// absent throws Exists if the name belongs to a file.
		async absent(dir, base) {
			try {
				await dir.getFileHandle(base);
			} catch (e) {
				if (e.name === "NotFoundError") return;
				throw e;
			}
			throw new Refusal("Exists");
		}

		mkdir(path) {
			const at = this.from(path);
			return this.change(() => this.fresh(async () => {
				const [up, base] = cut(at);
				const dir = await this.dir(up, false);
				if (this.shared.kept.mine && this.shared.kept.look(at)) throw new Refusal("Exists");
				try {
					await dir.getFileHandle(base);
				} catch (e) {
					if (e.name === "TypeMismatchError") throw new Refusal("Exists");
					if (e.name !== "NotFoundError") throw e;
					this.shared.known.set(at, await dir.getDirectoryHandle(base, { create: true }));
					this.shared.kept.madeDirectory(at);
					return;
				}
				throw new Refusal("Exists");
			}), ["Exists", "NotFoundError"]);
		}

		remove(path, recursive) {
			const at = this.from(path);
			return this.change(() => this.fresh(async () => {
				const [up, base] = cut(at);
				const dir = await this.dir(up, false);
				try {
					await changing(() => dir.removeEntry(base, { recursive }));
				} catch (e) {
					throw e.name === "InvalidModificationError" ? new Refusal("NotEmpty") : e;
				}
				this.forget(at);
				this.shared.kept.removed(at);
			}), ["NotEmpty", "NotFoundError"]);
		}

		rename(oldPath, newPath) {
			const from = this.from(oldPath), to = this.from(newPath);
			return this.change(async () => {
				const handle = await this.fresh(() => this.entry(from));
				if (from === to) return;
				const [up, base] = cut(to);
				const there = await this.entry(to).catch((e) => {
					if (e.name !== "NotFoundError") throw e;
					return null;
				});
				if (there && (there.kind === "directory" || handle.kind === "directory")) throw new Refusal("Exists");
				const dir = await this.dir(up, true);
				this.forget(from);
				if (handle.kind === "file") {
					await this.move(handle, dir, base);
				} else {
					// OPFS cannot move directories, so the files are moved one by one.
					// Each file is always complete, at its old or its new place.
					await this.carry(handle, await dir.getDirectoryHandle(base, { create: true }));
					const [oldUp, oldBase] = cut(from);
					await (await this.dir(oldUp, false)).removeEntry(oldBase);
					this.forget(from);
				}
				this.forget(to);
				this.shared.kept.removed(from);
				this.shared.kept.forget(to);
				this.shared.kept.made(to, handle.kind === "file" ? "f" : "d");
			});
		}

		// carry moves everything in one directory into another.
		async carry(from, to) {
			const entries = [];
			for await (const [name, h] of from.entries()) entries.push([name, h]);
			for (const [name, h] of entries) {
				if (h.kind === "file") {
					await this.move(h, to, name);
				} else {
					await this.carry(h, await to.getDirectoryHandle(name, { create: true }));
					await from.removeEntry(name);
				}
			}
		}

		// sweep removes the unfinished writes of dead workers. It lists the names before
		// it queries the locks, because a living worker takes its lock before it writes.
		async sweep() {
			let room;
			try {
				room = await this.shared.home.getDirectoryHandle(TEMP);
			} catch {
				return;
			}
			const names = [];
			for await (const name of room.keys()) names.push(name);
			if (names.length === 0) return;
			const alive = new Set((await navigator.locks.query()).held.map((lock) => lock.name));
			for (const name of names) {
				if (alive.has(lockOf(name))) continue;
				await room.removeEntry(name, { recursive: true }).catch(() => {}); // its worker may be just ending
			}
		}

		// append opens a file for appending and returns a Log.
		append(path) {
			const at = this.from(path);
			return this.change(() => this.fresh(async () => {
				const out = await this.opened(at);
				this.shared.kept.logs.add(at);
				this.shared.kept.forget(at);
				this.shared.kept.made(at, "f");
				return new Log(out);
			}));
		}

		// put appends to a Log, and returns at once the name of an error or "". The data
		// is bytes or, if bytes is null, size bytes at an address of Go's memory.
		put(log, bytes, address, size, gathers) {
			return log.put(bytes ?? new Uint8Array(this.memory().buffer, address, size), gathers);
		}

		// lock takes a lock that all tabs share and returns the function that releases
		// it, or throws Locked. It also takes the lock of the cache, because a worker
		// that locks something is about to use it.
		async lock(name) {
			await this.shared.kept.take();
			return new Promise((resolve, reject) => {
				navigator.locks.request(name, { ifAvailable: true }, (lock) => {
					if (!lock) throw new Refusal("Locked");
					return new Promise((release) => resolve(() => release()));
				}).catch(reject);
			});
		}

		// locked reports whether a worker has this lock.
		async locked(name) {
			return (await navigator.locks.query()).held.some((lock) => lock.name === name);
		}

		// change runs the changes of this home one after the other. harmless is as in
		// kept.js.
		change(step, harmless = []) {
			const result = this.shared.order.then(() => this.shared.kept.change(step, harmless));
			this.shared.order = result.catch(() => {});
			return result;
		}

		// run runs an operation for the Go half. If the cache knows the answer, run
		// usually returns it at once, as [error, value]; otherwise it calls done later.
		run(id, op, ...args) {
			let now;
			try {
				const value = READS.includes(op) ? this.known(op, ...args) : undefined;
				if (value !== undefined) now = ["", value];
			} catch (e) {
				now = [e.name, e.message];
			}
			if (now && !this.soon()) return now;
			flush(); // the buffered lines of logs come before what this operation does
			const end = ([name, value]) => this.done(id, name, value);
			if (now) turn().then(() => end(now));
			else this[op](...args).then((value) => end(["", value]), (e) => end([outdated(e) ? "NotReadableError" : e.name || "Error", e.message]));
		}
	}

	return (root, done, memory) => new Tree(root, done, memory);
})();
