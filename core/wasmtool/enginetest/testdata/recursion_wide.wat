;; Recursion with many values on the stack of each frame.
(module (func $f (param i64 i64 i64 i64 i64 i64 i64 i64) (result i64) (local i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64)
  (i64.add (local.get 0) (call $f (i64.const 1) (i64.const 2) (i64.const 3) (i64.const 4) (i64.const 5) (i64.const 6) (i64.const 7) (local.get 0))))
  (func (export "run") (result i32) (i32.wrap_i64 (call $f (i64.const 1) (i64.const 2) (i64.const 3) (i64.const 4) (i64.const 5) (i64.const 6) (i64.const 7) (i64.const 8)))))
