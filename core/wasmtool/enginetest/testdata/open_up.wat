;; Opens ../../etc/passwd.
(module (import "wasi_snapshot_preview1" "path_open" (func $o (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32))) (memory (export "memory") 1) (data (i32.const 0) "../../etc/passwd")
  (func (export "_start") (call $exit (call $o (i32.const 3) (i32.const 1) (i32.const 0) (i32.const 16) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 64)))))
