;; Saturating conversions of NaN and infinity work.
(module (func (export "run") (result i32) (i32.add (i32.trunc_sat_f64_u (f64.const nan)) (i32.sub (i32.trunc_sat_f32_s (f32.const inf)) (i32.const 0x7fffffff)))))
