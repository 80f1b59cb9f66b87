;; A tail call out of a loop's body, ten thousand times: it returns, at the depth of one.
(module (func $f (param i32) (result i32) (if (result i32) (local.get 0) (then (return_call $f (i32.sub (local.get 0) (i32.const 1)))) (else (i32.const 0)))) (func (export "run") (result i32) (call $f (i32.const 10000))))
