;; What is called is a table.
(module (table (export "run") 1 funcref))
