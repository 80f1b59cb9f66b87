;; Sign extension and saturating truncation work.
(module (func (export "run") (result i32) (i32.add (i32.extend8_s (i32.const 255)) (i32.trunc_sat_f32_s (f32.const 1.5)))))
