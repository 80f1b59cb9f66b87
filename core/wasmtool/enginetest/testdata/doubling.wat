;; Calls that double sixty times without any loop: 2^60 calls.
(module
  (func $f0) (func $f1 (call $f0) (call $f0)) (func $f2 (call $f1) (call $f1)) (func $f3 (call $f2) (call $f2)) (func $f4 (call $f3) (call $f3))
  (func $f5 (call $f4) (call $f4)) (func $f6 (call $f5) (call $f5)) (func $f7 (call $f6) (call $f6)) (func $f8 (call $f7) (call $f7)) (func $f9 (call $f8) (call $f8))
  (func $g0 (call $f9) (call $f9)) (func $g1 (call $g0) (call $g0)) (func $g2 (call $g1) (call $g1)) (func $g3 (call $g2) (call $g2)) (func $g4 (call $g3) (call $g3))
  (func $g5 (call $g4) (call $g4)) (func $g6 (call $g5) (call $g5)) (func $g7 (call $g6) (call $g6)) (func $g8 (call $g7) (call $g7)) (func $g9 (call $g8) (call $g8))
  (func $h0 (call $g9) (call $g9)) (func $h1 (call $h0) (call $h0)) (func $h2 (call $h1) (call $h1)) (func $h3 (call $h2) (call $h2)) (func $h4 (call $h3) (call $h3))
  (func $h5 (call $h4) (call $h4)) (func $h6 (call $h5) (call $h5)) (func $h7 (call $h6) (call $h6)) (func $h8 (call $h7) (call $h7)) (func $h9 (call $h8) (call $h8))
  (func $i0 (call $h9) (call $h9)) (func $i1 (call $i0) (call $i0)) (func $i2 (call $i1) (call $i1)) (func $i3 (call $i2) (call $i2)) (func $i4 (call $i3) (call $i3))
  (func $i5 (call $i4) (call $i4)) (func $i6 (call $i5) (call $i5)) (func $i7 (call $i6) (call $i6)) (func $i8 (call $i7) (call $i7)) (func $i9 (call $i8) (call $i8))
  (func $j0 (call $i9) (call $i9)) (func $j1 (call $j0) (call $j0)) (func $j2 (call $j1) (call $j1)) (func $j3 (call $j2) (call $j2)) (func $j4 (call $j3) (call $j3))
  (func $j5 (call $j4) (call $j4)) (func $j6 (call $j5) (call $j5)) (func $j7 (call $j6) (call $j6)) (func $j8 (call $j7) (call $j7)) (func $j9 (call $j8) (call $j8))
  (func (export "run") (result i32) (call $j9) (i32.const 0)))
