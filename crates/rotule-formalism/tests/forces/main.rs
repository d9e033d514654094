//! Forces inside the equations: line forces, wheels, forces at places (Postiau, tests A1, A7, A8,
//! A9).

mod line_forces;
mod run;
mod wheels;
mod whole;
