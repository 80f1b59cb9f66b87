;; A module from rustc for the web, before wasm-bindgen has processed it.
(module (import "__wbindgen_placeholder__" "__wbindgen_describe" (func (param i32))) (memory (export "memory") 1) (func (export "greet") (param i32 i32)) (func (export "__wbindgen_describe_greet")))
