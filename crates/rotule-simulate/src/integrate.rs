//! The loop of every integration: of one motion (`run`), and of several in lanes (`study`).
//!
//! ```text
//! step --> inspect --> find events --> sample --> act --> change coordinates
//!   ^         | no: the step is taken back                        |
//!   +---------+---------------------------------------------------+
//! ```

/// A step in time, as a method made it or as an event cut it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub from: f64,
    pub to: f64,
}

/// Motions that go on step by step.
pub(crate) trait Integration {
    /// The reason to go no further.
    type Stop;

    /// Accepts and shows the first point.
    fn begin(&mut self) -> Result<(), Self::Stop>;

    /// Returns `true` if a further step is needed.
    fn goes_on(&self) -> bool;

    /// Makes a step that is to be judged; none if another one must be tried.
    fn step(&mut self) -> Result<Option<Step>, Self::Stop>;

    /// Returns `true` if a step may be accepted; else it has been taken back.
    fn inspect(&mut self, step: &Step) -> Result<bool, Self::Stop>;

    /// Cuts a step at its first event.
    fn find_events(&mut self, _step: &mut Step) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Accepts a step, and shows the points that are kept of it.
    fn sample(&mut self, step: &Step) -> Result<(), Self::Stop>;

    /// Lets the events at the accepted point act.
    fn act(&mut self) -> Result<(), Self::Stop> {
        Ok(())
    }

    /// Goes over to other coordinates where the present ones become bad.
    fn change_coordinates(&mut self) -> Result<(), Self::Stop>;
}

/// Goes on until the motion is over or stops.
pub(crate) fn integrate<I: Integration>(motion: &mut I) -> Result<(), I::Stop> {
    motion.begin()?;
    while motion.goes_on() {
        let Some(mut step) = motion.step()? else { continue };
        if !motion.inspect(&step)? {
            continue;
        }
        motion.find_events(&mut step)?;
        motion.sample(&step)?;
        motion.act()?;
        motion.change_coordinates()?;
    }
    Ok(())
}
