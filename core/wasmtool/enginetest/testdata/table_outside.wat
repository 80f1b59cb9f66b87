;; Reading a table beyond its end.
(module (table 1 funcref) (func (export "run") (result i32) (drop (table.get 0 (i32.const 1))) (i32.const 0)))
