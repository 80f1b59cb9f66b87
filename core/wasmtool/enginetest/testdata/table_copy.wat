;; Copying a table of 100,000 entries in a loop.
(module (table 100000 funcref) (func (export "run") (result i32) (loop $l (table.copy (i32.const 0) (i32.const 1) (i32.const 99999)) (br $l)) (i32.const 0)))
