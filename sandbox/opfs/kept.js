// This file is the cache of a tree of OPFS: names, sizes and the content of
// small files. It is a write-through cache: a change is in OPFS before it is
// answered, and the cache may be lost at any time.
//
// Only one web worker of all tabs at a time may use its cache: the one that has
// the lock. A change needs the lock too. A worker that wants the lock says so on
// the channel; the worker that has it then finishes its changes, clears its cache
// and releases the lock. A worker without the lock asks the browser for
// everything. So no worker reads from its cache what another tab has changed. A
// tab that dies releases the lock; a tab that does not answer loses it after
// PATIENCE.
globalThis.golemKept = (() => {
	const NAME = "golem-files"; // the name of the lock and of the channel
	const PATIENCE = 3000; // ms to wait for the lock
	// The cache is cleared again so many ms after this worker got the lock, because the
	// last change of a dead tab may still have been under way.
	const SETTLES = [500, 4000];
	const SMALL = 128 << 10; // the most bytes of a file whose content is cached
	const ROOM = 8 << 20; // the most bytes of all cached content
	const MOST = 30000; // the most entries in the cache
	// parts splits a path into its directory and its base name.
	const parts = (path) => {
		const i = path.lastIndexOf("/");
		return i < 0 ? [".", path] : [path.slice(0, i), path.slice(i + 1)];
	};

	class Kept {
		mine = false; // this worker has the lock
		version = 0; // rises with each change
		changes = 0; // the number of changes under way
		logs = new Set(); // paths of files that were opened for appending

		// idle returns a promise for the end of the changes under way; begins is
		// called when this worker gets the lock.
		constructor(idle, begins) {
			this.idle = idle;
			this.begins = begins;
			this.clear();
			this.channel = new BroadcastChannel(NAME);
			this.channel.onmessage = () => this.wanted();
			this.trying = this.request({ ifAvailable: true }); // one request at a time: a second would wait for the first
		}

		// grows reports whether a file may grow without the lock: a file that this worker
		// opened for appending, or any file below .golem. Such a file is not cached.
		grows(path) {
			return this.logs.has(path) || /(^|\/)\.golem\//.test(path);
		}

		clear() {
			this.version++;
			this.entries = new Map(); // path → {kind, size, time, bytes}, or null if it does not exist
			this.lists = new Map(); // directory → its names → "f" or "d"
			this.room = 0; // bytes of all cached content
		}

		// request asks the browser for the lock and resolves to whether it was given.
		request(options) {
			let given = false;
			return new Promise((resolve) => {
				navigator.locks.request(NAME, options, (lock) => {
					if (!lock) return resolve(false);
					this.mine = given = true;
					this.clear();
					this.begins();
					for (const ms of SETTLES) setTimeout(() => this.clear(), ms);
					resolve(true);
					// A worker that asked before this one got the lock still waits.
					navigator.locks.query().then((all) => { if (all.pending.some((l) => l.name === NAME)) this.wanted(); });
					return new Promise((release) => { this.release = release; });
				}).catch(() => { // it took too long, or another tab has taken the lock since
					if (given) this.lose();
					resolve(false);
				});
			});
		}

		lose() {
			this.mine = false;
			this.clear();
		}

		// wanted releases the lock after the changes that are under way.
		async wanted() {
			if (!this.mine || this.giving) return;
			this.giving = true;
			await this.idle();
			this.giving = false;
			if (!this.mine) return;
			this.lose();
			this.release();
		}

		// take gets the lock, which a change needs.
		take() {
			if (!this.mine) this.trying = this.trying.then(() => this.mine || this.ask());
			return this.trying;
		}

		// ask waits for the lock. After PATIENCE it takes the lock from a tab that does
		// not answer.
		async ask() {
			this.channel.postMessage("wanted");
			if (!(await this.request({ signal: AbortSignal.timeout(PATIENCE) }))) await this.request({ steal: true });
		}

		// mark is called before a look at OPFS, and put caches the result unless
		// something was changed since mark.
		mark() {
			return this.mine && this.changes === 0 ? this.version : -1;
		}

		put(mark, path, entry) {
			if (mark === this.version) this.set(path, entry);
		}

		set(path, entry) {
			if (entry?.kind === "f" && this.grows(path)) return;
			if (this.entries.size >= MOST) this.clear();
			const old = this.entries.get(path);
			this.room -= old?.bytes?.length ?? 0;
			if (old && entry && old.size === entry.size) {
				entry.bytes ??= old.bytes;
				entry.time ??= old.time;
			}
			if (entry?.bytes?.length > SMALL) entry.bytes = undefined;
			this.room += entry?.bytes?.length ?? 0;
			if (this.room > ROOM) return this.clear();
			this.entries.set(path, entry);
		}

		// putList caches a listing, which has "f" or "d", the name and "/" for each
		// entry.
		putList(mark, path, listing) {
			if (mark !== this.version) return;
			if (this.lists.size >= MOST) this.clear();
			this.lists.set(path, new Map(listing.split("/").slice(0, -1).map((item) => [item.slice(1), item[0]])));
		}

		// look returns the cached entry of a path, null if the path does not exist, or
		// undefined if the cache does not know.
		look(path) {
			const known = this.entries.get(path);
			if (known !== undefined || path === ".") return known;
			const [up, base] = parts(path);
			if (this.entries.get(up) === null) return null;
			const kind = this.lists.get(up)?.get(base);
			if (kind === "d") return { kind };
			return kind || !this.lists.has(up) ? undefined : null;
		}

		// list returns the cached listing of a directory as putList takes it, or
		// undefined.
		list(path) {
			const names = this.lists.get(path);
			if (!names) return undefined;
			let out = "";
			for (const [name, kind] of names) out += kind + name + "/";
			return out;
		}

		// forget removes a path, and everything below it, from the cache.
		forget(path) {
			this.version++;
			const file = this.entries.get(path)?.kind === "f";
			this.drop(path);
			if (file) return;
			const below = path + "/";
			for (const p of this.entries.keys()) if (p.startsWith(below)) this.drop(p);
			for (const p of this.lists.keys()) if (p.startsWith(below)) this.lists.delete(p);
		}

		drop(path) {
			this.room -= this.entries.get(path)?.bytes?.length ?? 0;
			this.entries.delete(path);
			this.lists.delete(path);
		}

		// made adds a new entry, and missing parents, to the cached listings.
		made(path, kind) {
			for (let p = path; p !== "."; kind = "d") {
				const [up, base] = parts(p);
				if (this.entries.get(p) === null) this.entries.delete(p);
				this.lists.get(up)?.set(base, kind);
				p = up;
			}
		}

		// wrote, madeDirectory and removed update the cache after a change. bytes may
		// be undefined.
		wrote(path, size, bytes) {
			if (!this.mine) return;
			this.forget(path);
			this.made(path, "f");
			this.set(path, { kind: "f", size, bytes });
		}

		madeDirectory(path) {
			if (!this.mine) return;
			this.forget(path);
			this.made(path, "d");
			this.lists.set(path, new Map());
		}

		removed(path) {
			if (!this.mine) return;
			this.forget(path);
			const [up, base] = parts(path);
			this.lists.get(up)?.delete(base);
		}

		// change gets the lock and runs a step that changes something. If the step
		// fails, the cache is cleared, unless the error's name is in harmless, the
		// names of errors after which nothing was changed.
		async change(step, harmless) {
			await this.take();
			this.changes++;
			this.version++;
			try {
				return await step();
			} catch (e) {
				if (!harmless.includes(e.name)) this.clear();
				throw e;
			} finally {
				this.changes--;
				this.version++;
			}
		}
	}

	return { Kept, parts };
})();
