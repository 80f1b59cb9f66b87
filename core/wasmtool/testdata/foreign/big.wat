;; 128 MiB to begin with.
(module (memory (export "memory") 2048) (func (export "run") (result i32) (i32.const 0)))
