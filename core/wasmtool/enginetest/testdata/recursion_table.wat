;; Recursion through a table.
(module (type $t (func (result i32))) (table 1 funcref) (elem (i32.const 0) $f) (func $f (type $t) (call_indirect (type $t) (i32.const 0))) (func (export "run") (result i32) (call $f)))
