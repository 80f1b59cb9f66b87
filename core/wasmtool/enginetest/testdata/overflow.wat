;; A conversion of NaN to an integer of 32 bits: a trap.
(module (func (export "run") (result i32) (i32.trunc_f32_s (f32.const nan))))
