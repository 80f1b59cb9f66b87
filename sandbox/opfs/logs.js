// This file implements files that only grow. Each write is a system call, and a run
// writes many lines, so a log that gathers buffers its lines. The buffer is written
// before golem waits for anything, before it calls OPFS, and when the host calls
// golemLogs.flush. So a tab that dies loses no line about something that golem had
// already done or shown.
globalThis.golemLogs = (() => {
	const ROOM = 64 << 10; // the most bytes in a buffer
	const waiting = new Set(); // logs whose buffer is not empty

	const flush = () => {
		for (const log of waiting) log.write();
		waiting.clear();
	};

	class Log {
		failure = ""; // the name of the first error; nothing is written after it, because a line may be incomplete
		size = 0; // bytes in the buffer

		// out is a FileSystemSyncAccessHandle.
		constructor(out) {
			this.out = out;
			this.at = out.getSize();
		}

		// put writes or buffers bytes and returns the name of the first error so far,
		// or "".
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

		// write writes the buffer to the file.
		write() {
			this.pour(this.room?.subarray(0, this.size));
			this.size = 0;
		}

		// pour appends bytes to the file.
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

		// sync writes the buffer and flushes the file to the disk.
		sync() {
			this.write();
			try {
				this.out.flush();
			} catch (e) {
				this.failure ||= e.name || "Error";
			}
			return this.failure;
		}

		// close syncs and closes the file. It returns the first error, or "" if put has
		// already returned an error.
		close() {
			this.sync();
			this.out.close();
			this.room = undefined;
			return this.told ? "" : this.failure;
		}
	}

	return { Log, flush };
})();
