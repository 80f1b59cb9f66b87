;; Three hundred sleeps of a nanosecond each: each has ended before it is checked.
(module (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32))) (memory (export "memory") 1) (func (export "_start") (local $i i32)
  (i32.store (i32.const 16) (i32.const 1)) (i64.store (i32.const 24) (i64.const 1))
  (loop $l (if (call $poll_oneoff (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)) (then (call $proc_exit (i32.const 1)))) (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 300))))))
