// These are the operations with which the benchmarks compare golem, in plain
// JavaScript as a page would write them: n times each, one after the other.
globalThis.plain = {
	bytes: (size) => new Uint8Array(size).fill(7),
	async write(dir, n) {
		const data = plain.bytes(4096);
		for (let i = 0; i < n; i++) {
			const file = await dir.getFileHandle("js" + i, { create: true });
			const out = await file.createWritable();
			await out.write(data);
			await out.close();
		}
	},
	async read(dir, n) {
		for (let i = 0; i < n; i++) {
			const file = await dir.getFileHandle("file");
			const data = new Uint8Array(await (await file.getFile()).arrayBuffer());
			if (data.length !== 4096) throw new Error("short");
		}
	},
	async list(dir, n) {
		for (let i = 0; i < n; i++) {
			let count = 0;
			for await (const [name, handle] of dir.entries()) count += name && handle.kind === "file" ? 1 : 0;
			if (count !== 1000) throw new Error("listed " + count);
		}
	},
	async bigWrite(dir, n, size) {
		const data = plain.bytes(size);
		for (let i = 0; i < n; i++) {
			const file = await dir.getFileHandle("big-js", { create: true });
			const out = await file.createSyncAccessHandle();
			out.truncate(0);
			out.write(data, { at: 0 });
			out.flush();
			out.close();
		}
	},
	async bigRead(dir, n) {
		for (let i = 0; i < n; i++) {
			const file = await dir.getFileHandle("big");
			const out = await file.createSyncAccessHandle();
			const data = new Uint8Array(out.getSize());
			if (out.read(data, { at: 0 }) !== data.length) throw new Error("short");
			out.close();
		}
	},
	async bigReadBlob(dir, n) {
		for (let i = 0; i < n; i++) {
			const file = await dir.getFileHandle("big");
			new Uint8Array(await (await file.getFile()).arrayBuffer());
		}
	},
};
