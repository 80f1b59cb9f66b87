;; Writes "ok" to standard output.
(module (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32))) (memory (export "memory") 1) (data (i32.const 16) "ok") (data (i32.const 0) "\10\00\00\00\02\00\00\00")
  (func (export "_start") (drop (call $w (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)))))
