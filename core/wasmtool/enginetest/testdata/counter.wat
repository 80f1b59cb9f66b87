;; A counter in memory: it keeps its value between calls if the instance is kept. The input x makes it trap.
(module (import "extism:host/env" "input_length" (func $n (result i64))) (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "store_u8" (func $store (param i64 i32))) (import "extism:host/env" "output_set" (func $out (param i64 i64)))
  (global $c (mut i32) (i32.const 48))
  (func (export "run") (result i32) (local $b i64) (if (i64.gt_u (call $n) (i64.const 0)) (then (unreachable)))
    (global.set $c (i32.add (global.get $c) (i32.const 1))) (local.set $b (call $alloc (i64.const 1))) (call $store (local.get $b) (global.get $c)) (call $out (local.get $b) (i64.const 1)) (i32.const 0)))
