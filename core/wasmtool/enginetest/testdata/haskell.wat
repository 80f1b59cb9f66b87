;; Haskell's plug-ins: _initialize, then hs_init with two zeros, which needs what _initialize made.
(module (global $g (mut i32) (i32.const 0)) (func (export "_initialize") (global.set $g (i32.add (i32.mul (global.get $g) (i32.const 10)) (i32.const 1)))) (func (export "hs_init") (param i32 i32) (global.set $g (i32.add (i32.mul (global.get $g) (i32.const 10)) (i32.const 2)))) (func (export "__wasm_call_ctors") (global.set $g (i32.const 99)))
  (func (export "run") (result i32) (i32.sub (global.get $g) (i32.const 12))))
