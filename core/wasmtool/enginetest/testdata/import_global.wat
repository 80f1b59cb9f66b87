;; Importing a global is refused.
(module (import "env" "g" (global i32)) (func (export "run") (result i32) (global.get 0)))
