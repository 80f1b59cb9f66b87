;; An import that golem does not provide, but which is not called: no failure.
(module (import "env" "nothing" (func $f (param i32) (result i64))) (func (export "run") (result i32) (i32.const 0)))
