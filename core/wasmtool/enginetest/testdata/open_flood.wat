;; Opens in.txt again and again without closing.
(module (import "wasi_snapshot_preview1" "path_open" (func $o (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32))) (memory (export "memory") 1) (data (i32.const 0) "in.txt")
  (func (export "_start") (loop $l (drop (call $o (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 6) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 64))) (br $l))))
