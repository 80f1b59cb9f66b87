;; Growing by 2^32-1 pages is refused and costs no more than any refusal.
(module (memory 1) (func (export "run") (result i32) (i32.add (memory.grow (i32.const -1)) (i32.const 1))))
