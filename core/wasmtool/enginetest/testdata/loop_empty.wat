;; A loop of nothing but its branch, inside a block that is never left.
(module (func (export "run") (result i32) (block $out (loop $l (block $in (br $in)) (br $l))) (i32.const 0)))
