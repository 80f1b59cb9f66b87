;; A start section that recurses for ever.
(module (func $s (call $s)) (start $s) (func (export "run") (result i32) (i32.const 0)))
