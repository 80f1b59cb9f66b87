;; An older TinyGo for the web.
(module (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32))) (import "env" "runtime.ticks" (func (result f64))) (memory (export "memory") 1) (func (export "resume")) (func (export "go_scheduler")))
