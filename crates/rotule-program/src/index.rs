//! Typed indices: one newtype for each arena of a program.
//!
//! An index is four bytes and `Copy`; the type keeps a value from being taken for a region. The
//! order of indices is the order of creation.

/// Declares an index type over an arena.
macro_rules! index {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            /// The index of the item at `position`. An arena holds fewer than 2^32 items.
            pub const fn new(position: usize) -> $name {
                debug_assert!(position <= u32::MAX as usize);
                $name(position as u32)
            }

            /// The position in the arena.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index! {
    /// A value of a program: one operation of its arena.
    Value
    /// An input of a program.
    InputId
    /// An external function that a program declares.
    FunctionId
    /// An iterated region of a program.
    RegionId
    /// An output of a program.
    OutputId
    /// A mark of a program.
    MarkId
    /// A place where a temporary is kept.
    SlotId
}
