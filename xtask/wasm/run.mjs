// The side of the browser: `node run.mjs MODULE REQUEST FILE` prints what `rotule-wasm REQUEST FILE` does.
//
// The module imports nothing: texts go through its memory, as `src/exports.rs` says.

import { readFileSync, writeSync } from "node:fs";

const [module, request, file] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(module), {});
const { memory, reserve, run, address, length } = instance.exports;

/** The text that the module holds now; its memory may have moved. */
const held = () => Buffer.from(memory.buffer, address(), length());

const given = Buffer.from(`${request}\n${readFileSync(file, "utf8")}`);
const start = reserve(given.length);
new Uint8Array(memory.buffer).set(given, start);

let done = false;
try {
    done = run();
} catch (trap) {
    console.error(`${trap}`);
}
for (let rest = held(); rest.length > 0; ) {
    rest = rest.subarray(writeSync(done ? 1 : 2, rest));
}
process.exitCode = done ? 0 : 1;
