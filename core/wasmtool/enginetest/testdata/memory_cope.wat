;; A module that handles a refused memory.grow: no failure.
(module (memory 1) (func (export "run") (result i32) (loop $l (br_if $l (i32.ne (memory.grow (i32.const 64)) (i32.const -1)))) (i32.sub (memory.size) (i32.const 961))))
