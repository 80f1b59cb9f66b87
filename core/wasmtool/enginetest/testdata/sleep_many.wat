;; A poll of a thousand subscriptions, each for a day.
(module (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32))) (memory (export "memory") 4) (func (export "_start") (local $i i32)
  (loop $l (i64.store offset=24 (i32.mul (local.get $i) (i32.const 48)) (i64.const 86400000000000)) (i32.store offset=16 (i32.mul (local.get $i) (i32.const 48)) (i32.const 1)) (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000))))
  (drop (call $poll_oneoff (i32.const 0) (i32.const 65536) (i32.const 1000) (i32.const 131072)))))
