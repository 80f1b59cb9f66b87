// Runs a Go test program: its output and its exit code are posted.
{
	const decoder = new TextDecoder();
	fs.writeSync = (fd, buf) => {
		postMessage({ text: decoder.decode(buf) });
		return buf.length;
	};
	// A test program asks where it is, and may ask for more; there is nothing.
	process.cwd = () => "/";
	process.chdir = () => {};
	self.onmessage = async ({ data }) => {
		const go = new Go();
		go.argv = ["suite", ...data.args];
		go.env = { RAPID_SEED: "1" }; // as .ci/check.sh
		go.exit = (code) => {
			postMessage({ code });
			close(); // a timer of the program's would find that it has ended, which is an error
		};
		const instance = await WebAssembly.instantiate(data.module, go.importObject);
		self.golemMemory = () => instance.exports.mem;
		await go.run(instance);
	};
}
