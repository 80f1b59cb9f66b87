;; A maximum above the limit is clamped, not refused.
(module (memory 1 65536) (func (export "run") (result i32) (i32.add (memory.grow (i32.const 1024)) (i32.const 1))))
