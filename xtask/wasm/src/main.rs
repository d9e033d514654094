//! The native side: `rotule-wasm REQUEST FILE` prints what `run.mjs` must print, too.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [request, file] = arguments.as_slice() else {
        eprintln!("Usage: rotule-wasm REQUEST FILE");
        return ExitCode::from(2);
    };
    let model = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"));
    match model.and_then(|model| rotule_wasm::answer(request, &model)) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
