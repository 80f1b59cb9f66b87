;; Requests of 32 MiB of zeros: they are not JSON, so the first one is an error.
(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64))) (import "extism:host/env" "http_request" (func $http_request (param i64 i64) (result i64))) (func (export "run") (result i32) (loop $l (drop (call $http_request (call $alloc (i64.const 33554432)) (i64.const 0))) (br $l)) (i32.const 0)))
