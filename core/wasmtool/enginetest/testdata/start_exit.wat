;; A start section that exits: the command ends before its main function.
(module (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32))) (memory (export "memory") 1) (func $s (call $proc_exit (i32.const 5))) (start $s) (func (export "_start")))
