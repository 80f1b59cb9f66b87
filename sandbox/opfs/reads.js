// The reading half of a tree: what is known is answered at once, what is read
// is kept (kept.js).
globalThis.golemReads = (() => {
	const BIG = 1 << 20; // bytes from which a file goes straight to Go's memory
	const PIECE = 4 << 20; // bytes of a big file that are on their way at once
	const FIRST = 256 << 10; // bytes of a file that come with opening it
	const READS = ["stat", "open", "list", "read", "sub"];
	const { Handles, Refusal } = globalThis.golemHandles;
	const BESIDE = 48; // files that are asked for their size at once
	const STRETCH = 8; // ms that golem may go on without JavaScript's having a turn
	const ODD = /[\p{Cc}\p{Cf}\p{Cs}\\]/u; // in names that no sandbox shows
	const gone = () => { throw new Refusal("NotFoundError"); };
	const part = (blob, from, to) => blob.slice(from, to).arrayBuffer().catch((e) => {
		throw e.name === "NotFoundError" ? new Refusal("NotReadableError") : e;
	});

	// turn resolves when messages were taken: golem, which is never told to wait,
	// would let none in.
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

		// known answers at once what needs no look at OPFS: undefined if it does.
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

		// soon is whether what is known must wait for JavaScript's turn: a change
		// goes on then, or it has been a while.
		soon() {
			return this.shared.kept.changes > 0 || performance.now() - turned > STRETCH;
		}

		// look runs a reading step for what stands at a path, and keeps what it
		// saw: the step gives its answer and the entry.
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

		// stat: [kind, size, time].
		stat(path) {
			return this.look(path, async (handle) => {
				if (handle.kind === "directory") return [["d", 0, 0], { kind: "d" }];
				const f = await handle.getFile();
				return [["f", f.size, f.lastModified], { kind: "f", size: f.size, time: f.lastModified }];
			});
		}

		// open: [kind, size, time, blob, first bytes] or [kind, 0, 0, names].
		open(path) {
			return this.look(path, async (handle) => {
				if (handle.kind === "directory") return [["d", 0, 0, await this.listing(this.from(path), handle)], { kind: "d" }];
				const f = await handle.getFile();
				const first = new Uint8Array(await f.slice(0, FIRST).arrayBuffer());
				return [["f", f.size, f.lastModified, f, first], { kind: "f", size: f.size, time: f.lastModified, bytes: first.length === f.size ? first : undefined }];
			});
		}

		// slice: a part of a file that is open. Its content may be gone, if the file was replaced.
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

		// walk is everything below a path but some names (A/B) at its top, at most so much,
		// sorted: [{path, dir, size, modified}].
		walk(path, skip, most) {
			return this.look(path, async (handle) => {
				if (handle.kind !== "directory") throw new Refusal("NotDirectory");
				const out = [];
				await this.into(path, "", skip, most, out);
				const files = out.filter((e) => !e.dir);
				const size = async () => {
					for (let e; (e = files.pop()); ) {
						const [, size, time] = await this.stat(path === "." ? e.path : `${path}/${e.path}`).catch(() => ["f", 0, 0]); // it is gone
						Object.assign(e, { size, modified: time });
					}
				};
				await Promise.all(Array.from({ length: BESIDE }, size));
				return [out, { kind: "d" }];
			});
		}

		async into(path, below, skip, most, out) {
			const names = this.known("list", path) ?? (await this.list(path));
			for (const item of names.split("/").slice(0, -1).sort((a, b) => (a.slice(1) < b.slice(1) ? -1 : 1))) {
				const name = item.slice(1), dir = item[0] === "d";
				if (out.length >= most || skip.split("/").includes(name) || ODD.test(name)) continue;
				out.push({ path: below + name, dir: dir || undefined, size: 0, modified: 0 });
				if (dir) await this.into(path === "." ? name : `${path}/${name}`, `${below}${name}/`, "", most, out);
			}
		}

		// read: [bytes] of a whole file of at most limit; of a big one [null,
		// size, blob, handle], for fill.
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

		// fill puts a file's content at an address of Go's memory: in one go where
		// the file can be locked for reading, else piece by piece, each fetched
		// while the one before is copied.
		async fill(blob, handle, address) {
			if (await this.gulp(handle, blob.size, address)) return;
			const fetch = (at) => at < blob.size ? part(blob, at, at + PIECE) : null;
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

		// sub is a tree of a directory.
		sub(path) {
			return this.look(path, async (handle) => {
				if (handle.kind !== "directory") throw new Refusal("NotDirectory");
				const at = this.from(path);
				this.shared.known.set(at, handle);
				return [this.below(at), { kind: "d" }];
			});
		}

		below(at) {
			return new this.constructor(this.shared.home, this.done, this.memory, at, this.shared);
		}
	}

	return { Reads, READS, turn };
})();
