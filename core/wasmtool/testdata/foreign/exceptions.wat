;; Exceptions.
(module (tag $e) (func (export "run") (result i32) (throw $e)))
