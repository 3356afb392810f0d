import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { isOnPath } from "../../src/mirror/settings/key.ts";
import type { RunningUi } from "../../src/ui/start-ui.ts";

/**
 * A real Chromium, one for each process of the tests; started when a test first asks for it. A page
 * that says anything on its console, or asks another host, fails its test.
 */

/** The first is the same engine without the rest of a browser, which takes most of the time. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // All pages of a browser have one process, however they forbid it to each other.
  "--disable-site-isolation-trials",
  "--renderer-process-limit=1",
];
const VIEWPORT = { width: 1_000, height: 700 };
const NARROW = 320;
/** The folder in which screenshots are kept, for who wants to look at them: no test judges one. */
const SHOTS = process.env["MDMIRROR_SCREENSHOTS"];

const program = findProgram();
let started: Promise<Browser> | null = null;
let shared: Promise<BrowserContext> | null = null;

/** For `describe.skipIf`. */
export const hasBrowser = program !== null;
if (!hasBrowser) console.log("the tests of pages in a browser are skipped: no chromium is on this machine");

function findProgram(): string | null {
  const path = process.env["PATH"] ?? "";
  const name = NAMES.find((one) => isOnPath(one, path));
  const folder = path.split(":").find((one) => name !== undefined && existsSync(join(one, name)));
  return name === undefined || folder === undefined ? null : join(folder, name);
}

async function browser(): Promise<Browser> {
  if (started === null) {
    const { chromium } = await import("playwright-core");
    // It ends with the process: playwright sees to that.
    started = chromium.launch({ executablePath: program!, args: FLAGS });
  }
  return started;
}

/**
 * A guard against what never ends, in ms, as in the configuration of the tests. Playwright's own
 * 30 s are too few on a busy machine; and a browser that does not end a page that is on its way to
 * another one must not hide why its test failed.
 */
const HANGING_MS = 120_000;

type PageOptions = Pick<BrowserContextOptions, "viewport"> & {
  /** What the page may say on its console. */
  readonly mayFail?: RegExp;
};
type OwnOptions = PageOptions & Pick<BrowserContextOptions, "javaScriptEnabled">;

async function openContext(options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await (await browser()).newContext({ viewport: VIEWPORT, ...options });
  context.setDefaultTimeout(HANGING_MS);
  return context;
}

/** Opens a page in the browser of most tests, whose cookies end with the test. */
export async function newPage({ mayFail, viewport = VIEWPORT }: PageOptions = {}): Promise<Page> {
  shared ??= openContext({}).then(async (context) => {
    // It keeps the process of the browser: axe-core and the scripts of the pages stay compiled.
    await context.newPage();
    return context;
  });
  const context = await shared;
  const page = await context.newPage();
  await page.setViewportSize(viewport!);
  const wrong = watch(page, mayFail);
  onTestFinished(async () => {
    await page.close();
    await context.clearCookies();
    expect(wrong).toEqual([]);
  }, HANGING_MS);
  return page;
}

/** Opens a page in a browser of its own: its cookies are nobody else's. Ended with the test. */
export async function newBrowserPage({ mayFail, ...options }: OwnOptions = {}): Promise<Page> {
  const context = await openContext(options);
  const wrongs: string[][] = [];
  context.on("page", (page) => wrongs.push(watch(page, mayFail)));
  onTestFinished(async () => {
    await context.close();
    expect(wrongs.flat()).toEqual([]);
  }, HANGING_MS);
  return context.newPage();
}

/** Returns the list of what a page does wrong, which grows until the page is closed. */
function watch(page: Page, mayFail = /^$/): string[] {
  const wrong: string[] = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => {
    const text = `${message.type()}: ${message.text()}`;
    if (!mayFail.test(text)) wrong.push(text);
  });
  page.on("request", (request) => {
    if (new URL(request.url()).hostname !== "127.0.0.1") wrong.push(`asked ${request.url()}`);
  });
  return wrong;
}

/** Opens the printed address, then a page of the program. */
export async function openPage(ui: RunningUi, path: string, options: PageOptions = {}): Promise<Page> {
  const page = await newPage(options);
  await page.goto(ui.enterUrl());
  await page.goto(`${ui.url}${path}`);
  return page;
}

/**
 * Judges what a page looks like, light and narrow. Nothing of it may be cut off. The test of the
 * colours (`test/page/colours.test.ts`) judges the dark scheme.
 * @param name of the screenshots
 */
export async function shoot(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()!;
  await expectAccessible(page);
  await keep(page, name);
  await page.setViewportSize({ width: NARROW, height: 640 });
  await keep(page, `${name}-narrow`);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
  await page.setViewportSize(before);
}

/** Takes screenshots of a page in both colour schemes, if a folder for them is set. */
async function keep(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(SHOTS, `${name}-${colorScheme}.png`), fullPage: true });
  }
}

/** What is right is not described, and no selector is made for what is wrong: half of the time. */
const BRIEF = JSON.stringify({ resultTypes: ["violations"], selectors: false });

/** axe-core finds nothing. */
async function expectAccessible(page: Page): Promise<void> {
  // All that is right is in the result too, and would be sent here.
  const run = `axe.run(${BRIEF}).then(({ violations }) => violations.map(${nameFault}))`;
  // As what the debugger runs, not the page: its policy lets no script in.
  expect(await page.evaluate(`${axeSource()};\n${run}`)).toEqual([]);
}

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** Runs in the page. */
const nameFault = ({ id, nodes }: Violation) => `${id}: ${nodes.map((node) => node.html).join(" ")}`;

function axeSource(): string {
  return readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}
