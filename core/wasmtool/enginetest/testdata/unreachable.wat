;; The unreachable instruction.
(module (func (export "run") (result i32) (unreachable)))
