;; Filling a table for ever.
(module (table 1000 funcref) (func (export "run") (result i32) (loop $l (table.fill 0 (i32.const 0) (ref.null func) (i32.const 1000)) (br $l)) (i32.const 0)))
