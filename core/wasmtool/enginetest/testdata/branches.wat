;; Branch tables, early returns and nested blocks compute what they should.
(module (func $pick (param i32) (result i32) (block $c (block $b (block $a (br_table $a $b $c (local.get 0))) (return (i32.const 10))) (return (i32.const 20))) (i32.const 30))
  (func (export "run") (result i32) (i32.sub (i32.add (i32.add (call $pick (i32.const 0)) (call $pick (i32.const 1))) (call $pick (i32.const 9))) (i32.const 60))))
