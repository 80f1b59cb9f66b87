;; A module of nothing at all.
(module)
