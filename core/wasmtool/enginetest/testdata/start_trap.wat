;; A start section that traps.
(module (func $s (unreachable)) (start $s) (func (export "run") (result i32) (i32.const 0)))
