;; A load outside memory.
(module (memory 1) (func (export "run") (result i32) (i32.load (i32.const 65534))))
