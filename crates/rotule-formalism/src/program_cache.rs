//! The program cache: programs that were generated, kept for trees that differ in the numbers of
//! their parameters alone, such as the samples of a study.
//!
//! Formalisms look at numbers where they choose, so that other numbers may give another program for
//! the same function. A cache therefore generates with the numbers that it was made with: its
//! programs do not depend on the order of requests.

use crate::constraint::is_constrained;
use crate::constraint::partition::CoordinatePartition;
use crate::formalism::{Formalism, WrittenFunction, search};
use crate::group::{Requested, WrittenGroup, write_group};
use crate::{ModelFunction, MultibodySystem, Problem};
use std::sync::{Arc, Mutex, PoisonError};

/// A cache of programs, shared by the trees that use it, and the variant of the tree that holds it.
#[derive(Clone)]
pub struct ProgramCache {
    kept: Arc<Kept>,
    variant: String,
}

struct Kept {
    /// The numbers of all parameters; those that variants add are zero.
    parameters: Vec<f64>,
    written: Mutex<Vec<Entry<WrittenFunction>>>,
    groups: Mutex<Vec<Entry<WrittenGroup>>>,
}

struct Entry<T> {
    variant: String,
    /// The function, or all of a group.
    function: String,
    partition: Option<CoordinatePartition>,
    made: T,
}

impl ProgramCache {
    /// An empty cache for a tree and all that become of it by other numbers.
    pub fn new(tree: &MultibodySystem) -> ProgramCache {
        let parameters = tree.mechanism.parameters.iter().map(|one| one.value).collect();
        let (written, groups) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let kept = Kept { parameters, written, groups };
        ProgramCache { kept: Arc::new(kept), variant: String::new() }
    }

    /// This cache for another tree of the same mechanism, such as one whose joints are locked.
    pub fn variant(&self, name: String) -> ProgramCache {
        ProgramCache { kept: Arc::clone(&self.kept), variant: name }
    }

    /// Number of programs.
    pub fn written(&self) -> usize {
        let groups = self.kept.groups.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.kept.written.lock().unwrap_or_else(PoisonError::into_inner).len() + groups
    }

    /// The program of a function, which is written if it is not there.
    pub(crate) fn generate(
        &self,
        tree: &MultibodySystem,
        function: &ModelFunction,
    ) -> Result<WrittenFunction, Problem> {
        let write = || search(&self.with_own_numbers(tree), function, None, 0);
        // What is chosen by the tree's own numbers cannot be kept for others.
        if is_constrained(&tree.mechanism) && tree.strategy.partition.is_none() {
            return search(tree, function, None, 0);
        }
        self.keep(&self.kept.written, tree, &function.canonical, write)
    }

    /// The program of functions that are written together, which is written if it is not there.
    pub(crate) fn generate_group(
        &self,
        list: &[Requested<'_>],
        formalism: Option<Formalism>,
    ) -> Result<WrittenGroup, Problem> {
        let Some((tree, _)) = list.first() else { return write_group(list, formalism) };
        let write = || {
            let own: Vec<MultibodySystem> =
                list.iter().map(|(tree, _)| self.with_own_numbers(tree)).collect();
            let list: Vec<Requested<'_>> =
                own.iter().zip(list).map(|(tree, (_, function))| (tree, *function)).collect();
            write_group(&list, formalism)
        };
        let names = list.iter().map(|(_, one)| one.canonical.as_str());
        let names: Vec<&str> = formalism.map(Formalism::name).into_iter().chain(names).collect();
        self.keep(&self.kept.groups, tree, &names.join(", "), write)
    }

    /// A tree with the numbers that the cache was made with.
    fn with_own_numbers(&self, tree: &MultibodySystem) -> MultibodySystem {
        let mut own = tree.clone();
        let numbers = self.kept.parameters.iter().copied().chain(std::iter::repeat(0.0));
        own.mechanism.parameters.iter_mut().zip(numbers).for_each(|(one, x)| one.value = x);
        own
    }

    fn keep<T: Clone>(
        &self,
        list: &Mutex<Vec<Entry<T>>>,
        tree: &MultibodySystem,
        function: &str,
        write: impl FnOnce() -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let known = |entry: &&Entry<T>| {
            entry.function == function
                && entry.variant == self.variant
                && entry.partition == tree.strategy.partition
        };
        let written = || list.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = written().iter().find(known) {
            return Ok(entry.made.clone());
        }
        let made = write()?;
        let mut written = written();
        // Another thread may have been faster; it wrote the same.
        if !written.iter().any(|entry| known(&entry)) {
            written.push(Entry {
                variant: self.variant.clone(),
                function: function.to_owned(),
                partition: tree.strategy.partition.clone(),
                made: made.clone(),
            });
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{generate, normalise};
    use rotule_model::{ReadOptions, load_text};

    const MODEL: &str = r#"
        [model]
        name = "arm"
        [parameters]
        m = 2
        [[body]]
        name = "a"
        parent = "ground"
        joint = { name = "q1", type = "revolute", axis = "z" }
        mass = "m"
        com = [0.3, 0, 0]
    "#;

    #[test]
    fn a_program_is_written_once_for_all_numbers() {
        let mechanism = load_text("arm", MODEL, &ReadOptions::default()).expect("a valid model");
        let mut tree = normalise(mechanism);
        let cache = ProgramCache::new(&tree);
        tree.program_cache = Some(cache.clone());
        let function = ModelFunction::parse("forward", &tree).expect("a function");
        let first = generate(&tree, &function, None).expect("a program");
        tree.mechanism.parameters[0].value = 5.0;
        let second = generate(&tree, &function, None).expect("a program");
        assert_eq!(first.program.to_string(), second.program.to_string());
        assert_eq!(cache.written(), 1);
        // Others are not taken for it.
        let mass = ModelFunction::parse("mass", &tree).expect("a function");
        let mass = generate(&tree, &mass, None).expect("a program");
        assert_ne!(mass.program.to_string(), first.program.to_string());
        tree.program_cache = Some(cache.variant("held".to_owned()));
        generate(&tree, &function, None).expect("a program");
        assert_eq!(cache.written(), 3);
        // A request for one formalism is not answered from the cache.
        let formalism = *function.formalisms().last().expect("there is one");
        generate(&tree, &function, Some(formalism)).expect("a program");
        assert_eq!(cache.written(), 3);
    }
}
