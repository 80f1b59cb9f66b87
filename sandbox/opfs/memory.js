// This file implements a directory handle whose files are in memory, for browsers
// and private windows that provide no storage. The files are lost when the worker
// ends. It has the part of OPFS that handles.js, reads.js and opfs.js use, with the
// same errors. As in OPFS, a handle stands for a path: it leads to the file that is
// there when the handle is used.
globalThis.golemMemoryRoot = (() => {
	const refuse = (name) => { throw new DOMException("", name); };

	// Nodes of the tree: a directory has items, a file has data.
	const directory = () => ({ items: new Map() });
	const file = () => ({ data: new Uint8Array(0), size: 0, time: Date.now(), busy: false });
	const kind = (node) => (node.items ? "directory" : "file");

	class Handle {
		// at returns the node of the directory that contains name.
		constructor(at, name) { this.at = at; this.name = name; }

		node() {
			const node = this.at().items.get(this.name) ?? refuse("NotFoundError");
			return kind(node) === this.kind ? node : refuse("TypeMismatchError");
		}
	}

	class FileHandle extends Handle {
		kind = "file";

		async getFile() {
			const f = this.node();
			return new File([f.data.subarray(0, f.size)], this.name, { lastModified: f.time });
		}

		async createSyncAccessHandle({ mode } = {}) {
			const f = this.node();
			if (f.busy) refuse("NoModificationAllowedError");
			const writes = mode !== "read-only";
			f.busy = writes;
			return new Access(f, writes);
		}

		async move(dir, name) {
			const f = this.node();
			const to = dir.node().items;
			const there = to.get(name);
			if (f.busy || there?.busy) refuse("NoModificationAllowedError");
			if (there?.items) refuse("TypeMismatchError");
			this.at().items.delete(this.name);
			to.set(name, f);
			this.at = () => dir.node();
			this.name = name;
		}
	}

	class Access {
		constructor(file, writes) { this.file = file; this.writes = writes; }
		getSize() { return this.file.size; }

		read(into, { at }) {
			const part = this.file.data.subarray(at, Math.min(this.file.size, at + into.length));
			into.set(part);
			return part.length;
		}

		write(bytes, { at }) {
			const f = this.file;
			if (at + bytes.length > f.data.length) {
				const grown = new Uint8Array(Math.max(at + bytes.length, 2 * f.size));
				grown.set(f.data.subarray(0, f.size));
				f.data = grown;
			}
			f.data.set(bytes, at);
			f.size = Math.max(f.size, at + bytes.length);
			f.time = Date.now();
			return bytes.length;
		}

		truncate(size) {
			const f = this.file;
			const cut = new Uint8Array(size);
			cut.set(f.data.subarray(0, Math.min(size, f.size)));
			f.data = cut;
			f.size = size;
			f.time = Date.now();
		}

		flush() {}

		close() {
			if (this.writes) this.file.busy = this.writes = false;
		}
	}

	class DirectoryHandle extends Handle {
		kind = "directory";

		get(Kind, make, name, create) {
			const { items } = this.node();
			if (!items.has(name)) {
				if (!create) refuse("NotFoundError");
				items.set(name, make());
			}
			const handle = new Kind(() => this.node(), name);
			handle.node();
			return handle;
		}

		async getFileHandle(name, { create } = {}) { return this.get(FileHandle, file, name, create); }
		async getDirectoryHandle(name, { create } = {}) { return this.get(DirectoryHandle, directory, name, create); }

		async removeEntry(name, { recursive } = {}) {
			const { items } = this.node();
			const node = items.get(name) ?? refuse("NotFoundError");
			if (node.busy) refuse("NoModificationAllowedError");
			if (node.items?.size && !recursive) refuse("InvalidModificationError");
			items.delete(name);
		}

		async *entries() {
			for (const [name, node] of [...this.node().items]) yield [name, new (node.items ? DirectoryHandle : FileHandle)(() => this.node(), name)];
		}

		async *keys() { yield* [...this.node().items.keys()]; }
	}

	return () => {
		const above = { items: new Map([["", directory()]]) };
		return new DirectoryHandle(() => above, "");
	};
})();
