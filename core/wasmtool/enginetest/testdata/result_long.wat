;; An export that returns an i64.
(module (func (export "run") (result i64) (i64.const 0)))
