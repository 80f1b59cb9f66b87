;; The configuration asked for under a name of 32 MiB, again and again.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "config_get" (func $config_get (param i64) (result i64))) (func (export "run") (result i32) (loop $l (drop (call $config_get (call $alloc (i64.const 33554432)))) (br $l)) (i32.const 0)))
