//! Triangle meshes: files read to indexed triangles, mass properties of the solids that they bound,
//! decimation for drawing, convex hulls, and the triangles of simple solids.
//!
//! ```text
//! STL, OBJ, DAE, glTF, GLB --read--> Mesh --mass_properties--> volume, centre, inertia
//!                                         --decimate---------> fewer triangles
//! points ----------------hull------> Mesh
//! ```
//!
//! Nothing here reads files: bytes come in with a name, and the caller gives the files that a file
//! names. Files are not trusted: every refusal names the file, the place in it and the remedy, and
//! no file makes a reader take more memory than its size and the stated limits justify.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod affine;
mod collada;
mod decimate;
mod error;
mod gltf;
mod gltf_data;
mod hull;
mod mass;
mod mesh;
mod obj;
mod read;
pub mod solids;
mod soup;
mod stl;
mod surface;
pub mod xml;

pub use affine::Affine;
pub use decimate::{decimate, decimate_together};
pub use error::MeshError;
pub use hull::hull;
pub use mass::{MassProperties, mass_properties};
pub use mesh::Mesh;
pub use read::{
    MAX_BYTES, MAX_COORDINATE, MAX_TRIANGLES, MeshFile, MeshFormat, UpAxis, needs, read,
};
pub use surface::{Surface, surface};
