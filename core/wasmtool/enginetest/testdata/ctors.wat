;; __wasm_call_ctors runs before the first call.
(module (global $g (mut i32) (i32.const 1)) (func (export "__wasm_call_ctors") (global.set $g (i32.const 0))) (func (export "run") (result i32) (global.get $g)))
