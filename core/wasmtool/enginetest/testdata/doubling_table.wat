;; Calls that double through a table, forty deep, without any loop.
(module (type $t (func (param i32))) (table 1 funcref) (elem (i32.const 0) $f)
  (func $f (type $t) (if (local.get 0) (then (call_indirect (type $t) (i32.sub (local.get 0) (i32.const 1)) (i32.const 0)) (call_indirect (type $t) (i32.sub (local.get 0) (i32.const 1)) (i32.const 0)))))
  (func (export "run") (result i32) (call $f (i32.const 40)) (i32.const 0)))
