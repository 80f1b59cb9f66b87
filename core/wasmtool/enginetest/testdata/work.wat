;; A loop of a hundred thousand rounds: its fuel is the same on every engine.
(module (func (export "run") (result i32) (local $i i32) (local $x i32) (local.set $i (i32.const 100000)) (local.set $x (i32.const 1))
  (loop $l (local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223))) (if (i32.and (local.get $x) (i32.const 1)) (then (local.set $x (i32.xor (local.get $x) (local.get $i)))))
    (local.set $i (i32.sub (local.get $i) (i32.const 1))) (br_if $l (local.get $i))) (i32.const 0)))
