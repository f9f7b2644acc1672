// What the page costs: long sessions, large plans, a stream of tokens. The built page in Chromium, on the scripted
// engine, under the window's own policy; times are taken inside of the page, CPU through the browser's own counters.
//
// Usage: node bench/page.mjs        (after `npm --prefix ui ci`; prints one JSON object)

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const { chromium } = createRequire(join(ROOT, 'ui/package.json'))('playwright-core');

/** Fresh pages on which opening something is measured: each is as cold as a window that was just started. */
const ROUNDS = 15;
const SCROLL_STEPS = 250;
const EDITS = 20;
const TOKENS_A_SECOND = 200;
const STREAM_SECONDS = 12;
/** Milliseconds that the window's process gathers pieces of text before it sends them (`src-tauri/src/stream.rs`). */
const PACKET_MS = 25;

/** The page with the scripted engine, built as the one that ships. */
function build() {
  const folder = mkdtempSync(join(tmpdir(), 'assent-bench-page-'));
  const vite = ['node_modules/vite/bin/vite.js', 'build', '--mode', 'scripted', '--logLevel', 'error'];
  execFileSync(process.execPath, [...vite, '--outDir', folder], { cwd: join(ROOT, 'ui'), stdio: 'inherit' });
  return folder;
}

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2', '.svg': 'image/svg+xml' };

async function serve(folder) {
  const { csp } = JSON.parse(readFileSync(join(ROOT, 'tauri.conf.json'), 'utf8')).app.security;
  const policy = Object.entries(csp).map(([name, value]) => `${name} ${value}`).join('; ');
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://page').pathname);
    const file = join(folder, path === '/' ? 'index.html' : path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain', 'content-security-policy': policy });
    response.end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

function startBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const executablePath = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
  if (!executablePath) throw new Error(`this needs ${names.join(' or ')}; scripts/setup bench installs it`);
  // Without smooth scrolling a turn of the wheel is one step, and not a dozen small ones.
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-smooth-scrolling'];
  return chromium.launch({ executablePath, args });
}

/** What measures inside of the page. It knows no more of it than its test ids. */
function instruments() {
  /** To be called from a frame's callback, in which everything that stands in the document is about to be drawn. */
  const drawn = (act) => {
    // A message is taken after the frame was handed on, which is when what was drawn in it can be seen.
    const channel = new MessageChannel();
    channel.port1.onmessage = act;
    channel.port2.postMessage(null);
  };
  const inSight = (element) => {
    const { top, bottom, height } = element.getBoundingClientRect();
    return height > 0 && bottom > 0 && top < innerHeight;
  };
  const bench = {
    inSight,
    dataAt: null,
    keyAt: null,
    /** Notes when the engine first gives what a map of it keeps under a key that passes. */
    watch(map, passes) {
      const get = map.get.bind(map);
      map.get = (key) => {
        if (bench.dataAt === null && passes(key)) bench.dataAt = performance.now();
        return get(key);
      };
    },
    /** The time at which everything that `find` looks for can be seen. */
    seen: (find) =>
      new Promise((done) => {
        const look = () => {
          const elements = find();
          if (elements.length > 0 && elements.every((element) => element && inSight(element)))
            drawn(() => done(performance.now()));
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    /** Everything in the document: elements, texts, comments. */
    nodes() {
      const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
      let count = 1;
      while (walker.nextNode()) count += 1;
      return count;
    },
  };
  addEventListener('keydown', (event) => (bench.keyAt = event.timeStamp), true);
  Object.assign(window, { bench });
}

async function opened(browser, address, scene) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 860 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => {
    throw new Error(`the page failed: ${error.message}`);
  });
  await page.addInitScript(instruments);
  await page.goto(`${address}?by=hand&scene=${scene}`);
  await page.getByTestId('session').first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  // What the first view does without comes right after it, before anybody has found what to press.
  await page.waitForFunction(() => performance.getEntriesByName('complete').length > 0);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable');
  return { page, cdp, close: () => context.close() };
}

/** Milliseconds of the page's main thread so far: script, style and layout, and everything. */
async function spent(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (name) => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000;
  return { script: of('ScriptDuration'), layout: of('LayoutDuration') + of('RecalcStyleDuration'), task: of('TaskDuration') };
}

const frames = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Of 10,000 messages and their answers: from the engine's data to the newest one seen. */
async function firstPaint(browser, address) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { page, close } = await opened(browser, address, 'long');
    const time = await page.evaluate(async () => {
      bench.watch(scripted.events, () => true);
      const seen = bench.seen(() =>
        [...document.querySelectorAll('[data-testid=message]')].filter((one) => one.textContent.includes('Message 10000:')),
      );
      document.querySelector('[data-testid=session]').click();
      return (await seen) - bench.dataAt;
    });
    times.push(time);
    await close();
  }
  return times;
}

/** Upwards through rows that were never drawn before: what each step costs, and how much stands in the document. */
async function scrolling(browser, address) {
  const { page, cdp, close } = await opened(browser, address, 'long');
  await page.getByTestId('session').first().click();
  await page.getByText('Message 10000:').waitFor();
  const box = await page.getByTestId('turns').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await frames(page);
  let most = await page.evaluate(() => bench.nodes());
  const steps = [];
  for (let step = 0; step < SCROLL_STEPS; step += 1) {
    const from = await page.evaluate(() => {
      bench.row = [...document.querySelectorAll('[data-testid=message]')].find(bench.inSight);
      return bench.row.getBoundingClientRect().top;
    });
    const before = await spent(cdp);
    await cdp.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: box.x + 200, y: box.y + 200, deltaX: 0, deltaY: -400 });
    await frames(page);
    const after = await spent(cdp);
    steps.push(after.script + after.layout - before.script - before.layout);
    const { to, nodes } = await page.evaluate(() => ({
      // What is above may turn out to be larger than was thought: only where a row stands says how far it went.
      to: bench.row.isConnected ? bench.row.getBoundingClientRect().top : Infinity,
      nodes: bench.nodes(),
    }));
    if (to <= from) throw new Error(`step ${step} did not scroll: a row stood at ${from} and stands at ${to}`);
    most = Math.max(most, nodes);
  }
  await close();
  return { steps, nodes: most };
}

/** A plan of 500 steps: from the engine's data to card and graph seen. */
async function layout(browser, address) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { page, close } = await opened(browser, address, 'large');
    const time = await page.evaluate(async () => {
      bench.watch(scripted.plans, () => true);
      const first = (testid) => document.querySelector(`[data-testid=${testid}]`);
      const seen = bench.seen(() => [first('step'), first('node')]);
      document.querySelector('[data-testid=session]').click();
      return (await seen) - bench.dataAt;
    });
    times.push(time);
    await close();
  }
  return times;
}

/** Edits of such a plan: from the key to the graph that shows the change. */
async function editing(browser, address) {
  const { page, close } = await opened(browser, address, 'large');
  await page.getByTestId('session').first().click();
  await page.getByTestId('node').first().waitFor();
  await page.getByTestId('step').nth(4).click();
  const times = [];
  for (let edit = 0; edit < EDITS; edit += 1) {
    const words = `Look at part number ${edit} only`;
    await page.getByTestId('edit-description').fill(words);
    await page.evaluate((label) => {
      bench.changed = bench.seen(() =>
        [...document.querySelectorAll('[data-testid=node]')].filter((node) => node.getAttribute('aria-label')?.includes(label)),
      );
    }, words);
    await page.keyboard.press('Enter');
    times.push(await page.evaluate(async () => (await bench.changed) - bench.keyAt));
    await frames(page);
  }
  await close();
  return times;
}

/** Markdown of every kind, in pieces of about a token. */
const STORY = [
  '## A part of the story\n\nThe harbour lies **north** of the town; ships come in with the tide, and `leave` before dawn. ',
  'Nobody counts them any more, except for one old man.\n\n- first he looks at the masts\n- then at the flags\n\n',
  '| ship | masts |\n| --- | ---: |\n| Aurora | 3 |\n| Bounty | 2 |\n\n```python\nfor ship in ships:\n    print(ship)\n```\n\n',
].join('');

/** An answer that is written at 200 tokens a second, as the window's process sends it: CPU of the page's process. */
async function streaming(browser, address) {
  const { page, cdp, close } = await opened(browser, address, 'sample');
  await page.getByTestId('session').first().click();
  await page.getByTestId('answer').first().waitFor();
  await frames(page);
  const whole = await browser.newBrowserCDPSession();
  const renderers = async () => {
    const { processInfo } = await whole.send('SystemInfo.getProcessInfo');
    return processInfo.filter((one) => one.type === 'renderer').reduce((sum, one) => sum + one.cpuTime, 0) * 1000;
  };
  const before = { ...(await spent(cdp)), process: await renderers(), clock: performance.now() };
  const characters = await page.evaluate(
    ({ story, rate, seconds, every }) => {
      const row = [...scripted.sessions.values()].sort((one, other) => other.updatedAt - one.updatedAt)[0];
      const place = { session: row.id, turn: scripted.id('turn') };
      scripted.tell({ type: 'work', session: row.id, active: true });
      scripted.commit(place, { kind: 'message_received', text: 'Tell me a long story.' });
      const tokens = story.match(/\s?[\s\S]{1,4}/g);
      const began = performance.now();
      let told = 0;
      return new Promise((done) => {
        const timer = setInterval(() => {
          const due = Math.min(Math.floor(((performance.now() - began) * rate) / 1000), rate * seconds);
          let text = '';
          for (; told < due; told += 1) text += tokens[told % tokens.length];
          if (text) scripted.tell({ type: 'planning', ...place, progress: { type: 'answer', text } });
          if (told < rate * seconds) return;
          clearInterval(timer);
          done(document.querySelector('[data-testid=turns]').textContent.length);
        }, every);
      });
    },
    { story: STORY, rate: TOKENS_A_SECOND, seconds: STREAM_SECONDS, every: PACKET_MS },
  );
  const after = { ...(await spent(cdp)), process: await renderers(), clock: performance.now() };
  if (characters < TOKENS_A_SECOND * STREAM_SECONDS) throw new Error(`the page shows ${characters} characters only`);
  await close();
  const wall = after.clock - before.clock;
  return { process: (after.process - before.process) / wall, mainThread: (after.task - before.task) / wall };
}

/** The smallest value that so large a part of them does not exceed. */
const share = (values, part) => {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
};
const rounded = (value) => Math.round(value * 100) / 100;
const summed = (values) => ({ median: rounded(share(values, 0.5)), p95: rounded(share(values, 0.95)) });

const folder = build();
const server = await serve(folder);
const address = `http://127.0.0.1:${server.address().port}/`;
const browser = await startBrowser();
try {
  const { steps, nodes } = await scrolling(browser, address);
  const stream = await streaming(browser, address);
  const figures = {
    browser: browser.version(),
    firstPaintMs: summed(await firstPaint(browser, address)),
    nodes,
    scrollStepMs: summed(steps),
    planLayoutMs: summed(await layout(browser, address)),
    planEditMs: summed(await editing(browser, address)),
    streamOfACore: { process: rounded(stream.process), mainThread: rounded(stream.mainThread) },
  };
  console.log(JSON.stringify(figures, null, 1));
} finally {
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
