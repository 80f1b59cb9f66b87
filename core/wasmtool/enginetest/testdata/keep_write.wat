;; Writes into in.txt, which the first call truncates, and leaves it open; traps if there is input. What a call that returned has written is there when it ends.
(module (import "wasi_snapshot_preview1" "path_open" (func $o (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32))) (import "extism:host/env" "input_length" (func $n (result i64)))
  (memory (export "memory") 1) (data (i32.const 0) "in.txt") (data (i32.const 16) "new") (data (i32.const 32) "\10\00\00\00\03\00\00\00")
  (func (export "run") (result i32) (local $e i32)
    (if (i32.eqz (i32.load (i32.const 64))) (then (local.set $e (call $o (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 6) (i32.const 8) (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 64)))))
    (if (local.get $e) (then (return (local.get $e)))) (local.set $e (call $w (i32.load (i32.const 64)) (i32.const 32) (i32.const 1) (i32.const 72)))
    (if (i64.ne (call $n) (i64.const 0)) (then (unreachable))) (local.get $e)))
