//! Joints that carry bodies, and those that close loops.
//!
//! In SDF the joints may form any graph. A link is carried by the first joint that has it as its
//! child, one from the world before others; further ones stand apart, and the checks will find the
//! loops they close. A tree that is not tied to the world by its root but is tied to another tree
//! by a joint apart gets all its joints apart, so that the spanning tree can be chosen anew.

use super::build::End;

/// The carrier of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    /// The ground, without a joint.
    Ground,
    /// Nothing: it moves freely.
    Free,
    /// A joint, by its number.
    Edge(usize),
    /// Joints apart.
    Loose,
}

/// The joints of a model in their parts.
pub(super) struct Plan {
    /// The carrier of each link.
    pub carriers: Vec<Carrier>,
    /// The joints that stand apart, in the order of the file.
    pub loose: Vec<usize>,
}

/// Distributes the joints. Those without ends are left out.
pub(super) fn plan(links: usize, ends: &[Option<[End; 2]>]) -> Plan {
    let mut carriers = vec![Carrier::Free; links];
    let mut loose = Vec::new();
    // The world first: bodies are placed as near to the ground as possible.
    for world in [true, false] {
        for (edge, ends) in ends.iter().enumerate() {
            let Some([parent, End::Link(child)]) = *ends else { continue };
            if (parent == End::World) == world {
                match carriers[child] {
                    Carrier::Free => carriers[child] = Carrier::Edge(edge),
                    _ => loose.push(edge),
                }
            }
        }
    }
    let trees = cut_circles(&mut carriers, &mut loose, ends);
    let bound = bound_trees(&trees, &loose, ends);

    // A link of a tree that hangs on another tree is carried by joints apart.
    for (carrier, tree) in carriers.iter_mut().zip(&trees.of) {
        if bound[*tree] {
            if let Carrier::Edge(edge) = *carrier {
                loose.push(edge);
            }
            *carrier = Carrier::Loose;
        }
    }
    loose.sort_unstable();
    Plan { carriers, loose }
}

/// Trees of links; tree 0 stands on the ground.
struct Trees {
    /// The tree of each link.
    of: Vec<usize>,
    count: usize,
}

/// Breaks circles of carriers at the first link of each, and finds the trees.
fn cut_circles(
    carriers: &mut [Carrier],
    loose: &mut Vec<usize>,
    ends: &[Option<[End; 2]>],
) -> Trees {
    const NONE: usize = usize::MAX;
    const OPEN: usize = usize::MAX - 1;
    let mut of = vec![NONE; carriers.len()];
    let mut count = 1;
    let mut way = Vec::new();
    for start in 0..carriers.len() {
        let mut at = start;
        let tree = loop {
            match of[at] {
                NONE => {}
                OPEN => {
                    // A circle: the link that was met again moves freely, its joint stands apart.
                    if let Carrier::Edge(edge) = carriers[at] {
                        loose.push(edge);
                    }
                    carriers[at] = Carrier::Free;
                    count += 1;
                    break count - 1;
                }
                tree => break tree,
            }
            of[at] = OPEN;
            way.push(at);
            let parent = match carriers[at] {
                Carrier::Edge(edge) => ends[edge].map(|[parent, _]| parent),
                _ => None,
            };
            match parent {
                Some(End::Link(next)) => at = next,
                Some(End::World) => break 0,
                None => {
                    count += 1;
                    break count - 1;
                }
            }
        };
        for link in way.drain(..) {
            of[link] = tree;
        }
    }
    Trees { of, count }
}

/// For every tree, whether it hangs on another by joints apart: reached from the ground, or from
/// the first tree of those that do not reach the ground.
fn bound_trees(trees: &Trees, loose: &[usize], ends: &[Option<[End; 2]>]) -> Vec<bool> {
    let mut neighbours = vec![Vec::new(); trees.count];
    let tree_of = |end: End| match end {
        End::World => 0,
        End::Link(link) => trees.of[link],
    };
    for edge in loose {
        let Some([a, b]) = ends[*edge] else { continue };
        let (a, b) = (tree_of(a), tree_of(b));
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let mut bound = vec![false; trees.count];
    let mut seen = vec![false; trees.count];
    for start in 0..trees.count {
        let mut open = vec![start];
        let root = !std::mem::replace(&mut seen[start], true);
        if !root {
            continue;
        }
        while let Some(tree) = open.pop() {
            for next in &neighbours[tree] {
                if !std::mem::replace(&mut seen[*next], true) {
                    bound[*next] = true;
                    open.push(*next);
                }
            }
        }
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joints as pairs of letters, `w` the world: "wa ab". Carriers as the joint's number, `f`
    /// free or `l` loose.
    fn check(joints: &str, carriers: &str, loose: &[usize]) {
        let end = |c: u8| if c == b'w' { End::World } else { End::Link(usize::from(c - b'a')) };
        let ends: Vec<Option<[End; 2]>> = joints
            .split_whitespace()
            .map(|joint| Some([end(joint.as_bytes()[0]), end(joint.as_bytes()[1])]))
            .collect();
        let links = carriers.len();
        let plan = plan(links, &ends);
        let found: String = plan
            .carriers
            .iter()
            .map(|carrier| match carrier {
                Carrier::Ground => "g".to_owned(),
                Carrier::Free => "f".to_owned(),
                Carrier::Edge(edge) => edge.to_string(),
                Carrier::Loose => "l".to_owned(),
            })
            .collect();
        assert_eq!((found.as_str(), plan.loose.as_slice()), (carriers, loose), "{joints}");
    }

    #[test]
    fn joints_are_distributed() {
        // Trees.
        check("wa ab bc", "012", &[]);
        check("ab bc", "f01", &[]);
        check("", "ff", &[]);
        // A loop: the second joint of a link stands apart.
        check("wa ab wc cb", "012", &[3]);
        check("wa ab wb", "02", &[1]);
        // A root that is held by a joint whose child is held already.
        check("wa ba", "0l", &[1]);
        // The same through a link: all joints of that tree stand apart.
        check("wa bc ca", "0ll", &[1, 2]);
        // Without the ground the first tree is the base.
        check("ab cb", "f0l", &[1]);
        // A circle without a beginning.
        check("ab bc ca", "f01", &[2]);
        check("ba ab", "f1", &[0]);
        check("aa", "f", &[0]);
        // A circle that is tied to the world.
        check("ab bc ca wb", "231", &[0]);
        // Two, the second with the world hanging on it by a link that is carried already.
        check("ab ba wc bc", "ll2", &[0, 1, 3]);
    }
}
