;; An export that returns something else than 0 has failed.
(module (func (export "run") (result i32) (i32.const 7)))
