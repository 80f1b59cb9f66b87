;; A start section that is one of the imports.
(module (import "extism:host/env" "reset" (func $reset)) (start $reset) (func (export "run") (result i32) (i32.const 0)))
