;; A module that handles a refused table.grow: no failure.
(module (table 1 funcref) (func (export "run") (result i32) (i32.add (table.grow 0 (ref.null func) (i32.const 0x7fffffff)) (i32.const 1))))
