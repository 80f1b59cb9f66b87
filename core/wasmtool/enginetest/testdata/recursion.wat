;; A function that calls itself for ever.
(module (func $f (export "run") (result i32) (call $f)))
