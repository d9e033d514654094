// Browsers that do not answer, for the bounds of `bounded.mjs`: prints a line for each as `checks.mjs` does.
// Usage: node trials.mjs SECONDS

import { runChecks } from "./bounded.mjs";

const page = async (browser) => (await browser.newContext()).newPage();
const trials = {
  async a_page_that_never_answers(browser) {
    await (await page(browser)).evaluate(() => new Promise(() => {}));
  },
  async a_page_that_is_busy_forever(browser) {
    await (await page(browser)).evaluate(() => {
      for (;;);
    });
  },
  async a_browser_that_died(browser) {
    const session = await browser.newBrowserCDPSession();
    await session.send("Browser.crash");
  },
  async the_next_check_has_a_browser(browser) {
    const sum = await (await page(browser)).evaluate(() => 1 + 1);
    if (sum !== 2) throw new Error(`1 + 1 is ${sum}`);
  },
};

await runChecks(Object.entries(trials), Number(process.argv[2]));
process.exit(0);
