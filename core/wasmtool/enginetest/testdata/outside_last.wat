;; A load that begins inside the memory and ends outside.
(module (memory 1) (func (export "run") (result i32) (drop (i64.load (i32.const 65529))) (i32.const 0)))
