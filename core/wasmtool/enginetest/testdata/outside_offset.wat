;; An address and an offset whose sum is beyond 32 bits.
(module (memory 1) (func (export "run") (result i32) (drop (i32.load offset=0xffffffff (i32.const -1))) (i32.const 0)))
