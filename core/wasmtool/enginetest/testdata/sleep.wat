;; A poll that would sleep for a day.
(module (import "wasi_snapshot_preview1" "poll_oneoff" (func $p (param i32 i32 i32 i32) (result i32))) (memory (export "memory") 1) (data (i32.const 16) "\01\00\00\00") (data (i32.const 24) "\00\00\dd\0e\e9\4e\00\00")
  (func (export "_start") (drop (call $p (i32.const 0) (i32.const 256) (i32.const 1) (i32.const 512)))))
