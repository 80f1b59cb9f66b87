;; A configuration value and a variable survive that the module frees their keys after asking,
;; as some plug-in kits do, and that it then allocates blocks of the same size.
(module (import "extism:host/env" "input_offset" (func $at (result i64))) (import "extism:host/env" "config_get" (func $get (param i64) (result i64))) (import "extism:host/env" "length" (func $len (param i64) (result i64))) (import "extism:host/env" "output_set" (func $out (param i64 i64)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "free" (func $free (param i64))) (import "extism:host/env" "store_u8" (func $store (param i64 i32))) (import "extism:host/env" "load_u8" (func $load (param i64) (result i32)))
  (import "extism:host/env" "var_set" (func $var_set (param i64 i64))) (import "extism:host/env" "var_get" (func $var_get (param i64) (result i64)))
  (func $key (result i64) (local $k i64) (local.set $k (call $alloc (i64.const 3))) (call $store (local.get $k) (i32.const 107)) (call $store (i64.add (local.get $k) (i64.const 1)) (i32.const 101)) (call $store (i64.add (local.get $k) (i64.const 2)) (i32.const 121)) (local.get $k))
  (func (export "run") (result i32) (local $k i64) (local $v i64)
    (call $var_set (call $key) (call $key))
    (local.set $k (call $key)) (local.set $v (call $var_get (local.get $k))) (call $free (local.get $k)) (call $store (call $alloc (i64.const 3)) (i32.const 88)) (call $store (call $alloc (i64.const 3)) (i32.const 88))
    (if (i32.or (i64.ne (call $len (local.get $v)) (i64.const 3)) (i32.ne (call $load (local.get $v)) (i32.const 107))) (then (unreachable)))
    (local.set $k (call $key)) (local.set $v (call $get (local.get $k))) (call $free (local.get $k)) (call $store (call $alloc (i64.const 3)) (i32.const 88)) (call $store (call $alloc (i64.const 3)) (i32.const 88))
    (call $out (local.get $v) (call $len (local.get $v))) (i32.const 0)))
