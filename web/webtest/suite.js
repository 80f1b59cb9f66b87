// Runs a Go test program, and posts its output and its exit code.
{
	const decoder = new TextDecoder();
	fs.writeSync = (fd, buf) => {
		postMessage({ text: decoder.decode(buf) });
		return buf.length;
	};
	// A test program asks for its working directory and may change it; there is none.
	process.cwd = () => "/";
	process.chdir = () => {};
	self.onmessage = async ({ data }) => {
		const go = new Go();
		go.argv = ["suite", ...data.args];
		go.env = { RAPID_SEED: "1" }; // as .ci/check.sh
		go.exit = (code) => {
			postMessage({ code });
			close(); // a timer of the ended program would throw an error
		};
		const instance = await WebAssembly.instantiate(data.module, go.importObject);
		self.golemMemory = () => instance.exports.mem;
		await go.run(instance);
	};
}
