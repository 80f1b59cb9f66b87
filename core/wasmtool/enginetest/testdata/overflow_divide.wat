;; The smallest number divided by minus one.
(module (func (export "run") (result i32) (drop (i64.div_s (i64.const 0x8000000000000000) (i64.const -1))) (i32.const 0)))
