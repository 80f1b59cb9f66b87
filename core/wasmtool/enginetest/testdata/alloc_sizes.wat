;; 8,192 blocks, each freed before the next, which is a little larger: together they are larger than the shared memory.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "free" (func $free (param i64)))
  (func (export "run") (result i32) (local $i i64) (loop $l (call $free (call $alloc (local.tee $i (i64.add (local.get $i) (i64.const 8))))) (br_if $l (i64.lt_u (local.get $i) (i64.const 65536)))) (i32.const 0)))
