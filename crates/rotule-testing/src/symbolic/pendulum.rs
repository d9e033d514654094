//! Moore's example 3.2, the planar double pendulum, as SYMOFROS generates it: each row is an
//! expression in earlier rows. M12 is t12, M22 is I1 + t17, g1 is t22, g2 is t28.

/// The planar double pendulum as a table of temporaries: 28 rows.
pub const DOUBLE_PENDULUM: [(&str, &str); 28] = [
    ("t1", "cos(X1)"),
    ("t2", "sin(X1)"),
    ("t3", "t1*l1"),
    ("t4", "t2*l1"),
    ("t5", "X4 + X3"),
    ("t6", "X4^2"),
    ("t7", "t6*t1"),
    ("t8", "t6*t2"),
    ("t9", "t5^2"),
    ("t10", "m2*c2"),
    ("t11", "t3*t10"),
    ("t12", "I2 + t11"),
    ("t13", "t4^2"),
    ("t14", "t13*m2"),
    ("t15", "t3^2"),
    ("t16", "t15*m2"),
    ("t17", "I2 + 2*t11 + t14 + t16"),
    ("t18", "t7*l1"),
    ("t19", "t8*l1"),
    ("t20", "t9*m2"),
    ("t21", "t20*c2"),
    ("t22", "t10*t19"),
    ("t23", "t4*m2"),
    ("t24", "t23*t18"),
    ("t25", "t4*t21"),
    ("t26", "t3*m2"),
    ("t27", "t26*t19"),
    ("t28", "t22 - t24 - t25 + t27"),
];
