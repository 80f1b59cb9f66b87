;; A fill beyond the end of the memory traps.
(module (memory 1) (func (export "run") (result i32) (memory.fill (i32.const 65530) (i32.const 0) (i32.const 100)) (i32.const 0)))
