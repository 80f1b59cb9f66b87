// This file finds files and directories in a tree of OPFS and caches their
// handles, because every look-up is a message to another process. A handle that
// became invalid, because its file was replaced or moved, is looked up again.
// reads.js and opfs.js build the file system on it.
globalThis.golemHandles = (() => {
	const KEPT = 1000; // the most file handles in the cache

	// Refusal is an error with a name like a DOMException's, for failures that the
	// browser does not report itself.
	class Refusal extends Error {
		constructor(name) { super(name); this.name = name; }
	}
	// outdated reports whether an error means that a file was replaced and its old
	// content can no longer be read. Firefox reports AbortError, Chromium also
	// NotFoundError, which found changes to Gone.
	const outdated = (e) => e.name === "NotReadableError" || e.name === "AbortError" || e.name === "Gone";
	const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
	const { Kept, parts: cut } = globalThis.golemKept;
	const hidden = (name) => name.startsWith(".golem-tmp-") || name.endsWith(".crswap");

	// again runs a step and repeats it, up to 20 times, if it fails with one of these
	// errors.
	async function again(names, step) {
		for (let i = 0; ; i++) {
			try {
				return await step();
			} catch (e) {
				if (i >= 20 || !names.includes(e.name)) throw e;
				await pause(i);
			}
		}
	}
	// changing repeats a step that fails because another handle of the file is just
	// being closed.
	const changing = (step) => again(["NoModificationAllowedError"], step);

	class Handles {
		// home is the handle of the whole tree; at is the path in it where this tree
		// begins. In both engines a handle stands for a path: if a file is created
		// again at its path, an old handle leads to the new file.
		constructor(home, at, shared) {
			this.at = at;
			if (shared) {
				this.shared = shared;
				return;
			}
			// shared is the common state of all trees of one home: the directory of
			// unfinished writes (temp), the queue of changes (order), the current move,
			// handles by path (known, files) and the cache (kept).
			this.shared = { home, temp: null, order: Promise.resolve(), moves: 0, moving: null, known: new Map([[".", home]]), files: new Map() };
			this.shared.kept = new Kept(() => this.shared.order, () => this.letGo());
		}

		// from returns a path of this tree as a path of the whole tree.
		from(path) {
			return this.at === "." ? path : path === "." ? this.at : `${this.at}/${path}`;
		}

		// dir returns the handle of a directory of the whole tree, and caches it. With
		// create, it creates the directory and its parents.
		async dir(path, create) {
			const have = this.shared.known.get(path);
			if (have) return have;
			const [up, base] = cut(path);
			const parent = await this.dir(up, create);
			let handle;
			try {
				handle = await parent.getDirectoryHandle(base, { create });
			} catch (e) {
				throw e.name === "TypeMismatchError" ? new Refusal("NotDirectory") : e;
			}
			this.shared.known.set(path, handle);
			return handle;
		}

		// fresh runs a step, and runs it again without cached handles if it fails
		// because a handle may be outdated. While this worker has the lock of kept.js,
		// cached handles cannot be outdated: they were cleared when it got the lock.
		async fresh(step) {
			try {
				return await step();
			} catch (e) {
				if (e.name !== "NotFoundError" && e.name !== "TypeMismatchError") throw e;
				if (this.shared.kept.mine || this.shared.known.size === 1 && this.shared.files.size === 0) throw e;
				this.letGo();
				return step();
			}
		}

		// letGo clears the cached handles.
		letGo() {
			const { known, files, home } = this.shared;
			known.clear();
			known.set(".", home);
			files.clear();
		}

		// seen runs a reading step. If a file is replaced meanwhile, it does not exist
		// for a moment, or its old content can no longer be read; then seen repeats
		// the step, up to 20 times.
		async seen(step) {
			for (let i = 0; ; i++) {
				const before = this.shared.moves;
				try {
					await this.shared.moving;
					return await this.fresh(step);
				} catch (e) {
					const moved = this.shared.moves !== before;
					if (i >= 20 || !outdated(e) && !(e.name === "NotFoundError" && moved)) throw e;
					await pause(i);
				}
			}
		}

		// found runs a reading step with the handle of the file or directory at a path
		// of the whole tree. If there was a handle and the step does not find the file,
		// the file was replaced or removed, here or in another tab. Then found throws
		// Gone, and seen looks for the file again.
		async found(at, step) {
			const handle = await this.entry(at);
			try {
				return await step(handle);
			} catch (e) {
				if (e.name !== "NotFoundError" || at === ".") throw e;
				this.forget(at);
				throw new Refusal("Gone");
			}
		}

		// move renames a file to base in dir. Reading steps wait for it (moving), or
		// notice it (moves).
		async move(handle, dir, base) {
			this.shared.moves++;
			this.shared.moving = changing(() => handle.move(dir, base)).finally(() => {
				this.shared.moves++;
				this.shared.moving = null;
			});
			const done = this.shared.moving;
			this.shared.moving = done.catch(() => {});
			await done;
		}

		// forget removes the handles of a path, and of everything below it, from the
		// cache.
		forget(path) {
			for (const handles of [this.shared.known, this.shared.files]) {
				for (const p of handles.keys()) if (p === path || p.startsWith(path + "/")) handles.delete(p);
			}
		}

		async file(path) {
			const { files } = this.shared;
			const have = files.get(path);
			if (have) return have;
			const [up, base] = cut(path);
			const dir = await this.dir(up, false);
			const handle = await dir.getFileHandle(base);
			if (files.size >= KEPT) files.clear();
			files.set(path, handle);
			return handle;
		}

		// entry returns the handle of the file or directory at a path.
		async entry(path) {
			const { known, kept } = this.shared;
			if (path === "." || kept.mine && known.has(path)) return known.get(path);
			try {
				return await this.file(path);
			} catch (e) {
				if (e.name === "TypeMismatchError") return this.dir(path, false);
				throw e;
			}
		}

		// names lists a directory: a string with "f" or "d", the name and "/" for each
		// entry.
		async names(handle) {
			for (let i = 0; ; i++) {
				const before = this.shared.moves;
				let out = "";
				for await (const [name, h] of handle.entries()) {
					if (!hidden(name)) out += (h.kind === "file" ? "f" : "d") + name + "/";
				}
				if (this.shared.moves === before || i >= 3) return out;
				await this.shared.moving;
			}
		}
	}

	return { Handles, Refusal, changing, cut, outdated };
})();
