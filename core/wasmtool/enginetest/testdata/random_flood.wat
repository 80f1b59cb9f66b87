;; Sixty MiB of random numbers at a time, in a loop.
(module (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32))) (memory (export "memory") 1024) (func (export "_start") (loop $l (drop (call $random_get (i32.const 0) (i32.const 62914560))) (br $l))))
