;; An _initialize that is one of the imports, and one that golem does not have.
(module (import "env" "f" (func $f)) (export "_initialize" (func $f)) (func (export "run") (result i32) (i32.const 0)))
