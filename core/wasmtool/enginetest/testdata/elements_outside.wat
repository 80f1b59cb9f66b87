;; An element segment beyond its table is refused.
(module (table 1 funcref) (elem (i32.const 1) $f) (func $f) (func (export "run") (result i32) (i32.const 0)))
