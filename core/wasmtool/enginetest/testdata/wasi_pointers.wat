;; Wrong pointers, counts and lengths for many functions: errors, no failure.
(module (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "fd_read" (func $r (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $rnd (param i32 i32) (result i32))) (import "wasi_snapshot_preview1" "clock_time_get" (func $clk (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32))) (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32))) (memory (export "memory") 1)
  (func (export "_start") (drop (call $w (i32.const 1) (i32.const 65535) (i32.const 1) (i32.const 0))) (drop (call $r (i32.const 0) (i32.const -1) (i32.const 2) (i32.const 0)))
    (drop (call $rnd (i32.const 65535) (i32.const 100))) (drop (call $clk (i32.const 99) (i64.const 0) (i32.const 0))) (drop (call $clk (i32.const 0) (i64.const 0) (i32.const 65535)))
    (drop (call $args (i32.const -1) (i32.const -1))) (drop (call $close (i32.const 12345))) (drop (call $close (i32.const -1)))))
