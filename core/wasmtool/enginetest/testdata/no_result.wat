;; An export that returns nothing is fine.
(module (func (export "run")))
