;; A poll of no time at all in a loop.
(module (import "wasi_snapshot_preview1" "poll_oneoff" (func $p (param i32 i32 i32 i32) (result i32))) (memory (export "memory") 1) (data (i32.const 16) "\01\00\00\00")
  (func (export "_start") (loop $l (drop (call $p (i32.const 0) (i32.const 256) (i32.const 1) (i32.const 512))) (br $l))))
