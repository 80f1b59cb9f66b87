;; With __wasm_call_ctors and _initialize only the first runs, as in Extism's own runtime: the second would call it again.
(module (global $g (mut i32) (i32.const 0)) (func (export "_initialize") (global.set $g (i32.add (global.get $g) (i32.const 10)))) (func (export "__wasm_call_ctors") (global.set $g (i32.add (global.get $g) (i32.const 1))))
  (func (export "run") (result i32) (i32.sub (global.get $g) (i32.const 1))))
