;; A plug-in that frees its output after output_set: the bytes are still there and are the output.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "free" (func $free (param i64))) (import "extism:host/env" "store_u8" (func $store (param i64 i32))) (import "extism:host/env" "output_set" (func $out (param i64 i64)))
  (func (export "run") (result i32) (local $b i64) (local.set $b (call $alloc (i64.const 1))) (call $store (local.get $b) (i32.const 120)) (call $out (local.get $b) (i64.const 1)) (call $free (local.get $b)) (i32.const 0)))
