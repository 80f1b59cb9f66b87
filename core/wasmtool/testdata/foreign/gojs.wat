;; GOOS=js of the standard Go toolchain.
(module (import "gojs" "runtime.wasmExit" (func (param i32))) (import "gojs" "syscall/js.valueGet" (func (param i32))) (memory (export "mem") 1) (func (export "run") (param i32 i32)) (func (export "resume")) (func (export "getsp") (result i32) (i32.const 0)))
