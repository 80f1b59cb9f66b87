;; A request from a handle that is no block, with a body that is none.
(module (import "extism:host/env" "http_request" (func $http_request (param i64 i64) (result i64))) (func (export "run") (result i32) (drop (call $http_request (i64.const 77) (i64.const -1))) (i32.const 0)))
