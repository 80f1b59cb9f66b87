;; Imports with no names at all.
(module (import "" "" (func $f)) (func (export "run") (result i32) (call $f) (i32.const 0)))
