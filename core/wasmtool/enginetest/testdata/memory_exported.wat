;; A memory, a global and a table under the usual names of a compiler: the host depends on none of them.
(module (memory (export "memory") 1) (global (export "__heap_base") (mut i32) (i32.const 5)) (table (export "__indirect_function_table") 1 funcref) (func (export "run") (result i32) (i32.store (i32.const 0) (i32.const -1)) (i32.const 0)))
