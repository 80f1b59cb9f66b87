;; A memory that begins above the limit is refused.
(module (memory 1025) (func (export "run") (result i32) (i32.const 0)))
