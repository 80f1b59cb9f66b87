;; The export to call is a table.
(module (table (export "run") 1 funcref))
