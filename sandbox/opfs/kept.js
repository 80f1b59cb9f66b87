// What is known of a tree of OPFS without asking the browser: which names
// there are, sizes, and the content of small files. Everything is written
// through: a change is in OPFS before it is answered, and what is kept here
// may be lost at any time.
//
// One worker of all tabs at a time may keep something: the one that has the
// lock. A change needs the lock too. Who wants it says so on the channel; who
// has it then ends its changes, forgets everything and gives the lock away.
// A worker without the lock asks the browser for everything. So nobody ever
// reads from memory what another tab has changed. A tab that dies loses the
// lock by itself, one that does not answer loses it after PATIENCE.
globalThis.golemKept = (() => {
	const NAME = "golem-files"; // of lock and channel
	const PATIENCE = 3000; // ms
	const SETTLES = [500, 4000]; // ms after which the last change of a dead tab is surely done
	const SMALL = 128 << 10; // bytes of a file whose content is kept
	const ROOM = 8 << 20; // bytes of all content
	const MOST = 30000; // entries
	const parts = (path) => {
		const i = path.lastIndexOf("/");
		return i < 0 ? [".", path] : [path.slice(0, i), path.slice(i + 1)];
	};

	class Kept {
		mine = false;
		version = 0; // rises with each change
		changes = 0; // under way
		logs = new Set(); // files that were opened for adding at their end

		// idle gives a promise for the end of the changes that are under way;
		// begins is called when the lock is given.
		constructor(idle, begins) {
			this.idle = idle;
			this.begins = begins;
			this.clear();
			this.channel = new BroadcastChannel(NAME);
			this.channel.onmessage = () => this.wanted();
			this.trying = this.request({ ifAvailable: true }); // one at a time: a second would wait for the first
		}

		// Files that only grow grow without the lock: here, and golem's own in any tab.
		grows(path) {
			return this.logs.has(path) || /(^|\/)\.golem\//.test(path);
		}

		clear() {
			this.version++;
			this.entries = new Map(); // path → null: not there; {kind, size, time, bytes}
			this.lists = new Map(); // directory → its names → "f" or "d"
			this.room = 0;
		}

		// request asks for the lock; false if it was not given.
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
					// Who asked before this worker could hear it still waits.
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

		// wanted gives the lock away, after the changes that are under way.
		async wanted() {
			if (!this.mine || this.giving) return;
			this.giving = true;
			await this.idle();
			this.giving = false;
			if (!this.mine) return;
			this.lose();
			this.release();
		}

		// take gets the lock, for a change.
		take() {
			if (!this.mine) this.trying = this.trying.then(() => this.mine || this.ask());
			return this.trying;
		}

		// ask waits for the lock, and takes it from a tab that does not answer.
		async ask() {
			this.channel.postMessage("wanted");
			if (!(await this.request({ signal: AbortSignal.timeout(PATIENCE) }))) await this.request({ steal: true });
		}

		// mark begins a look at OPFS; put keeps what was seen, unless something
		// changed since.
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

		// putList keeps a listing: "f" or "d", a name, "/".
		putList(mark, path, listing) {
			if (mark !== this.version) return;
			if (this.lists.size >= MOST) this.clear();
			this.lists.set(path, new Map(listing.split("/").slice(0, -1).map((item) => [item.slice(1), item[0]])));
		}

		// look is an entry as put keeps it; undefined where it is not known.
		look(path) {
			const known = this.entries.get(path);
			if (known !== undefined || path === ".") return known;
			const [up, base] = parts(path);
			if (this.entries.get(up) === null) return null;
			const kind = this.lists.get(up)?.get(base);
			if (kind === "d") return { kind };
			return kind || !this.lists.has(up) ? undefined : null;
		}

		list(path) {
			const names = this.lists.get(path);
			if (!names) return undefined;
			let out = "";
			for (const [name, kind] of names) out += kind + name + "/";
			return out;
		}

		// forget is for what stood at a path and below it.
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

		// made notes a new entry in the listings above it.
		made(path, kind) {
			for (let p = path; p !== "."; kind = "d") {
				const [up, base] = parts(p);
				if (this.entries.get(p) === null) this.entries.delete(p);
				this.lists.get(up)?.set(base, kind);
				p = up;
			}
		}

		// wrote, madeDirectory and removed note a change that was done. bytes may
		// be missing.
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

		// change runs a step that changes something. If it fails nothing is known
		// any more, unless the error's name says that nothing was changed.
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
