;; A call through an index beyond the table.
(module (type $t (func)) (table 1 funcref) (func (export "run") (result i32) (call_indirect (type $t) (i32.const -1)) (i32.const 0)))
