;; Creates a symbolic link to /etc and exits with the error.
(module (import "wasi_snapshot_preview1" "path_symlink" (func $s (param i32 i32 i32 i32 i32) (result i32))) (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32))) (memory (export "memory") 1) (data (i32.const 0) "/etc") (data (i32.const 8) "link")
  (func (export "_start") (call $exit (call $s (i32.const 0) (i32.const 4) (i32.const 3) (i32.const 8) (i32.const 4)))))
