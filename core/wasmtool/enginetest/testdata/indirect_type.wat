;; An indirect call of another type.
(module (type $t (func (result i64))) (table 1 funcref) (elem (i32.const 0) $f) (func $f (result i32) (i32.const 0)) (func (export "run") (result i32) (i32.wrap_i64 (call_indirect (type $t) (i32.const 0)))))
