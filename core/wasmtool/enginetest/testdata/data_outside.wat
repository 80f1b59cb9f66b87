;; A data segment beyond memory traps at the start.
(module (memory 1) (data (i32.const 65535) "abc") (func (export "run") (result i32) (i32.const 0)))
