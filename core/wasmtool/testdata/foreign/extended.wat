;; An extended constant expression.
(module (global $g i32 (i32.add (i32.const 8) (i32.const 8))) (func (export "run") (result i32) (global.get $g)))
