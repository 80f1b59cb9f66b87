;; Bulk memory without a loop, through doubling calls: each fill touches 60 MiB.
(module (memory 960)
  (func $f0 (memory.fill (i32.const 0) (i32.const 1) (i32.const 62914560))) (func $f1 (call $f0) (call $f0) (call $f0) (call $f0)) (func $f2 (call $f1) (call $f1) (call $f1) (call $f1))
  (func $f3 (call $f2) (call $f2) (call $f2) (call $f2)) (func $f4 (call $f3) (call $f3) (call $f3) (call $f3)) (func $f5 (call $f4) (call $f4) (call $f4) (call $f4))
  (func $f6 (call $f5) (call $f5) (call $f5) (call $f5)) (func $f7 (call $f6) (call $f6) (call $f6) (call $f6)) (func $f8 (call $f7) (call $f7) (call $f7) (call $f7))
  (func (export "run") (result i32) (call $f8) (i32.const 0)))
