;; A tail call for ever through a table.
(module (type $t (func (result i32))) (table 1 funcref) (elem (i32.const 0) $f) (func $f (export "run") (type $t) (return_call_indirect (type $t) (i32.const 0))))
