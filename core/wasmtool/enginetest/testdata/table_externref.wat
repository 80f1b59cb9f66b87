;; A table of references to objects of the host, which provides none.
(module (table 4 externref) (func (export "run") (result i32) (table.fill 0 (i32.const 0) (ref.null extern) (i32.const 4)) (i32.sub (i32.const 1) (ref.is_null (table.get 0 (i32.const 3))))))
