;; memory.fill with a length of 2^32-1: the length is charged as unsigned, and the fill traps; it must not add fuel.
(module (memory 1) (func (export "run") (result i32) (memory.fill (i32.const 0) (i32.const 0) (i32.const -1)) (i32.const 0)))
