;; Sums of floats in a fixed order, to the last bit.
(module (func (export "run") (result i32) (local $x f64) (local $i i32) (loop $l (local.set $x (f64.add (f64.mul (local.get $x) (f64.const 0.999)) (f64.sqrt (f64.convert_i32_u (local.get $i))))) (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 10000))))
  (i64.ne (i64.reinterpret_f64 (local.get $x)) (i64.const 4681243902653229188))))
