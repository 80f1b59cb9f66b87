;; A read whose first buffer is the second vector: the bytes read first change the address of the second buffer.
(module (import "wasi_snapshot_preview1" "path_open" (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32))) (memory (export "memory") 1)
  (data (i32.const 0) "in.txt") (data (i32.const 16) "\18\00\00\00\08\00\00\00\00\02\00\00\04\00\00\00") (data (i32.const 48) "\00\01\00\00\04\00\00\00")
  (func (export "_start") (if (call $path_open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 6) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 64)) (then (call $proc_exit (i32.const 1))))
    (if (call $fd_read (i32.load (i32.const 64)) (i32.const 16) (i32.const 2) (i32.const 72)) (then (call $proc_exit (i32.const 2))))
    (drop (call $fd_write (i32.const 1) (i32.const 48) (i32.const 1) (i32.const 72)))))
