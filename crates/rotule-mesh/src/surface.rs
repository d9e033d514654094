//! Checks of a surface: does it bound a solid?

use crate::Mesh;

/// The quality of a surface as the boundary of a solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// Edges with a triangle on one side only, or with an odd number of triangles.
    pub open_edges: usize,
    /// Edges whose triangles run along them in the same direction: one of them is inside out.
    pub opposed_edges: usize,
}

impl Surface {
    /// `true` if the surface bounds a solid: every edge is run along equally often in both
    /// directions. This is what the divergence theorem needs.
    pub fn is_closed(self) -> bool {
        self.open_edges == 0 && self.opposed_edges == 0
    }

    /// A sentence about what is wrong with the surface and what to do, if anything is.
    pub fn warning(self) -> Option<String> {
        let Surface { open_edges, opposed_edges } = self;
        let remedy = "repair it in the program that exported it, or write mass, com and inertia";
        if open_edges > 0 {
            let edges = if open_edges == 1 { "edge has" } else { "edges have" };
            let what =
                format!("the surface is open: {open_edges} {edges} a triangle on one side only");
            return Some(format!("{what}, so that it has no exact volume; {remedy}"));
        }
        (opposed_edges > 0).then(|| {
            let what = "triangles are inconsistently oriented";
            format!("{what} at {opposed_edges} edges, so that volumes cancel; {remedy}")
        })
    }
}

/// Counts the edges at which a mesh does not bound a solid.
pub fn surface(mesh: &Mesh) -> Surface {
    // Each edge from its lower to its higher corner, with the direction of the triangle.
    let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        edges.extend([(a, b), (b, c), (c, a)].map(|(a, b)| (a.min(b), a.max(b), a < b)));
    }
    edges.sort_unstable();
    let mut found = Surface::default();
    for edge in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let forward = edge.iter().filter(|(.., forward)| *forward).count();
        if edge.len() % 2 == 1 {
            found.open_edges += 1;
        } else if 2 * forward != edge.len() {
            found.opposed_edges += 1;
        }
    }
    found
}
