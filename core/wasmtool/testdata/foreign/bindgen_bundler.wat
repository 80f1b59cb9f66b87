;; A module from wasm-bindgen for a bundler.
(module (import "./tool_bg.js" "__wbg_log_5bb5f88f245d7762" (func (param i32))) (import "./tool_bg.js" "__wbindgen_throw" (func (param i32 i32))) (memory (export "memory") 1) (func (export "greet") (param i32 i32)) (func (export "__wbindgen_malloc") (param i32 i32) (result i32) (i32.const 0)))
