;; Writes "new" into the file that standard input names, {"p":"NAME"}, and exits with the error's number.
(module (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32))) (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1) (data (i32.const 0) "new") (data (i32.const 16) "\00\00\00\00\03\00\00\00") (data (i32.const 32) "\00\01\00\00\00\04\00\00")
  (func $must (param $e i32) (if (local.get $e) (then (call $exit (local.get $e)))))
  (func (export "_start") (call $must (call $read (i32.const 0) (i32.const 32) (i32.const 1) (i32.const 48)))
    (call $must (call $open (i32.const 3) (i32.const 0) (i32.const 262) (i32.sub (i32.load (i32.const 48)) (i32.const 8)) (i32.const 9) (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 64)))
    (call $must (call $write (i32.load (i32.const 64)) (i32.const 16) (i32.const 1) (i32.const 72)))
    (call $must (call $close (i32.load (i32.const 64))))))
