;; A poll until a time of day, in the past: it does not wait.
(module (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32))) (memory (export "memory") 1) (data (i32.const 24) "\01") (data (i32.const 40) "\01") (func (export "_start") (drop (call $poll_oneoff (i32.const 0) (i32.const 256) (i32.const 1) (i32.const 512)))))
