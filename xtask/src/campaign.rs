//! `cargo xtask campaign`: random mechanisms in full size. What the ordinary tests run with a few
//! seeds is run here with hundreds, or with any others.
//!
//! Each campaign is an example program of a crate that prints its table and fails by its exit code.

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask campaign [NAME] [--count N] [--seed S] [--show SEED]

Runs random mechanisms, or one at random moments, and prints what became of them: those that agreed, those refused by
reason with the seeds of examples, and those that are wrong. Fails if one is wrong or if too few agree. NAME is one of

  closed       closed mechanisms in motion, by partition and by projection
  timed        one and two bodies with pulses, tables, switches, stops and events, against a fixed-step reference
  coupled      laws that see everything: against a twin with numbers, differences, and the balance of energy
  groups       five functions of closed mechanisms in every partition into groups, bit by bit
  modes        modes of closed mechanisms, against differences of forward dynamics
  equilibrium  equilibria of closed mechanisms, against forward dynamics
  singular     singular positions of closed mechanisms, against ranks of differences in plain kinematics
  linear       linear models of closed mechanisms, against differences and against the equations of motion
  interrupted  runs that are interrupted, terminated and killed at random moments, for each kind of output

Without NAME all campaigns run.

Options:
  --count N    how many mechanisms or moments (default: that of the campaign)
  --seed S     the first seed (default 0)
  --show SEED  print the model file of a seed instead; needs NAME, which is not `interrupted`
";

/// A campaign: its name, how many mechanisms or moments it has by default, and the example program
/// that runs it.
struct Campaign {
    name: &'static str,
    count: u64,
    package: &'static str,
    example: &'static str,
}

/// All campaigns.
const CAMPAIGNS: &[Campaign] = &[
    Campaign { name: "closed", count: 300, package: "rotule-simulate", example: "campaign" },
    Campaign { name: "timed", count: 300, package: "rotule-simulate", example: "campaign" },
    Campaign { name: "coupled", count: 200, package: "rotule-simulate", example: "campaign" },
    Campaign { name: "groups", count: 200, package: "rotule-simulate", example: "campaign" },
    Campaign { name: "modes", count: 300, package: "rotule-analysis", example: "campaign" },
    Campaign { name: "equilibrium", count: 300, package: "rotule-analysis", example: "campaign" },
    Campaign {
        name: "singular",
        count: 300,
        package: "rotule-analysis",
        example: "singular_campaign",
    },
    Campaign { name: "linear", count: 110, package: "rotule-analysis", example: "linear_campaign" },
    Campaign { name: "interrupted", count: 200, package: "rotule-cli", example: "interrupted" },
];

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let count = arguments.option::<u64>("--count")?;
    let seed = arguments.option::<u64>("--seed")?.unwrap_or(0);
    let show = arguments.option::<u64>("--show")?;
    let name = arguments.positional();
    let chosen = |one: &&Campaign| name.as_deref().is_none_or(|name| name == one.name);
    let chosen: Vec<&Campaign> = CAMPAIGNS.iter().filter(chosen).collect();
    if let (Some(name), []) = (&name, &chosen[..]) {
        return Err(arguments.error(format!("there is no campaign named `{name}`")));
    }
    if show.is_some() && name.is_none() {
        return Err(arguments.error("`--show` needs the name of a campaign".to_string()));
    }
    arguments.finish()?;
    for campaign in chosen {
        let Campaign { name, package, example, .. } = campaign;
        // Some campaigns run the program itself.
        project
            .cargo(&format!("build --quiet --package {package} --bins --example {example}"))
            .run()?;
        let call = Call::new(project.built(&format!("examples/{example}")), "").with(*name);
        match show {
            Some(seed) => call.with("show").with(seed.to_string()),
            None => {
                let count = count.unwrap_or(campaign.count);
                call.with(count.to_string()).with(seed.to_string())
            }
        }
        .run()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usage_names_every_campaign() {
        for campaign in CAMPAIGNS {
            assert!(USAGE.contains(&format!("\n  {} ", campaign.name)), "{}", campaign.name);
        }
    }
}
