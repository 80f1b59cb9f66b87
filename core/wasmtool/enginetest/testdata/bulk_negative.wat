;; A length of 2^32-1 to memory.fill: it is charged as what it is, and traps; it does not refill the fuel.
(module (memory 1) (func (export "run") (result i32) (memory.fill (i32.const 0) (i32.const 0) (i32.const -1)) (i32.const 0)))
