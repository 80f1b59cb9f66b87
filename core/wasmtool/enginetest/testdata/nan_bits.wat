;; A NaN is a NaN, whatever its bits.
(module (func (export "run") (result i32) (local $x f64) (local.set $x (f64.div (f64.const 0) (f64.const 0))) (f64.eq (local.get $x) (local.get $x))))
