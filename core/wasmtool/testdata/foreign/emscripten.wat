;; Emscripten with its JavaScript.
(module (import "env" "__syscall_openat" (func (param i32 i32 i32 i32) (result i32))) (import "env" "emscripten_date_now" (func (result f64))) (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32))) (memory (export "memory") 1) (func (export "main") (param i32 i32) (result i32) (i32.const 0)) (func (export "__wasm_call_ctors")))
