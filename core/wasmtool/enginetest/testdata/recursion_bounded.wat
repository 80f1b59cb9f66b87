;; Recursion 1,000 deep is fine and returns.
(module (func $f (param i32) (result i32) (if (result i32) (local.get 0) (then (i32.add (i32.const 1) (call $f (i32.sub (local.get 0) (i32.const 1))))) (else (i32.const 0))))
  (func (export "run") (result i32) (i32.sub (call $f (i32.const 1000)) (i32.const 1000))))
