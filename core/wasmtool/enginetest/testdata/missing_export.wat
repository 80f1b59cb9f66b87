;; An import that golem does not have, exported as the tool itself.
(module (import "env" "f" (func $a (result i32))) (export "run" (func $a)))
