// dies starts a worker that writes two contents to one file in turn, kills it after ms
// milliseconds, and returns what is wrong with the file then, or "".
async function dies(opfs, ms) {
	const { worker, wrote, count } = writer(opfs, "dir/file");
	await wrote(2);
	await new Promise((resolve) => setTimeout(resolve, ms));
	worker.terminate();
	return whole("dir", "file", count);
}

// writer starts a worker that writes one file until it is terminated. wrote(n) waits for
// its nth write and throws the first error of a write.
function writer(opfs, path) {
	const source = opfs + `;
		(async () => {
			const root = await navigator.storage.getDirectory();
			const waiting = new Map();
			const tree = golemOPFS(root, (id, error) => waiting.get(id)(error));
			const contents = [new Uint8Array(300000).fill(97), new Uint8Array(500000).fill(98)];
			for (let id = 1; ; id++) {
				const error = await new Promise((resolve) => {
					waiting.set(id, resolve);
					tree.run(id, "write", ${JSON.stringify(path)}, contents[id % 2]);
				});
				postMessage(error);
			}
		})();`;
	const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
	let writes = 0, failed = null;
	const waiting = new Set();
	const look = () => { for (const w of waiting) w(); };
	worker.onmessage = ({ data }) => {
		if (data) failed ||= new Error("a write failed: " + data);
		else writes++;
		look();
	};
	worker.onerror = (e) => { failed ||= new Error(e.message); look(); };
	const wrote = (n) => new Promise((resolve, reject) => {
		const w = () => {
			if (failed) reject(failed);
			else if (writes >= n) resolve();
			else return;
			waiting.delete(w);
		};
		waiting.add(w);
		w();
	});
	return { worker, wrote, count: () => writes };
}

// whole returns "" if the file has one of the writer's two contents, otherwise what is
// wrong.
async function whole(dirName, name, count) {
	const root = await navigator.storage.getDirectory();
	const dir = await root.getDirectoryHandle(dirName);
	for (let tries = 0; ; tries++) {
		try {
			const file = await (await dir.getFileHandle(name)).getFile();
			const data = new Uint8Array(await file.arrayBuffer());
			const good = data.length === 300000 && data.every((b) => b === 97) || data.length === 500000 && data.every((b) => b === 98);
			return good ? "" : `a mix of ${data.length} bytes after ${count()} writes`;
		} catch (e) {
			// The last operation of the dead worker may still be under way.
			if (tries === 10000) return e.name;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}
}

// sweeps kills some writers while another one keeps writing, and sweeps until no files
// of the dead ones are left. It returns "" or what is wrong.
async function sweeps(opfs) {
	(0, eval)(opfs);
	const root = await navigator.storage.getDirectory();
	const waiting = new Map();
	let id = 0;
	const tree = golemOPFS(root, (id, error) => waiting.get(id)(error));
	const sweep = () => new Promise((resolve, reject) => {
		waiting.set(++id, (error) => error ? reject(new Error(error)) : resolve());
		tree.run(id, "sweep");
	});
	const room = await root.getDirectoryHandle(".golem-tmp-opfs");
	const owners = async () => {
		const out = new Set();
		for await (const name of room.keys()) out.add(name.split("-")[0]);
		return out;
	};
	await room.getFileHandle("dead-1", { create: true }); // an unfinished write, in case no kill leaves one
	const living = writer(opfs, "dir/living");
	await living.wrote(1);
	for (let i = 0; i < 5; i++) {
		const failure = await dies(opfs, i);
		if (failure) return failure;
		await sweep();
	}
	// The browser frees the locks of dead workers after an unknown time.
	for (let left = await owners(); left.size > 1 || left.has("dead"); left = await owners()) await sweep();
	let enough = false;
	const wrote = living.wrote(living.count() + 60).finally(() => { enough = true; });
	while (!enough) await sweep();
	await wrote;
	living.worker.terminate();
	return "";
}

// outlived kills writers while another worker reads and caches their file, and waits
// until the reader sees the real content. It returns "" or what is wrong.
async function outlived(opfs) {
	(0, eval)(opfs);
	const root = await navigator.storage.getDirectory();
	const waiting = new Map();
	let id = 0;
	const tree = golemOPFS(root, (id, error, value) => waiting.get(id)([error, value]));
	const run = async (...args) => {
		const told = new Promise((resolve) => waiting.set(++id, resolve));
		const [error, value] = tree.run(id, ...args) ?? await told;
		if (error) throw new Error(error);
		return value;
	};
	for (let i = 0; i < 10; i++) {
		const { worker, wrote } = writer(opfs, "dir/outlived");
		await wrote(1);
		const [before] = await run("read", "dir/outlived", 1 << 30);
		await wrote(2);
		worker.terminate();
		await run("lock", "any" + i); // from here on the reader may cache what it reads
		for (;;) { // the last write of the dead one may still be under way
			const [[kept], stat] = [await run("read", "dir/outlived", 1 << 30), await run("stat", "dir/outlived")];
			const file = await (await (await root.getDirectoryHandle("dir")).getFileHandle("outlived")).getFile().catch(() => null);
			if (file && kept.length === file.size && stat[1] === file.size && kept.every((b) => b === kept[0])) break;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
		if (before.length !== 300000 && before.length !== 500000) return `read ${before.length} bytes beside a writer`;
	}
	return "";
}

// replaced reads a file whose content fails to be read so many times, as if another
// worker had just replaced it. It returns "" if the content is read in the end, otherwise
// what is wrong.
async function replaced(opfs, times) {
	(0, eval)(opfs);
	const root = await navigator.storage.getDirectory();
	const waiting = new Map();
	let id = 0;
	const tree = golemOPFS(root, (id, error, value) => waiting.get(id)([error, value]));
	const run = (...args) => {
		const told = new Promise((resolve) => waiting.set(++id, resolve));
		return tree.run(id, ...args) ?? told;
	};
	const dir = await root.getDirectoryHandle("dir", { create: true });
	const out = await (await dir.getFileHandle("replaced", { create: true })).createWritable();
	await out.write(new Uint8Array(300000).fill(97)); // too big for the cache
	await out.close();
	const real = Blob.prototype.arrayBuffer;
	try {
		for (const op of ["read", "open"]) {
			let left = times;
			Blob.prototype.arrayBuffer = function () {
				return left-- > 0 ? Promise.reject(new DOMException("it is gone", "NotFoundError")) : real.call(this);
			};
			const [error, value] = await run(op, "dir/replaced", 1 << 30);
			if (error) return `${op}: ${error}`;
			if (!value.some((part) => part instanceof Uint8Array && part.length > 200000)) return `${op}: another content`;
		}
	} finally {
		Blob.prototype.arrayBuffer = real;
	}
	const [error] = await run("read", "dir/none", 1 << 30);
	return error === "NotFoundError" ? "" : "of a file that is not there: " + error;
}

// logged kills workers that write buffered lines and report them after a flush. It
// returns "" if the file has every reported line and no incomplete one, otherwise what is
// wrong.
async function logged(opfs) {
	const source = opfs + `;
		(async () => {
			const root = await navigator.storage.getDirectory();
			const waiting = new Map();
			const tree = golemOPFS(root, (id, error, value) => waiting.get(id)([error, value]));
			const told = new Promise((resolve) => waiting.set(1, resolve));
			const [error, log] = tree.run(1, "append", "dir/log") ?? await told;
			if (error) throw new Error(error);
			for (let n = 1; ; n++) {
				const failure = tree.put(log, new TextEncoder().encode("line " + n + "\\n"), 0, 0, true);
				if (failure) throw new Error(failure);
				if (n % 3) continue;
				golemLogs.flush();
				postMessage(n);
			}
		})();`;
	const dir = await (await navigator.storage.getDirectory()).getDirectoryHandle("dir", { create: true });
	// An earlier attempt that ended early may have left a log, which its dead worker may
	// still have open.
	while (!(await dir.removeEntry("log").then(() => true, (e) => e.name === "NotFoundError"))) await new Promise((resolve) => setTimeout(resolve, 20));
	for (let i = 1; i <= 5; i++) {
		const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
		let last = 0;
		await new Promise((resolve, reject) => {
			worker.onmessage = ({ data }) => { if ((last = data) >= 30 * i) resolve(); };
			worker.onerror = (e) => reject(new Error(e.message));
		});
		worker.terminate();
		const file = await dir.getFileHandle("log");
		while (!(await file.move(dir, "log" + i).then(() => true, () => false))) await new Promise((resolve) => setTimeout(resolve, 20)); // the dead one still has it
		const text = await (await (await dir.getFileHandle("log" + i)).getFile()).text();
		const lines = text.split("\n").slice(0, -1);
		if (lines.length < last || lines.some((line, n) => line !== "line " + (n + 1))) return `${lines.length} lines of ${last}, the last is ${lines.at(-1)}`;
	}
	return "";
}
