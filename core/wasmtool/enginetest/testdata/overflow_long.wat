;; A conversion of NaN to an integer of 64 bits: a trap.
(module (func (export "run") (result i32) (drop (i64.trunc_f64_u (f64.const nan))) (i32.const 0)))
