// Finding things in a tree of OPFS, and keeping their handles: every look-up
// is a message to another process. What was replaced or moved meanwhile is
// looked up again. opfs.js makes a file system of it.
globalThis.golemHandles = (() => {
	const KEPT = 1000; // handles of files that a tree keeps

	class Refusal extends Error {
		constructor(name) { super(name); this.name = name; }
	}
	// The old content of a file that was replaced: Firefox says AbortError.
	const outdated = (e) => e.name === "NotReadableError" || e.name === "AbortError";
	const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
	const cut = (path) => {
		const i = path.lastIndexOf("/");
		return i < 0 ? [".", path] : [path.slice(0, i), path.slice(i + 1)];
	};
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
		constructor(root, shared) {
			this.root = root;
			// shared by all trees of one root: the room for unfinished writes,
			// and the order of changes.
			this.shared = shared || { home: root, temp: null, order: Promise.resolve(), moves: 0, moving: null };
			this.known = new Map([[".", root]]); // directories' handles by path
			this.files = new Map(); // files' handles by path
		}

		// dir is the handle of a directory; handles are kept.
		async dir(path, create) {
			const have = this.known.get(path);
			if (have) return have;
			const [up, base] = cut(path);
			const parent = await this.dir(up, create);
			let handle;
			try {
				handle = await parent.getDirectoryHandle(base, { create });
			} catch (e) {
				throw e.name === "TypeMismatchError" ? new Refusal("NotDirectory") : e;
			}
			this.known.set(path, handle);
			return handle;
		}

		// fresh runs a step; if a handle was an old one, once more.
		async fresh(step) {
			try {
				return await step();
			} catch (e) {
				if (e.name !== "NotFoundError" && e.name !== "TypeMismatchError") throw e;
				if (this.known.size === 1 && this.files.size === 0) throw e;
				this.known = new Map([[".", this.root]]);
				this.files.clear();
				return step();
			}
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
			for (const kept of [this.known, this.files]) {
				for (const p of kept.keys()) if (p === path || p.startsWith(path + "/")) kept.delete(p);
			}
		}

		async file(path) {
			const have = this.files.get(path);
			if (have) return have;
			const [up, base] = cut(path);
			const dir = await this.dir(up, false);
			const handle = await dir.getFileHandle(base);
			if (this.files.size >= KEPT) this.files.clear();
			this.files.set(path, handle);
			return handle;
		}

		// entry is a file's or directory's handle.
		async entry(path) {
			if (path === ".") return this.root;
			try {
				return await this.file(path);
			} catch (e) {
				if (e.name === "TypeMismatchError") return this.dir(path, false);
				throw e;
			}
		}

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
