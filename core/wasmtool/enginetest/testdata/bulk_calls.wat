;; Clearing 60 MiB by calls that double, without a loop.
(module (memory 960) (func $a (memory.fill (i32.const 0) (i32.const 1) (i32.const 62914560))) (func $b (call $a) (call $a) (call $a) (call $a) (call $a) (call $a) (call $a) (call $a)) (func $c (call $b) (call $b) (call $b) (call $b) (call $b) (call $b) (call $b) (call $b)) (func $d (call $c) (call $c) (call $c) (call $c) (call $c) (call $c) (call $c) (call $c)) (func $e (call $d) (call $d) (call $d) (call $d) (call $d) (call $d) (call $d) (call $d))
  (func (export "run") (result i32) (call $e) (i32.const 0)))
