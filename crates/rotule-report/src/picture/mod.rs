//! Pictures of a scene without a browser: a small renderer of triangles, and its files.
//!
//! ```text
//! Scene --renderer.rs--> Renderer: solids as triangles (solid.rs), the camera (camera.rs), the ground
//!   Renderer --raster.rs--> Raster --png.rs--> a picture, --strip--> snapshots; shadows on hills: lamp.rs
//!   Rasters --vp8--> frames --webm.rs--> a film, or --gif.rs--> one of 256 colours
//!   Renderer --svg.rs-----> text, for print
//! ```
//!
//! Camera, light, marks and colours are those of the page, so that a picture shows what the page
//! shows when it opens. The same scene gives the same bytes on every machine.

mod camera;
mod deflate;
mod digits;
mod gif;
mod lamp;
mod palette;
mod png;
mod raster;
mod renderer;
mod solid;
mod svg;
#[cfg(test)]
mod tests;
mod vector;
mod vp8;
mod webm;

pub use camera::{Camera, View};
pub use gif::gif;
pub(crate) use png::crc as checksum;
pub use raster::Raster;
pub use renderer::Renderer;
pub use webm::webm;

/// The size of a picture in pixels, and how the scene is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureLook {
    /// The width.
    pub width: u32,
    /// The height.
    pub height: u32,
    /// `true` for light on dark.
    pub dark: bool,
    /// `true` for joints and connectors beside solids.
    pub marks: bool,
    /// The direction; none is the one that the page begins with.
    pub view: Option<View>,
}

impl Default for PictureLook {
    fn default() -> PictureLook {
        PictureLook { width: 1200, height: 800, dark: false, marks: true, view: None }
    }
}

/// The most pixels of a picture.
pub const MAX_PIXELS: u64 = 40_000_000;
