;; memory.init and data.drop work.
(module (memory 1) (data $d "abc") (func (export "run") (result i32) (memory.init $d (i32.const 0) (i32.const 0) (i32.const 3)) (data.drop $d) (i32.sub (i32.load8_u (i32.const 2)) (i32.const 99))))
