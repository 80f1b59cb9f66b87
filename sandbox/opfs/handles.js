// Finding things in a tree of OPFS, and keeping their handles: every look-up
// is a message to another process. What was replaced or moved meanwhile is
// looked up again. opfs.js makes a file system of it.
globalThis.golemHandles = (() => {
	const KEPT = 1000; // handles of files that are kept

	class Refusal extends Error {
		constructor(name) { super(name); this.name = name; }
	}
	// The old content of a file that was replaced: Firefox says AbortError, Chromium also
	// NotFoundError (found calls that Gone).
	const outdated = (e) => e.name === "NotReadableError" || e.name === "AbortError" || e.name === "Gone";
	const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
	const { Kept, parts: cut } = globalThis.golemKept;
	const hidden = (name) => name.startsWith(".golem-tmp-") || name.endsWith(".crswap");

	// again repeats what fails because another handle is just being closed, or
	// because the file was replaced between looking and reading.
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
	const changing = (step) => again(["NoModificationAllowedError"], step);

	class Handles {
		// home is the handle of the whole tree, at what this one shows of it. Both
		// engines' handles are paths too: what is made anew at a path is found
		// through an old handle.
		constructor(home, at, shared) {
			this.at = at;
			if (shared) {
				this.shared = shared;
				return;
			}
			// shared by all trees of one home: the room for unfinished writes, the
			// order of changes, handles by path, and what is known.
			this.shared = { home, temp: null, order: Promise.resolve(), moves: 0, moving: null, known: new Map([[".", home]]), files: new Map() };
			this.shared.kept = new Kept(() => this.shared.order, () => this.letGo());
		}

		// from is a path of this tree as one of the whole.
		from(path) {
			return this.at === "." ? path : path === "." ? this.at : `${this.at}/${path}`;
		}

		// dir is the handle of a directory; handles are kept.
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

		// fresh runs a step; if a handle was an old one, once more. Handles are as
		// old as this worker's right to keep something, while it has that right.
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

		letGo() {
			const { known, files, home } = this.shared;
			known.clear();
			known.set(".", home);
			files.clear();
		}

		// seen runs a reading step. A file that is replaced meanwhile is not there
		// for a moment, or its old content can no longer be read: then again.
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

		// found runs a reading step with the handle of what stands at a path of the
		// whole. What has a handle and then is not there was replaced or removed
		// since, here or in another tab: seen looks for it again.
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

		// move puts a file in its place.
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

		// entry is a file's or directory's handle.
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

		// names lists a directory: "f" or "d", a name, "/", for each.
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
