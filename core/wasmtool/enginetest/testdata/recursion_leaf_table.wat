;; Two functions that call each other through a table, with a tail call between: the tail call frees its frame, the call does not.
(module (table 2 funcref) (elem (i32.const 0) $f $g) (type $t (func (result i32)))
  (func $f (type $t) (i32.add (i32.const 1) (call_indirect (type $t) (i32.const 1)))) (func $g (type $t) (return_call_indirect (type $t) (i32.const 0)))
  (func (export "run") (result i32) (call $f)))
