;; A memory at its own maximum that cannot grow: the module traps after the refusal.
(module (memory 1 1) (func (export "run") (result i32) (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then (unreachable))) (i32.const 0)))
