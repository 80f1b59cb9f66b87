;; Clearing 60 MiB in a loop: each round is one instruction.
(module (memory 960) (func (export "run") (result i32) (loop $l (memory.fill (i32.const 0) (i32.const 0) (i32.const 62914560)) (br $l)) (i32.const 0)))
