;; All 64 MiB are written to: the limit is real.
(module (memory 1024) (func (export "run") (result i32) (memory.fill (i32.const 0) (i32.const 255) (i32.const 67108864)) (i32.sub (i32.load8_u (i32.const 67108863)) (i32.const 255))))
