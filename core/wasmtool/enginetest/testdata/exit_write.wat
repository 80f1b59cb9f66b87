;; Truncates in.txt, writes into it and exits with 1 before closing: the old content stays, as after a trap.
(module (import "wasi_snapshot_preview1" "path_open" (func $o (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1) (data (i32.const 0) "in.txt") (data (i32.const 16) "new") (data (i32.const 32) "\10\00\00\00\03\00\00\00")
  (func (export "_start") (drop (call $o (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 6) (i32.const 8) (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 64)))
    (drop (call $w (i32.load (i32.const 64)) (i32.const 32) (i32.const 1) (i32.const 72))) (call $exit (i32.const 1))))
