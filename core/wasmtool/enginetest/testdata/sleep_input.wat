;; A poll for something to read on standard input, in a loop.
(module (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32))) (memory (export "memory") 1) (data (i32.const 8) "\01") (func (export "_start") (loop $l (drop (call $poll_oneoff (i32.const 0) (i32.const 256) (i32.const 1) (i32.const 512))) (br $l))))
