//! Forces inside the equations: links, wheels, forces at places (Postiau, tests A1, A7, A8, A9).

mod links;
mod run;
mod wheels;
mod whole;
