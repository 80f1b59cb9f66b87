;; A module that imports its table, as position-independent modules do.
(module (import "env" "__indirect_function_table" (table 1 funcref)) (func (export "run") (result i32) (i32.const 0)))
