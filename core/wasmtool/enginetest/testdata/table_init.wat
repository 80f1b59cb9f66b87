;; A table filled from a segment beyond its end: a trap.
(module (table 1 funcref) (elem $e func $f $f) (func $f) (func (export "run") (result i32) (table.init $e (i32.const 0) (i32.const 0) (i32.const 2)) (i32.const 0)))
