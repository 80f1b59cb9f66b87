// This file has the reading operations of a tree. They answer from the cache
// (kept.js) if it knows the answer, and put into the cache what they read.
globalThis.golemReads = (() => {
	const BIG = 1 << 20; // a file of at least so many bytes is read directly into Go's memory
	const PIECE = 4 << 20; // bytes of a big file that fill reads at once
	const FIRST = 256 << 10; // bytes of a file that open returns
	const READS = ["stat", "open", "list", "read", "sub"];
	const { Handles, Refusal } = globalThis.golemHandles;
	const BESIDE = 48; // files whose size walk reads at the same time
	const STRETCH = 8; // ms for which golem may run without a turn of the event loop
	const ODD = /[\p{Cc}\p{Cf}\p{Cs}\\]/u; // characters in names that no sandbox shows
	const gone = () => { throw new Refusal("NotFoundError"); };
	// part reads a part of a blob. Chromium reports NotFoundError if the file was replaced.
	const part = (blob, from, to) => blob.slice(from, to).arrayBuffer().catch((e) => {
		throw e.name === "NotFoundError" ? new Refusal("NotReadableError") : e;
	});

	// turn resolves after a turn of the event loop. If every answer came at once, golem
	// would never wait, and the worker would receive no messages.
	let turned = 0;
	const waiting = [];
	const { port1, port2 } = new MessageChannel();
	port1.onmessage = () => {
		turned = performance.now();
		waiting.shift()();
	};
	const turn = () => new Promise((resolve) => {
		waiting.push(resolve);
		port2.postMessage(0);
	});

	class Reads extends Handles {
		constructor(home, done, memory, at = ".", shared) {
			super(home, at, shared);
			this.done = done;
			this.memory = memory;
		}

		// known returns the answer of a reading operation from the cache, or undefined
		// if it needs a look at OPFS.
		known(op, path, limit) {
			const { kept } = this.shared;
			if (!kept.mine) return undefined;
			const at = this.from(path);
			const e = kept.look(at);
			if (e === null) return gone();
			if (op === "list") return kept.list(at);
			if (op === "sub") return e?.kind === "d" && this.shared.known.has(at) ? this.below(at) : undefined;
			if (e?.kind === "d") return op === "stat" ? ["d", 0, 0] : undefined;
			if (op === "stat") return e?.time && ["f", e.size, e.time];
			if (!e?.bytes) return undefined;
			if (op === "open") return e.time && ["f", e.size, e.time, null, e.bytes];
			return e.size <= limit ? [e.bytes] : undefined;
		}

		// soon reports whether an answer from the cache must wait for a turn of the event
		// loop: because a change is under way, or because the last turn is more than
		// STRETCH ago.
		soon() {
			return this.shared.kept.changes > 0 || performance.now() - turned > STRETCH;
		}

		// look runs a reading step with the handle of a path. The step returns its answer
		// and an entry for the cache.
		look(path, step) {
			const at = this.from(path), { kept } = this.shared;
			return this.seen(async () => {
				const mark = kept.mark();
				try {
					const [value, entry] = await this.found(at, step);
					if (entry) kept.put(mark, at, entry);
					return value;
				} catch (e) {
					if (e.name === "NotFoundError") kept.put(mark, at, null);
					throw e;
				}
			});
		}

		// stat returns [kind, size, time]: "f" or "d", bytes, ms since 1970.
		stat(path) {
			return this.look(path, async (handle) => {
				if (handle.kind === "directory") return [["d", 0, 0], { kind: "d" }];
				const f = await handle.getFile();
				return [["f", f.size, f.lastModified], { kind: "f", size: f.size, time: f.lastModified }];
			});
		}

		// open returns [kind, size, time, blob, first bytes] of a file, or
		// [kind, 0, 0, names] of a directory.
		open(path) {
			return this.look(path, async (handle) => {
				if (handle.kind === "directory") return [["d", 0, 0, await this.listing(this.from(path), handle)], { kind: "d" }];
				const f = await handle.getFile();
				const first = new Uint8Array(await f.slice(0, FIRST).arrayBuffer());
				return [["f", f.size, f.lastModified, f, first], { kind: "f", size: f.size, time: f.lastModified, bytes: first.length === f.size ? first : undefined }];
			});
		}

		// slice returns a part of an open file. It throws NotReadableError if the file was
		// replaced and its old content is gone.
		async slice(blob, from, to) {
			return new Uint8Array(await part(blob, from, to));
		}

		list(path) {
			return this.look(path, async (handle) => {
				if (handle.kind !== "directory") throw new Refusal("NotDirectory");
				return [await this.listing(this.from(path), handle), { kind: "d" }];
			});
		}

		async listing(at, handle) {
			const { kept } = this.shared;
			const mark = kept.mark();
			const names = await this.names(handle);
			kept.putList(mark, at, names);
			return names;
		}

		// walk returns everything below a path, sorted: [{path, dir, size, modified}].
		// most is the largest number of entries. The names in skip ("A/B") are left out
		// at the top.
		walk(path, skip, most) {
			return this.look(path, async (handle) => {
				if (handle.kind !== "directory") throw new Refusal("NotDirectory");
				const out = [];
				await this.into(path, "", skip, most, out);
				const files = out.filter((e) => !e.dir);
				const size = async () => {
					for (let e; (e = files.pop()); ) {
						const [, size, time] = await this.stat(path === "." ? e.path : `${path}/${e.path}`).catch(() => ["f", 0, 0]); // it was removed meanwhile
						Object.assign(e, { size, modified: time });
					}
				};
				await Promise.all(Array.from({ length: BESIDE }, size));
				return [out, { kind: "d" }];
			});
		}

		// into adds the entries of a directory, and of the directories in it, to out.
		async into(path, below, skip, most, out) {
			const names = this.known("list", path) ?? (await this.list(path));
			for (const item of names.split("/").slice(0, -1).sort((a, b) => (a.slice(1) < b.slice(1) ? -1 : 1))) {
				const name = item.slice(1), dir = item[0] === "d";
				if (out.length >= most || skip.split("/").includes(name) || ODD.test(name)) continue;
				out.push({ path: below + name, dir: dir || undefined, size: 0, modified: 0 });
				if (dir) await this.into(path === "." ? name : `${path}/${name}`, `${below}${name}/`, "", most, out);
			}
		}

		// read returns [bytes] of a whole file of at most limit bytes. For a big file it
		// returns [null, size, blob, handle], which fill takes.
		read(path, limit) {
			return this.look(path, async (handle) => {
				if (handle.kind === "directory") throw new Refusal("IsDirectory");
				const f = await handle.getFile();
				if (f.size > limit) throw new Refusal("TooLarge");
				if (this.memory && f.size >= BIG) return [[null, f.size, f, handle]];
				const bytes = new Uint8Array(await f.arrayBuffer());
				return [[bytes], { kind: "f", size: f.size, time: f.lastModified, bytes }];
			});
		}

		// fill copies a file's content to an address of Go's memory: with one read if the
		// file can be locked for reading, otherwise piece by piece, reading each piece
		// while the previous one is copied.
		async fill(blob, handle, address) {
			if (await this.gulp(handle, blob.size, address)) return;
			const fetch = (at) => at < blob.size ? part(blob, at, at + PIECE) : null;
			let next = fetch(0);
			for (let at = 0; at < blob.size; at += PIECE) {
				const piece = new Uint8Array(await next);
				next = fetch(at + PIECE);
				next?.catch(() => {}); // the error is thrown when next is awaited
				new Uint8Array(this.memory().buffer, address + at, piece.length).set(piece);
			}
		}

		// gulp reads a whole file with one call. It returns false if the file cannot be
		// locked for reading.
		async gulp(handle, size, address) {
			let file;
			try {
				file = await handle.createSyncAccessHandle({ mode: "read-only" });
			} catch {
				return false; // the file is open elsewhere
			}
			try {
				if (file.getSize() !== size) throw new Refusal("NotReadableError");
				return file.read(new Uint8Array(this.memory().buffer, address, size), { at: 0 }) === size;
			} finally {
				file.close();
			}
		}

		// sub returns a tree for a directory of this one.
		sub(path) {
			return this.look(path, async (handle) => {
				if (handle.kind !== "directory") throw new Refusal("NotDirectory");
				const at = this.from(path);
				this.shared.known.set(at, handle);
				return [this.below(at), { kind: "d" }];
			});
		}

		// below returns the tree that begins at a path of the whole tree.
		below(at) {
			return new this.constructor(this.shared.home, this.done, this.memory, at, this.shared);
		}
	}

	return { Reads, READS, turn };
})();
