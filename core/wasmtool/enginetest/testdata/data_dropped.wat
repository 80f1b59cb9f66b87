;; A segment is dropped and then read from: a trap.
(module (memory 1) (data $d "text") (func (export "run") (result i32) (memory.init $d (i32.const 0) (i32.const 0) (i32.const 4)) (data.drop $d) (memory.init $d (i32.const 0) (i32.const 0) (i32.const 4)) (i32.const 0)))
