;; References to functions, a passive segment and a table of its own work.
(module (type $t (func (result i32))) (table $t 4 funcref) (elem $e func $f $g) (func $f (result i32) (i32.const 1)) (func $g (result i32) (i32.const 2))
  (func (export "run") (result i32) (table.init $t $e (i32.const 0) (i32.const 0) (i32.const 2)) (table.set $t (i32.const 2) (ref.func $g)) (elem.drop $e)
    (i32.sub (i32.add (call_indirect $t (type $t) (i32.const 0)) (call_indirect $t (type $t) (i32.const 2))) (i32.const 3))))
