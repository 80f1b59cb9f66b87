;; A start section that never ends is ended like any call.
(module (func $s (loop $l (br $l))) (start $s) (func (export "run") (result i32) (i32.const 0)))
