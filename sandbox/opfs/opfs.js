// The JavaScript half of sandbox/opfs: each operation of the Go half is one
// call here and one answer, however many steps OPFS takes for it.
//
// golemOPFS(root, done, memory) makes a tree of a FileSystemDirectoryHandle.
// Every method takes an id first; done(id, error, value) is called once for
// it. error is "" or a name: a DOMException's, or one of ours (Exists,
// IsDirectory, NotDirectory, NotEmpty, TooLarge, Moved). memory() is the
// WebAssembly.Memory of the Go program: big files go from and to it directly.
globalThis.golemOPFS = (() => {
	const TEMP = ".golem-tmp-opfs"; // unfinished writes; never listed
	const BIG = 1 << 20; // bytes from which a file goes straight to and from Go's memory
	const PIECE = 4 << 20; // bytes of a big file that are on their way at once
	const FIRST = 256 << 10; // bytes of a file that come with opening it
	const { Handles, Refusal, changing, cut, outdated } = globalThis.golemHandles;

	// owner is a name for this worker in the names of its unfinished writes. The
	// browser keeps a lock of that name until the worker ends, however it ends.
	let owner, count = 0;
	const lockOf = (name) => "golem-write:" + name.split("-")[0];
	const own = () => owner ||= new Promise((resolve, reject) => {
		const name = crypto.randomUUID().replaceAll("-", "");
		navigator.locks.request(lockOf(name), () => new Promise(() => resolve(name))).catch(reject);
	});

	class Tree extends Handles {
		constructor(root, done, memory, shared) {
			super(root, shared);
			this.done = done;
			this.memory = memory;
		}

		// stat: [kind, size, time].
		stat(path) {
			return this.seen(async () => {
				const handle = await this.entry(path);
				if (handle.kind === "directory") return ["d", 0, 0];
				const f = await handle.getFile();
				return ["f", f.size, f.lastModified];
			});
		}

		// open: [kind, size, time, blob, first bytes] or [kind, 0, 0, names].
		open(path) {
			return this.seen(async () => {
				const handle = await this.entry(path);
				if (handle.kind === "directory") return ["d", 0, 0, await this.names(handle)];
				const f = await handle.getFile();
				const first = new Uint8Array(await f.slice(0, FIRST).arrayBuffer());
				return ["f", f.size, f.lastModified, f, first];
			});
		}

		async slice(blob, from, to) {
			return new Uint8Array(await blob.slice(from, to).arrayBuffer());
		}

		list(path) {
			return this.seen(async () => {
				const handle = await this.entry(path);
				if (handle.kind !== "directory") throw new Refusal("NotDirectory");
				return this.names(handle);
			});
		}

		// read: [bytes] of a whole file of at most limit; of a big one [null,
		// size, blob, handle], for fill.
		read(path, limit) {
			return this.seen(async () => {
				const handle = await this.entry(path);
				if (handle.kind === "directory") throw new Refusal("IsDirectory");
				const f = await handle.getFile();
				if (f.size > limit) throw new Refusal("TooLarge");
				if (this.memory && f.size >= BIG) return [null, f.size, f, handle];
				return [new Uint8Array(await f.arrayBuffer())];
			});
		}

		// fill puts a file's content at an address of Go's memory: in one go where
		// the file can be locked for reading, else piece by piece, each fetched
		// while the one before is copied.
		async fill(blob, handle, address) {
			if (await this.gulp(handle, blob.size, address)) return;
			const fetch = (at) => at < blob.size ? blob.slice(at, at + PIECE).arrayBuffer() : null;
			let next = fetch(0);
			for (let at = 0; at < blob.size; at += PIECE) {
				const piece = new Uint8Array(await next);
				next = fetch(at + PIECE);
				next?.catch(() => {}); // told when it is awaited
				new Uint8Array(this.memory().buffer, address + at, piece.length).set(piece);
			}
		}

		async gulp(handle, size, address) {
			let file;
			try {
				file = await handle.createSyncAccessHandle({ mode: "read-only" });
			} catch {
				return false; // someone has it
			}
			try {
				if (file.getSize() !== size) throw new Refusal("NotReadableError");
				return file.read(new Uint8Array(this.memory().buffer, address, size), { at: 0 }) === size;
			} finally {
				file.close();
			}
		}

		temp() {
			this.shared.temp ||= this.shared.home.getDirectoryHandle(TEMP, { create: true }).catch((e) => {
				this.shared.temp = null;
				throw e;
			});
			return this.shared.temp;
		}

		// write puts the bytes aside and moves them to their place: at every
		// moment the name has its old content or its new one.
		write(path, bytes, address, size) {
			return this.change(() => this.fresh(async () => {
				const [up, base] = cut(path);
				const dir = await this.dir(up, true);
				await this.notDirectory(dir, base);
				const room = await this.temp();
				const name = `${await own()}-${count++}`;
				const file = await room.getFileHandle(name, { create: true });
				try {
					const out = await file.createSyncAccessHandle();
					try {
						this.pour(out, bytes || new Uint8Array(this.memory().buffer, address, size));
					} finally {
						out.close();
					}
					await this.move(file, dir, base);
				} catch (e) {
					await room.removeEntry(name).catch(() => {});
					throw e;
				}
			}));
		}

		pour(out, bytes) {
			for (let at = 0; at < bytes.length; ) {
				const n = out.write(at === 0 ? bytes : bytes.subarray(at), { at });
				if (n <= 0) throw new Refusal("QuotaExceededError");
				at += n;
			}
			out.flush();
		}

		async notDirectory(dir, base) {
			try {
				await dir.getFileHandle(base);
			} catch (e) {
				if (e.name === "TypeMismatchError") throw new Refusal("IsDirectory");
				if (e.name !== "NotFoundError") throw e;
			}
		}

		mkdir(path) {
			return this.change(() => this.fresh(async () => {
				const [up, base] = cut(path);
				const dir = await this.dir(up, false);
				try {
					await dir.getFileHandle(base);
				} catch (e) {
					if (e.name === "TypeMismatchError") throw new Refusal("Exists");
					if (e.name !== "NotFoundError") throw e;
					this.known.set(path, await dir.getDirectoryHandle(base, { create: true }));
					return;
				}
				throw new Refusal("Exists");
			}));
		}

		remove(path, recursive) {
			return this.change(() => this.fresh(async () => {
				const [up, base] = cut(path);
				const dir = await this.dir(up, false);
				try {
					await changing(() => dir.removeEntry(base, { recursive }));
				} catch (e) {
					throw e.name === "InvalidModificationError" ? new Refusal("NotEmpty") : e;
				}
				this.forget(path);
			}));
		}

		rename(from, to) {
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
					return;
				}
				// OPFS moves no directories: its files are moved one by one, so
				// that each is always whole, at its old place or its new one.
				await this.carry(handle, await dir.getDirectoryHandle(base, { create: true }));
				const [oldUp, oldBase] = cut(from);
				await (await this.dir(oldUp, false)).removeEntry(oldBase);
				this.forget(from);
			});
		}

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

		// sub is a tree of a directory, with a handle of its own.
		async sub(path) {
			const handle = await this.fresh(() => this.entry(path));
			if (handle.kind !== "directory") throw new Refusal("NotDirectory");
			return new Tree(handle, this.done, this.memory, this.shared);
		}

		// sweep removes what the writes of dead workers left behind. The names are
		// taken first: who lives now and wrote one of them has its lock by then.
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
				await room.removeEntry(name, { recursive: true }).catch(() => {}); // its worker is just ending
			}
		}

		// append opens a file for adding at its end: [handle, size].
		append(path) {
			return this.change(() => this.fresh(async () => {
				const [up, base] = cut(path);
				const dir = await this.dir(up, true);
				let file;
				try {
					file = await dir.getFileHandle(base, { create: true });
				} catch (e) {
					throw e.name === "TypeMismatchError" ? new Refusal("IsDirectory") : e;
				}
				const out = await changing(() => file.createSyncAccessHandle());
				return [out, out.getSize()];
			}));
		}

		// put adds bytes to an open file; it answers at once, with an error's name.
		put(out, bytes, at, flush) {
			try {
				for (let n = 0; n < bytes.length; ) {
					const written = out.write(n === 0 ? bytes : bytes.subarray(n), { at: at + n });
					if (written <= 0) return "QuotaExceededError";
					n += written;
				}
				if (flush) out.flush();
				return "";
			} catch (e) {
				return e.name || "Error";
			}
		}

		// lock takes a lock that all tabs share, or refuses; its value releases it.
		lock(name) {
			return new Promise((resolve, reject) => {
				navigator.locks.request(name, { ifAvailable: true }, (lock) => {
					if (!lock) throw new Refusal("Locked");
					return new Promise((release) => resolve(() => release()));
				}).catch(reject);
			});
		}

		// change keeps changes in order.
		change(step) {
			const result = this.shared.order.then(step);
			this.shared.order = result.catch(() => {});
			return result;
		}

		// run is the one entrance.
		run(id, op, ...args) {
			this[op](...args).then(
				(value) => this.done(id, "", value),
				(e) => this.done(id, outdated(e) ? "NotReadableError" : e.name || "Error", e.message),
			);
		}
	}

	return (root, done, memory) => new Tree(root, done, memory);
})();
