;; An import that golem does not have, called through a table.
(module (import "env" "f" (func $a)) (type $t (func)) (table 1 funcref) (elem (i32.const 0) $a) (func (export "run") (result i32) (call_indirect (type $t) (i32.const 0)) (i32.const 0)))
