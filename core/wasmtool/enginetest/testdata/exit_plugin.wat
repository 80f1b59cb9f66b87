;; An Extism plug-in that exits with 0 in the middle of a call.
(module (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32))) (memory (export "memory") 1) (func (export "run") (result i32) (call $proc_exit (i32.const 0)) (i32.const 1)))
