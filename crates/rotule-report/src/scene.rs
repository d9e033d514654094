//! The mechanism in motion: figures of simple solids, and where they are in every frame.

/// The content of the animation.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The direction against gravity; zero means z.
    pub up: [f64; 3],
    /// The height of the ground along `up`. Without it the ground lies just below everything that
    /// moves.
    pub ground: Option<f64>,
    /// Shapes that stand still, in the ground's own frame.
    pub fixed: Vec<Shape>,
    /// The moving bodies.
    pub bodies: Vec<Figure>,
    /// Springs, dampers and rods between points.
    pub connectors: Vec<Connector>,
    /// Forces whose components are curves of the page.
    pub arrows: Vec<ForceArrow>,
    /// The instants of the frames, in seconds, in order.
    pub times: Vec<f64>,
    /// The poses of all bodies in the first frame, then in the second, and so on.
    pub poses: Vec<BodyPose>,
}

/// A body as it is drawn.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// The name of the body.
    pub name: String,
    /// A number for the colour; colours repeat after six.
    pub colour: usize,
    /// `true` if it is drawn translucent: the same body in another motion.
    pub ghost: bool,
    /// The solids and marks that move with the body, in its frame.
    pub shapes: Vec<Shape>,
}

/// A solid or a mark. A radius of zero means a thickness that suits the size of the scene; marks
/// always choose their own size.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A round bar between two points.
    Bar {
        /// One end.
        from: [f64; 3],
        /// The other end.
        to: [f64; 3],
        /// The radius in metres, or zero.
        radius: f64,
    },
    /// A ball.
    Ball {
        /// Its centre.
        centre: [f64; 3],
        /// The radius in metres, or zero.
        radius: f64,
    },
    /// A box along the axes of the body's frame.
    Box {
        /// Its centre.
        centre: [f64; 3],
        /// Its lengths along x, y and z.
        size: [f64; 3],
    },
    /// Triangles.
    Triangles {
        /// The corners.
        vertices: Vec<[f32; 3]>,
        /// Indices of corners, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
        /// Red, green and blue, if it has a colour of its own.
        colour: Option<[u8; 3]>,
    },
    /// A ground, drawn with a grid.
    Terrain {
        /// The corners.
        vertices: Vec<[f32; 3]>,
        /// Indices of corners, counter-clockwise seen from above.
        triangles: Vec<[u32; 3]>,
    },
    /// A disc or wheel.
    Disc {
        /// Its centre.
        centre: [f64; 3],
        /// The direction of its axis.
        axis: [f64; 3],
        /// The radius.
        radius: f64,
        /// The thickness along the axis, or zero.
        width: f64,
    },
    /// A joint.
    Joint {
        /// The kind of mark.
        kind: JointMark,
        /// Where the joint is.
        centre: [f64; 3],
        /// The direction of its axis.
        axis: [f64; 3],
    },
    /// The pin of a joint that bodies with shapes share: long enough to be seen on both sides.
    Pin {
        /// Where the joint is.
        centre: [f64; 3],
        /// The direction of its axis.
        axis: [f64; 3],
        /// Half its length.
        reach: f64,
    },
    /// The centre of mass.
    Mass {
        /// Where it is.
        centre: [f64; 3],
    },
    /// A named point.
    Point {
        /// The name of the point.
        name: String,
        /// Where it is.
        place: [f64; 3],
    },
    /// The axes of the body's frame, at its origin.
    Axes,
}

/// The drawing of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointMark {
    /// A short cylinder along the axis.
    Revolute,
    /// A small box along the axis.
    Prismatic,
    /// A small ball, for all other joints.
    Ball,
}

/// Something that is drawn between two moving points.
#[derive(Clone, Debug)]
pub struct Connector {
    /// The name.
    pub name: String,
    /// Its drawing.
    pub look: ConnectorLook,
    /// One end.
    pub from: LineEnd,
    /// The other end.
    pub to: LineEnd,
}

/// The drawing of what is between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectorLook {
    /// A thin straight bar.
    Rod,
    /// A coil that stretches.
    Spring,
    /// A rod in a tube.
    Damper,
    /// A coil around a rod in a tube.
    Strut,
    /// A thin straight line: a force without a spring or a damper.
    Line,
}

/// A force that is drawn as an arrow, longest where it is largest.
#[derive(Clone, Debug)]
pub struct ForceArrow {
    /// The name of what exerts it.
    pub name: String,
    /// `true` for the force of a constraint.
    pub reaction: bool,
    /// The number of the connector along which it pulls, in [`Scene::connectors`].
    pub connector: Option<usize>,
    /// Where it acts, unless it is along a connector.
    pub at: LineEnd,
    /// The names of the curves: one along a connector, else three, in the axes of the ground; an
    /// empty name stands for zero.
    pub curves: Vec<String>,
}

/// An end of a connector.
#[derive(Clone, Copy, Debug)]
pub struct LineEnd {
    /// The number of the body in [`Scene::bodies`]; none is the ground.
    pub body: Option<usize>,
    /// The point in that body's frame.
    pub point: [f64; 3],
}

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPose {
    /// The origin of its frame, in the ground's frame.
    pub position: [f64; 3],
    /// The rotation from its frame to the ground's, w first.
    pub quaternion: [f64; 4],
}

impl BodyPose {
    /// The ground's own pose.
    pub const IDENTITY: BodyPose =
        BodyPose { position: [0.0; 3], quaternion: [1.0, 0.0, 0.0, 0.0] };

    /// A pose from a rotation matrix by rows, whose columns are the axes of the body's frame.
    pub fn from_matrix(position: [f64; 3], r: &[[f64; 3]; 3]) -> Self {
        // The largest of the four is taken from a root, so that no small number is divided by.
        let trace = r[0][0] + r[1][1] + r[2][2];
        let squares = [
            1.0 + trace,
            1.0 + 2.0 * r[0][0] - trace,
            1.0 + 2.0 * r[1][1] - trace,
            1.0 + 2.0 * r[2][2] - trace,
        ];
        let mut largest = 0;
        for index in 1..4 {
            if squares[index] > squares[largest] {
                largest = index;
            }
        }
        let root = squares[largest].max(f64::MIN_POSITIVE).sqrt();
        let (whole, scale) = (0.5 * root, 0.5 / root);
        let minus = |i: usize, j: usize| scale * (r[i][j] - r[j][i]);
        let plus = |i: usize, j: usize| scale * (r[i][j] + r[j][i]);
        let quaternion = match largest {
            0 => [whole, minus(2, 1), minus(0, 2), minus(1, 0)],
            1 => [minus(2, 1), whole, plus(0, 1), plus(0, 2)],
            2 => [minus(0, 2), plus(0, 1), whole, plus(1, 2)],
            _ => [minus(1, 0), plus(0, 2), plus(1, 2), whole],
        };
        Self { position, quaternion }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_from_a_matrix_turns_as_the_matrix_does() {
        // Quaternions in all four corners of the choice, made into matrices by the definition.
        for q in [
            [0.9, 0.1, 0.3, -0.2],
            [0.1, 0.9, -0.3, 0.2],
            [0.0, 0.2, -0.9, 0.1],
            [0.2, 0.0, 0.1, 0.95],
        ] {
            let norm = q.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
            let [w, x, y, z] = q.map(|x| x / norm);
            let r = [
                [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
                [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
                [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
            ];
            let found = BodyPose::from_matrix([0.0; 3], &r).quaternion;
            let sign = (w * found[0] + x * found[1] + y * found[2] + z * found[3]).signum();
            for (found, requested) in found.iter().zip([w, x, y, z]) {
                assert!((sign * found - requested).abs() < 1e-15, "{found} {requested}");
            }
        }
    }
}
