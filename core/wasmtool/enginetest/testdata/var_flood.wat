;; One variable that exceeds the size limit for all variables.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "var_set" (func $set (param i64 i64))) (func (export "run") (result i32) (call $set (call $alloc (i64.const 1)) (call $alloc (i64.const 2000000))) (i32.const 0)))
