;; A write of seven million empty vectors to standard output, which must report 0 bytes.
(module (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32))) (memory (export "memory") 1000) (func (export "_start")
  (if (call $fd_write (i32.const 1) (i32.const 0) (i32.const 7000000) (i32.const 60000000)) (then (call $proc_exit (i32.const 1)))) (if (i32.load (i32.const 60000000)) (then (call $proc_exit (i32.const 2))))))
