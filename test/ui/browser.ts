import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { isOnPath } from "../../src/mirror/settings/key.ts";
import type { RunningUi } from "../../src/ui/start-ui.ts";

/**
 * A real Chromium, one in each test process, started when a test first needs it. A page that writes
 * to its console or requests another host fails its test.
 */

/**
 * The first is the same engine without the rest of a browser, whose start takes most of the time.
 */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // All pages of a browser share one process, in spite of their isolation headers.
  "--disable-site-isolation-trials",
  "--renderer-process-limit=1",
];
const VIEWPORT = { width: 1_000, height: 700 };
const NARROW = 320;
/** Folder for screenshots. No test compares them. */
const SHOTS = process.env["MDMIRROR_SCREENSHOTS"];

const program = findProgram();
let started: Promise<Browser> | null = null;
let shared: Promise<BrowserContext> | null = null;

/** False if no Chromium is installed; for `describe.skipIf`. */
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
    // Playwright ends it with this process.
    started = chromium.launch({ executablePath: program!, args: FLAGS });
  }
  return started;
}

/**
 * LIMIT: ms for a page or a test that never ends, as in `config/vitest.config.ts`. Playwright's
 * default of 30 s is too short on a busy machine. If closing a page hangs, the cause of a test's
 * failure must still be reported.
 */
const HANGING_MS = 120_000;

type PageOptions = Pick<BrowserContextOptions, "viewport"> & {
  /** Matches console messages that do not fail the test. */
  readonly mayFail?: RegExp;
};
type OwnOptions = PageOptions & Pick<BrowserContextOptions, "javaScriptEnabled">;

async function openContext(options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await (await browser()).newContext({ viewport: VIEWPORT, ...options });
  context.setDefaultTimeout(HANGING_MS);
  return context;
}

/** Opens a page in the shared browser; its cookies are removed after the test. */
export async function newPage({ mayFail, viewport = VIEWPORT }: PageOptions = {}): Promise<Page> {
  shared ??= openContext({}).then(async (context) => {
    // An open page keeps the browser's process alive, with compiled scripts of axe-core and of the
    // pages.
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

/** Opens a page in a separate browser context with its own cookies, which ends with the test. */
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

/** Returns the list of a page's faults, to which more are added until the page is closed. */
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

/** Signs in by the printed address, then opens a page. */
export async function openPage(ui: RunningUi, path: string, options: PageOptions = {}): Promise<Page> {
  const page = await newPage(options);
  await page.goto(ui.enterUrl());
  await page.goto(`${ui.url}${path}`);
  return page;
}

/**
 * Checks the layout of a page, wide and narrow: nothing may be cut off, and axe-core finds no
 * fault. Dark colours are checked by `test/page/colours.test.ts`.
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

/** Without results for what is right and without selectors, which halves the time. */
const BRIEF = JSON.stringify({ resultTypes: ["violations"], selectors: false });

/** Expects that axe-core finds no fault. */
async function expectAccessible(page: Page): Promise<void> {
  // Only the faults are returned, because the whole result is large.
  const run = `axe.run(${BRIEF}).then(({ violations }) => violations.map(${nameFault}))`;
  // Evaluated by the debugger, because the page's policy allows no foreign script.
  expect(await page.evaluate(`${axeSource()};\n${run}`)).toEqual([]);
}

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** Runs in the page. */
const nameFault = ({ id, nodes }: Violation) => `${id}: ${nodes.map((node) => node.html).join(" ")}`;

function axeSource(): string {
  return readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}
