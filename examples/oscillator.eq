# The van der Pol oscillator: equations of one's own, for `rotule generate`, `simplify` and `diff`.
input x, v
parameter mu = 0.5
r = 1 - x^2
output xd = v
output vd = mu*r*v - x
