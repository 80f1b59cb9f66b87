;; Imports that golem does not provide, with references and floats in their types.
(module (import "env" "f" (func $f (param externref funcref) (result externref))) (import "env" "v" (func $v (param f32 f64))) (func (export "run") (result i32) (drop (call $f (ref.null extern) (ref.null func))) (i32.const 0)))
