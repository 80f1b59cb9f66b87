// dies starts a worker that writes one file again and again, old content and
// new in turn, kills it in the middle of it, and tells what is there then.
async function dies(opfs, ms) {
	const source = opfs + `;
		(async () => {
			const root = await navigator.storage.getDirectory();
			const waiting = new Map();
			const tree = golemOPFS(root, (id, error) => waiting.get(id)(error));
			const contents = [new Uint8Array(300000).fill(97), new Uint8Array(500000).fill(98)];
			for (let id = 1; ; id++) {
				const error = await new Promise((resolve) => {
					waiting.set(id, resolve);
					tree.run(id, "write", "dir/file", contents[id % 2]);
				});
				postMessage(error);
			}
		})();`;
	const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
	let writes = 0;
	const begun = new Promise((resolve, reject) => {
		worker.onmessage = ({ data }) => {
			if (data) reject(new Error("a write failed: " + data));
			else if (++writes === 2) resolve();
		};
		worker.onerror = (e) => reject(new Error(e.message));
	});
	await begun;
	await new Promise((resolve) => setTimeout(resolve, ms));
	worker.terminate();
	const root = await navigator.storage.getDirectory();
	const dir = await root.getDirectoryHandle("dir");
	for (let tries = 0; ; tries++) {
		try {
			const file = await (await dir.getFileHandle("file")).getFile();
			const data = new Uint8Array(await file.arrayBuffer());
			const whole = data.length === 300000 && data.every((b) => b === 97) || data.length === 500000 && data.every((b) => b === 98);
			return whole ? "" : `a mix of ${data.length} bytes after ${writes} writes`;
		} catch (e) {
			// The last operation of the dead worker may still be under way.
			if (tries === 20) return e.name;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}
}
