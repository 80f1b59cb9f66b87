;; A float that is no integer.
(module (func (export "run") (result i32) (i32.trunc_f32_s (f32.const nan))))
