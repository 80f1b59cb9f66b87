;; The plain trap.
(module (func (export "run") (result i32) (unreachable)))
