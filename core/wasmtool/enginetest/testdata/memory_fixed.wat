;; A memory that its own maximum keeps from growing: the refusal is the module's own business, its trap a trap after it.
(module (memory 1 1) (func (export "run") (result i32) (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then (unreachable))) (i32.const 0)))
