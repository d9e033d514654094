//! Texts that `?` shows beside each question of `rotule new`.

pub const FILE: &str = "The model file to write. Its ending is .toml.";
pub const NAME: &str = "A word of letters, digits and _.";
pub const ABOUT: &str = "It becomes the first line of the file.";
pub const PARAMETER: &str = "A number, a number with its unit such as 250 g, or an expression of other parameters.\n\
    It stays a symbol in the equations and can be changed in every run. < corrects the answer before.";
pub const GRAVITY: &str =
    "A direction and a size, such as -z 9.81 or -y; none; or three components such as 0 0 -9.81.";
pub const BODY: &str = "A rigid body, such as crank or upper_arm. Each has one joint to the ground or to a body before it.";
pub const PARENT: &str =
    "The place that its joint sits on: ground, a body (its own joint) or a point of a body.";
pub const POSITION: &str = "Three values in the axes of that place. Values are numbers in metres, expressions of\n\
    parameters such as l/2, or numbers with units; separate those by commas: 20 mm, 0, 0.";
pub const JOINT: &str = "revolute: turns about an axis; prismatic: slides along an axis; helical: a screw;\n\
    cylindrical: turns about and slides along an axis; universal: two crossing axes; spherical: a ball joint;\n\
    planar: slides in a plane and turns in it; free: any motion; fixed: none.";
pub const AXIS: &str = "x, y, z, -x, -y, -z, or a vector such as 0 1 1, in the axes of the body.\n\
    A universal joint has two: x y.";
pub const COORDINATE: &str = "It names the angle or displacement in equations, laws and results.";
pub const PITCH: &str = "The displacement for one radian; 0.01 m/rad is 63 mm per turn.";
pub const MASS: &str = "In kg, or with a unit; an expression such as rho*l; 0 for a body without mass.\n\
    A name that is new becomes a parameter.";
pub const SHAPE: &str = "rod: uniform, from the joint to its point `end`; box, sphere: uniform, with their centre at the joint;\n\
    own: you give centre of mass and moments of inertia.";
pub const LENGTH: &str = "In metres, with a unit (30 cm), or an expression of parameters.";
pub const DIRECTION: &str = "x, y, z, -x, -y or -z: the axis of the body along which the rod lies.";
pub const BOX: &str = "Three sizes in metres; the box is centred on the joint.";
pub const SPHERE: &str = "In metres; the ball is centred on the joint.";
pub const COM: &str = "Three values in the axes of the body, from its joint.";
pub const INERTIA: &str = "About the centre of mass, in the axes of the body, in kg m^2.\n\
    None may exceed the sum of the two others.";
pub const SPRING: &str = "N m/rad for an angle, N/m for a displacement. The force is -k*(q - q0).";
pub const REST: &str = "In radians or metres.";
pub const DAMPER: &str = "N m s/rad for an angle, N s/m for a displacement. The force is -c*qd.";
pub const POINT: &str = "A place that others can name as BODY.POINT, such as: tip 0 0 0.3";
pub const LOOP: &str = "Bodies form a tree. Where two branches meet, name the two places that are joined,\n\
    such as coupler.end rocker.end.";
pub const CLOSURE: &str = "ball: the two points coincide; revolute: they also share an axis; rod: their distance is constant;\n\
    body: the two frames coincide, as if a body were cut; prismatic, cylindrical, planar, universal: as joints.";
pub const DRIVEN: &str = "Coordinates that follow a law of the time instead of forces, such as q1. The force that this takes is a result.";
pub const LAW: &str = "An expression of t, such as 2*pi*t or 0.1*sin(5*t). Speeds and accelerations are its derivatives.";
pub const INITIAL: &str = "The value at the time zero.";
pub const INITIAL_CLOSED: &str = "The value at the time zero. What you give is kept as far as the loops allow; auto: it follows\n\
    from the others. A rough value of a coordinate chooses between several ways to close a loop.";
pub const SPEED: &str = "In rad/s or m/s; 60 rpm is taken, too.";
pub const FORCES: &str = "spring: spring and damper between two places; line-force: any law along the line between two places;\n\
    force: a force and a torque at a place.";
pub const PLACES: &str = "Two places, such as ground rocker.end.";
pub const PLACE: &str = "ground, a body or BODY.POINT.";
pub const LINE_LAW: &str =
    "Z is the distance of the places, Zd its rate. Positive pulls them together.";
pub const COMPONENTS: &str =
    "Three values; laws may use x y z, vx vy vz, wx wy wz of the place and t, such as -c*vx.";
pub const STIFFNESS: &str =
    "The force is stiffness*(Z - length) + damping*Zd, where Z is the distance of the places.";
pub const FREE_LENGTH: &str = "The length at which the spring has no force. In brackets: the distance of the places at the start.";
pub const DAMPING: &str = "Force for each m/s at which the places go apart.";
pub const SENSOR: &str = "Its position and velocity become columns of the results.";
pub const CONFIRM: &str = "yes writes the file; no leaves without one; < goes back.";
