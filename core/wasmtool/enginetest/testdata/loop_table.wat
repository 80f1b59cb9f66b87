;; A loop whose way back is a br_table with all its targets.
(module (func (export "run") (result i32) (local $i i32) (loop $a (loop $b (local.set $i (i32.add (local.get $i) (i32.const 1))) (br_table $a $b $a (local.get $i)))) (i32.const 0)))
