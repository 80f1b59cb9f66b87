// Files that only grow. Each write to one is a call of the system, and a run says
// many lines: those of a log that gathers are written together, before anybody
// can know of them. That is before golem waits for anything, before it asks
// OPFS for anything, and at the host's word (golemLogs.flush): a tab that dies loses
// no line of what golem had told or done.
globalThis.golemLogs = (() => {
	const ROOM = 64 << 10; // bytes that wait at most
	const waiting = new Set(); // logs with such bytes

	const flush = () => {
		for (const log of waiting) log.write();
		waiting.clear();
	};

	class Log {
		failure = ""; // the first one; nothing is written after it: a line may be half there
		size = 0; // bytes that wait

		// out is a FileSystemSyncAccessHandle.
		constructor(out) {
			this.out = out;
			this.at = out.getSize();
		}

		// put takes bytes and answers with the name of the first error there was.
		put(bytes, gathers) {
			if (this.size + bytes.length > ROOM) this.write();
			if (!gathers || bytes.length > ROOM) {
				this.pour(bytes);
			} else {
				if (!waiting.size) queueMicrotask(flush); // it runs when golem waits
				waiting.add(this);
				(this.room ??= new Uint8Array(ROOM)).set(bytes, this.size);
				this.size += bytes.length;
			}
			return (this.told = this.failure);
		}

		write() {
			this.pour(this.room?.subarray(0, this.size));
			this.size = 0;
		}

		pour(bytes) {
			try {
				while (!this.failure && bytes?.length) {
					const n = this.out.write(bytes, { at: this.at });
					this.at += n;
					if (n <= 0) this.failure = "QuotaExceededError";
					bytes = bytes.subarray(n);
				}
			} catch (e) {
				this.failure = e.name || "Error";
			}
		}

		// sync writes everything to the disk.
		sync() {
			this.write();
			try {
				this.out.flush();
			} catch (e) {
				this.failure ||= e.name || "Error";
			}
			return this.failure;
		}

		// close syncs and closes the file; it answers with an error that put has not told.
		close() {
			this.sync();
			this.out.close();
			this.room = undefined;
			return this.told ? "" : this.failure;
		}
	}

	return { Log, flush };
})();
