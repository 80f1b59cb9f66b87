;; A table grows until that is refused; then the module traps.
(module (table $t 1 funcref) (func (export "run") (result i32) (loop $l (br_if $l (i32.ne (table.grow $t (ref.null func) (i32.const 5000)) (i32.const -1)))) (unreachable)))
