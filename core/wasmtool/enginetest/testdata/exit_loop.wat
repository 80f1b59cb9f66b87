;; proc_exit after work that never ends is not reached.
(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32))) (memory (export "memory") 1) (func (export "_start") (loop $l (br $l)) (call $exit (i32.const 0))))
