;; A poll of 2^28 subscriptions: their size in bytes overflows to 0 in 32 bits.
(module (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32))) (memory (export "memory") 1) (func (export "_start") (if (call $poll_oneoff (i32.const 0) (i32.const 256) (i32.const 0x10000000) (i32.const 512)) (then (unreachable)))))
