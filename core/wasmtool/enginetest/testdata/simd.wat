;; Vector instructions work.
(module (func (export "run") (result i32) (i32.sub (i32x4.extract_lane 2 (i32x4.add (v128.const i32x4 1 2 3 4) (i32x4.splat (i32.const 4)))) (i32.const 7))))
