;; Copying within memory, again and again.
(module (memory 512) (func (export "run") (result i32) (loop $l (memory.copy (i32.const 0) (i32.const 8) (i32.const 33000000)) (br $l)) (i32.const 0)))
