;; A loop whose branch is conditional and always taken.
(module (func (export "run") (result i32) (loop $l (br_if $l (i32.const 1))) (i32.const 0)))
