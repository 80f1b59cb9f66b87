;; An imported table is refused.
(module (import "env" "t" (table 1 funcref)) (func (export "run") (result i32) (i32.const 0)))
