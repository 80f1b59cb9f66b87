;; Blocks and functions with several results work.
(module (func $two (result i32 i32) (i32.const 3) (i32.const 3) (return)) (func (export "run") (result i32) (call $two) (block (param i32 i32) (result i32 i32) (br 0)) (i32.sub)))
