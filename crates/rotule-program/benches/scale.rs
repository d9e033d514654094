//! Growth of building, simplifying, lowering and differentiating with the size of the graph.
//!
//! Three sizes a factor of ten apart, each in a process of its own, so that the peak memory of one
//! does not hide in that of another. The realistic load is `chain`: the recursive Newton-Euler
//! equations of a spatial chain, with every rule firing. Times are the least of several runs,
//! because what else the machine does can only add to them; for the same reason, long ones are the
//! time on the processor where the kernel tells it.
//!
//! `cargo xtask bench scale` prints the table. `growth` is the time for ten times the work: ten is
//! linear. What `units` counts, the title of each group of rows says.

use rotule_program::ProgramCounts;
use rotule_program::lower::{Lowered, Request, Target, lower};
use rotule_symbolic::{Expr, Graph, Kind, Matrix, Vector};
use std::time::{Duration, Instant};

/// Nodes of the graphs.
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Operations of the program that is lowered apart: a large mechanism.
const LARGE: u64 = 50_000;

/// The argument by which the program starts itself for one size.
const ONE_SIZE: &str = "--one-size";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(place) = arguments.iter().position(|a| a == ONE_SIZE) {
        let size = arguments.get(place + 1).and_then(|size| size.parse().ok());
        one_size(size.expect("a number of nodes"));
    } else if arguments.iter().any(|a| a == "--bench") {
        all_sizes();
    } else {
        println!("this is a benchmark: cargo xtask bench scale");
    }
}

// ---- the chain ----

/// The torques of a serial chain and the symbols they are made of.
#[derive(Clone)]
struct Chain {
    graph: Graph,
    q: Vec<Expr>,
    qd: Vec<Expr>,
    /// Linear accelerations of the joints, one after the other.
    accelerations: Vec<Expr>,
    torques: Vec<Expr>,
}

/// One link on the way back to the base.
struct Link {
    /// From the frame of the link to that of its predecessor.
    rotation: Matrix,
    axis: usize,
    /// From joint to next joint, and from joint to mass centre.
    arm: Vector,
    centre: Vector,
    force: Vector,
    moment: Vector,
}

/// Recursive Newton-Euler over `links` joints that turn about z, y, x in turn.
fn chain(links: usize) -> Chain {
    let mut graph = Graph::new();
    let g = &mut graph;
    let gravity = g.symbol("g", Kind::Parameter);
    let (mut omega, mut alpha) = (Vector::ZERO, Vector::ZERO);
    let mut acceleration = Vector([Expr::ZERO, Expr::ZERO, gravity]);
    let mut arm = Vector::ZERO;
    let (mut q, mut qd, mut accelerations) = (Vec::new(), Vec::new(), Vec::new());
    let mut bodies: Vec<Link> = Vec::new();
    for i in 0..links {
        let axis = 2 - i % 3;
        let mut parameter = |name: &str| g.symbol(&format!("{name}[{i}]"), Kind::Parameter);
        let (mass, length, offset) = (parameter("m"), parameter("l"), parameter("c"));
        let inertia = ["xx", "yy", "zz", "xy", "xz", "yz"].map(|s| parameter(&format!("I{s}")));
        let [xx, yy, zz, xy, xz, yz] = inertia;
        let inertia = Matrix::symmetric(xx, yy, zz, xy, xz, yz);
        let angle = g.symbol(&format!("q[{i}]"), Kind::Coordinate);
        let speed = g.symbol(&format!("qd[{i}]"), Kind::Velocity);
        let second = g.symbol(&format!("qdd[{i}]"), Kind::Acceleration);
        let rotation = rotation(axis, angle, g);
        let into = rotation.transpose();

        // Out from the base: velocities and accelerations in the frame of the link.
        let along = |e: Expr, g: &mut Graph| Vector::unit(axis).scale(e, g);
        let carried = turning(omega, alpha, arm, g).add(acceleration, g);
        let turned = into.apply(omega, g);
        let spin = along(speed, g);
        let gyroscopic = turned.cross(spin, g);
        let thrust = along(second, g).add(gyroscopic, g);
        omega = turned.add(spin, g).name(&format!("omega[{i}]"), g);
        alpha = into.apply(alpha, g).add(thrust, g).name(&format!("alpha[{i}]"), g);
        acceleration = into.apply(carried, g).name(&format!("a[{i}]"), g);

        // Newton and Euler for the link alone.
        arm = Vector([length, Expr::ZERO, Expr::ZERO]);
        let centre = Vector([offset, Expr::ZERO, Expr::ZERO]);
        let at_centre = turning(omega, alpha, centre, g).add(acceleration, g);
        let force = at_centre.scale(mass, g).name(&format!("F[{i}]"), g);
        let momentum = inertia.apply(omega, g);
        let change = omega.cross(momentum, g);
        let moment = inertia.apply(alpha, g).add(change, g).name(&format!("N[{i}]"), g);
        bodies.push(Link { rotation, axis, arm, centre, force, moment });
        q.push(angle);
        qd.push(speed);
        accelerations.extend(acceleration.0);
    }
    // Back from the tip: forces and moments at the joints.
    let (mut force, mut moment) = (Vector::ZERO, Vector::ZERO);
    let mut torques = Vec::new();
    for (i, link) in bodies.iter().enumerate().rev() {
        let lever = link.arm.cross(force, g);
        let own = link.centre.cross(link.force, g);
        moment = moment.add(lever, g).add(own, g).add(link.moment, g);
        moment = moment.name(&format!("n[{i}]"), g);
        force = force.add(link.force, g).name(&format!("f[{i}]"), g);
        torques.push(moment[link.axis]);
        moment = link.rotation.apply(moment, g);
        force = link.rotation.apply(force, g);
    }
    torques.reverse();
    Chain { graph, q, qd, accelerations, torques }
}

/// The matrix that turns about one axis.
fn rotation(axis: usize, angle: Expr, graph: &mut Graph) -> Matrix {
    let (sin, cos) = (graph.sin(angle), graph.cos(angle));
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut matrix = Matrix::IDENTITY;
    matrix.0[j][j] = cos;
    matrix.0[k][k] = cos;
    matrix.0[j][k] = -sin;
    matrix.0[k][j] = sin;
    matrix
}

/// The acceleration of a point at `arm` due to the turning of its body.
fn turning(omega: Vector, alpha: Vector, arm: Vector, graph: &mut Graph) -> Vector {
    let velocity = omega.cross(arm, graph);
    let inwards = omega.cross(velocity, graph);
    alpha.cross(arm, graph).add(inwards, graph)
}

/// Number of links that make a graph of about `nodes` nodes.
fn links_for(nodes: usize) -> usize {
    let (short, long) = (chain(30).graph.len(), chain(90).graph.len());
    let per_link = (long - short) as f64 / 60.0;
    (nodes as f64 / per_link) as usize
}

// ---- other graphs ----

/// A small generator of pseudo-random numbers: every run has the same graph.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }
}

/// Random products, sums and differences of what was made recently, every third one named.
fn random_dag(nodes: usize) -> Graph {
    let mut graph = Graph::new();
    let mut random = Random(1);
    let mut made: Vec<Expr> =
        (0..16).map(|i| graph.symbol(&format!("x{i}"), Kind::Coordinate)).collect();
    while graph.len() < nodes {
        let mut recent = || made[made.len() - 1 - random.below(made.len().min(200))];
        let (a, b) = (recent(), recent());
        let expr = match random.below(3) {
            0 => graph.mul(a, b),
            1 => graph.add(a, b),
            _ => graph.sub(a, b),
        };
        if expr != Expr::ZERO {
            let named = made.len().is_multiple_of(3);
            made.push(if named { graph.name(&format!("v{}", made.len()), expr) } else { expr });
        }
    }
    graph
}

/// Symbols enough for `nodes` products of two different ones.
fn many_symbols(nodes: usize) -> (Graph, Vec<Expr>) {
    let mut graph = Graph::new();
    let count = 2 + (2.0 * nodes as f64).sqrt() as usize;
    let symbols = (0..count).map(|i| graph.symbol(&format!("x{i}"), Kind::Coordinate)).collect();
    (graph, symbols)
}

/// Products of two symbols, each once.
fn all_products(graph: &mut Graph, symbols: &[Expr], nodes: usize) {
    let mut left = nodes;
    for (i, &a) in symbols.iter().enumerate() {
        for &b in symbols[..i].iter().take(left) {
            graph.mul(a, b);
        }
        left = left.saturating_sub(i);
    }
}

// ---- measuring ----

/// A point in time, and the time that this process had spent on a processor by then.
struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    /// Shorter times are read off the wall: the kernel brings its own up to date only so often.
    const COARSE: Duration = Duration::from_millis(50);

    fn start() -> Clock {
        Clock { processor: Clock::processor(), wall: Instant::now() }
    }

    /// The time since the start; long ones without what other programs took.
    fn elapsed(&self) -> Duration {
        let wall = self.wall.elapsed();
        match (self.processor, Clock::processor()) {
            (Some(start), Some(end)) if wall > Clock::COARSE => wall.min(end - start),
            _ => wall,
        }
    }

    fn processor() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
        Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
    }
}

/// The least time of several runs, and the result of the last. What is prepared before a run and
/// dropped after it is not counted.
fn least<S, R>(mut prepare: impl FnMut() -> S, mut run: impl FnMut(S) -> R) -> (Duration, R) {
    let mut best = Duration::MAX;
    let mut total = Duration::ZERO;
    let mut runs = 0;
    loop {
        let prepared = prepare();
        let start = Clock::start();
        let result = run(prepared);
        let time = start.elapsed();
        best = best.min(time);
        total += time;
        runs += 1;
        let enough = runs >= 3 && total > Duration::from_millis(600);
        if enough || runs >= 50 || total > Duration::from_secs(6) {
            return (best, result);
        }
    }
}

/// One line of the table.
struct Row {
    task: String,
    units: usize,
    seconds: f64,
    bytes: Option<f64>,
}

/// Prints a measurement for the parent process.
fn report(task: &str, units: usize, time: Duration, graph: Option<&Graph>) {
    let bytes = graph.map_or(0.0, |graph| graph.bytes() as f64 / graph.len() as f64);
    println!("{task}\t{units}\t{}\t{bytes}", time.as_secs_f64());
}

/// Everything for one size.
fn one_size(size: usize) {
    let links = links_for(size);
    let (time, chain) = least(|| (), |()| chain(links));
    report("build: chain (nodes)", chain.graph.len(), time, Some(&chain.graph));
    report_memory("memory: peak of the process, chain built (bytes)");

    let (time, graph) = least(|| (), |()| random_dag(size));
    report("build: random dag (nodes)", graph.len(), time, Some(&graph));
    drop(graph);

    let (time, graph) = least(
        || many_symbols(size),
        |(mut graph, symbols)| {
            all_products(&mut graph, &symbols, size);
            graph
        },
    );
    report("build: products of two symbols (nodes)", graph.len(), time, Some(&graph));
    let (_, symbols) = many_symbols(size);
    let (time, graph) = least(
        || graph.clone(),
        |mut graph| {
            all_products(&mut graph, &symbols, size);
            graph
        },
    );
    report("find: the same products again (nodes)", graph.len(), time, None);
    drop(graph);

    substitution(&chain);
    lowering(&chain);
    differentiation(&chain);
    report_memory("memory: peak of the process, everything (bytes)");
}

/// Puts a number in for a symbol: everything above is built again.
fn substitution(chain: &Chain) {
    let last = chain.qd.len() - 1;
    for (place, symbol) in [("first", chain.qd[0]), ("last", chain.qd[last])] {
        let (time, graph) = least(
            || chain.graph.clone(),
            |mut graph| {
                let number = graph.number(0.7);
                graph.substitute(&chain.torques, &[(symbol, number)]);
                graph
            },
        );
        let task = format!("substitute: {place} velocity (nodes of the chain)");
        report(&task, chain.graph.len(), time, Some(&graph));
    }
}

/// Lowers all torques to a program.
fn lower_torques(chain: &Chain) -> (Duration, u64) {
    let request =
        Request { outputs: vec![Target::vector("Q", &chain.torques)], ..Request::default() };
    let (time, Lowered { program, .. }) = least(|| (), |()| lower(&chain.graph, &request));
    (time, ProgramCounts::of(&program).all().operations())
}

fn lowering(chain: &Chain) {
    let (time, operations) = lower_torques(chain);
    report("lower: torques (operations)", operations as usize, time, None);
}

fn differentiation(chain: &Chain) {
    let joints = chain.q.len();
    for (task, exprs, symbol) in [
        ("torques by second q", &chain.torques, chain.q[1]),
        ("torques by last q", &chain.torques, chain.q[joints - 1]),
        ("accelerations by last q", &chain.accelerations, chain.q[joints - 1]),
    ] {
        let (time, (graph, derivatives)) = least(
            || chain.graph.clone(),
            |mut graph| {
                let derivatives = graph.derivatives(exprs, &[symbol]);
                (graph, derivatives)
            },
        );
        let task = format!("differentiate: {task} (outputs and nodes that move)");
        report(&task, exprs.len() + derivatives.nodes, time, Some(&graph));
    }
    let (time, graph) = least(
        || chain.graph.clone(),
        |mut graph| {
            graph.gradient(chain.torques[0], &chain.q);
            graph
        },
    );
    report(
        "gradient: first torque by all q (nodes of the chain)",
        chain.graph.len(),
        time,
        Some(&graph),
    );
}

/// The most memory that this process ever used, as the kernel counts it.
fn report_memory(task: &str) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    println!("{task}\t{}\t0\t0", kilobytes.unwrap_or(0) * 1024);
}

// ---- the table ----

fn all_sizes() {
    let program = std::env::current_exe().expect("the path of this program");
    let mut rows: Vec<Vec<Row>> = Vec::new();
    for size in SIZES {
        let output = std::process::Command::new(&program)
            .args([ONE_SIZE, &size.to_string()])
            .stderr(std::process::Stdio::inherit())
            .output()
            .expect("this program can start itself");
        assert!(output.status.success(), "the run for {size} nodes failed: {}", output.status);
        let text = String::from_utf8_lossy(&output.stdout);
        rows.push(text.lines().filter_map(read_row).collect());
    }
    println!(
        "{:<12}{:>12}{:>12}{:>14}{:>14}{:>10}",
        "graph", "units", "ms", "units/s", "bytes/node", "growth"
    );
    for (line, first) in rows[0].iter().enumerate() {
        println!("\n{}", first.task);
        let mut before: Option<&Row> = None;
        for (size, rows) in SIZES.iter().zip(&rows) {
            let Some(row) = rows.get(line) else { continue };
            print_row(*size, row, before);
            before = Some(row);
        }
    }
    large_program();
}

fn read_row(line: &str) -> Option<Row> {
    let mut fields = line.split('\t');
    let task = fields.next()?.to_owned();
    let units = fields.next()?.parse().ok()?;
    let seconds = fields.next()?.parse().ok()?;
    let bytes = fields.next()?.parse().ok().filter(|&bytes: &f64| bytes > 0.0);
    Some(Row { task, units, seconds, bytes })
}

fn print_row(size: usize, row: &Row, before: Option<&Row>) {
    let Row { units, seconds, bytes, .. } = row;
    if *seconds == 0.0 {
        println!("{size:<12}{units:>12}");
        return;
    }
    let rate = *units as f64 / seconds;
    let bytes = bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{bytes:.1}"));
    let growth = before.map_or_else(
        || "-".to_owned(),
        |before| {
            let work = *units as f64 / before.units as f64;
            format!("{:.1}", 10.0 * seconds / before.seconds / work)
        },
    );
    println!("{size:<12}{units:>12}{:>12.2}{rate:>14.0}{bytes:>14}{growth:>10}", seconds * 1e3);
}

/// The time to lower a mechanism of fifty thousand operations.
fn large_program() {
    let (_, sample) = lower_torques(&chain(100));
    let chain = chain((100 * LARGE / sample.max(1)) as usize);
    let (time, operations) = lower_torques(&chain);
    println!(
        "\nlowering {operations} operations alone, from {} nodes: {:.1} ms",
        chain.graph.len(),
        time.as_secs_f64() * 1e3
    );
}
