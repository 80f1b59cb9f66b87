;; A module whose describe function never ends.
(module (func (export "describe") (result i32) (loop $l (br $l)) (i32.const 0)) (func (export "call") (result i32) (i32.const 0)))
