;; No page at first, then one: it works.
(module (memory 0) (func (export "run") (result i32) (drop (memory.grow (i32.const 1))) (i32.store (i32.const 0) (i32.const 7)) (i32.sub (i32.load (i32.const 0)) (i32.const 7))))
