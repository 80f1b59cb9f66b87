;; hs_init takes two zeros.
(module (global $g (mut i32) (i32.const 1)) (func (export "hs_init") (param i32 i32) (global.set $g (i32.or (local.get 0) (local.get 1)))) (func (export "run") (result i32) (global.get $g)))
