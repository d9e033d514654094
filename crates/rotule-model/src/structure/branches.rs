//! Branches of a tree: maximal chains without a fork.
//!
//! A branch begins just after the ground or after a body with several children and ends at a leaf
//! or at a body with several children (Postiau, section 1.1).

/// The branches of a tree given by the parent of each body. Body zero is the ground, whose entry is
/// not looked at; parents come before their children. Branches are in the order of their first
/// body.
pub fn branches(parents: &[usize]) -> Vec<Vec<usize>> {
    let mut children = vec![0_u32; parents.len()];
    for &parent in parents.iter().skip(1) {
        children[parent] += 1;
    }
    let mut branch_of = vec![usize::MAX; parents.len()];
    let mut branches: Vec<Vec<usize>> = Vec::new();
    for (body, &parent) in parents.iter().enumerate().skip(1) {
        let continues = parent != 0 && children[parent] == 1;
        branch_of[body] = if continues { branch_of[parent] } else { branches.len() };
        if !continues {
            branches.push(Vec::new());
        }
        branches[branch_of[body]].push(body);
    }
    branches
}

#[cfg(test)]
mod tests {
    use super::branches;

    /// Postiau, figure 1.2 (test A11): edges i-j, j-k, k-l, j-m, m-n, n-o, n-p.
    #[test]
    fn the_tree_of_figure_1_2_has_five_branches() {
        // ground, i, j, k, l, m, n, o, p
        let parents = [0, 0, 1, 2, 3, 2, 5, 6, 6];
        let names = ["", "i", "j", "k", "l", "m", "n", "o", "p"];
        let found: Vec<String> = branches(&parents)
            .iter()
            .map(|branch| branch.iter().map(|&body| names[body]).collect::<String>())
            .collect();
        assert_eq!(found, ["ij", "kl", "mn", "o", "p"]);
    }

    #[test]
    fn bodies_on_the_ground_begin_branches() {
        assert_eq!(branches(&[0, 0, 0, 2]), [vec![1], vec![2, 3]]);
        assert_eq!(branches(&[0]), Vec::<Vec<usize>>::new());
    }
}
