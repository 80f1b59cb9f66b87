;; hs_init with more than its two parameters.
(module (func (export "hs_init") (param i32 i32 i32)) (func (export "run") (result i32) (i32.const 0)))
