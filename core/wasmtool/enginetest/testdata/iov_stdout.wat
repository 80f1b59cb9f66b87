;; The same to standard output: its limit ends it.
(module (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32))) (memory (export "memory") 1024) (func (export "_start") (memory.fill (i32.const 0) (i32.const 1) (i32.const 62914560)) (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 7000000) (i32.const 62914560)))))
