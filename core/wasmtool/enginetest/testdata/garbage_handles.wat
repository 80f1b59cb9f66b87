;; free, length and error_set with handles that are no blocks do nothing.
(module (import "extism:host/env" "free" (func $free (param i64))) (import "extism:host/env" "length" (func $len (param i64) (result i64))) (import "extism:host/env" "error_set" (func $err (param i64)))
  (func (export "run") (result i32) (call $free (i64.const 12345)) (call $free (i64.const -1)) (call $err (i64.const 0)) (i32.wrap_i64 (call $len (i64.const 77777)))))
