;; A loop of 200,000 rounds that returns.
(module (func (export "run") (result i32) (local $i i32) (loop $l (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 200000)))) (i32.const 0)))
