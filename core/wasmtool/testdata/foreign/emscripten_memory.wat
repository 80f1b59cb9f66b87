;; Emscripten with JavaScript and threads: it imports its memory.
(module (import "env" "memory" (memory 256 512)) (import "env" "emscripten_date_now" (func (result f64))) (func (export "main") (param i32 i32) (result i32) (i32.const 0)))
