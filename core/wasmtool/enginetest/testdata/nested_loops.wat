;; Loops in loops, all of them long.
(module (func (export "run") (result i32) (local $a i64) (local $b i64)
  (loop $o (local.set $b (i64.const 0)) (loop $i (local.set $b (i64.add (local.get $b) (i64.const 1))) (br_if $i (i64.lt_u (local.get $b) (i64.const 4000000000))))
    (local.set $a (i64.add (local.get $a) (i64.const 1))) (br_if $o (i64.lt_u (local.get $a) (i64.const 4000000000)))) (i32.const 0)))
