;; A start section that grows memory to the limit and traps.
(module (memory 1) (func $s (drop (memory.grow (i32.const 1024))) (unreachable)) (start $s) (func (export "run") (result i32) (i32.const 0)))
