#!/usr/bin/env node
// Pictures of the real window for the README: the starter model does the main job on the licence texts that Debian
// ships, on a screen of its own and a fresh data folder. Nothing in them is drawn or staged. A step's words are changed
// before the plan is approved: the request, the plan, the change, the run and the file are one chain.
//
// Usage: node scripts/screenshots.mjs PROGRAM [FOLDER]     (default folder: docs/pictures)
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [program, target = 'docs/pictures'] = process.argv.slice(2);
if (!program || !existsSync(program)) {
  console.error('usage: node scripts/screenshots.mjs PROGRAM [FOLDER]; PROGRAM is a built assent-desktop');
  process.exit(64);
}

const MESSAGE =
  'For each licence here, count the lines that mention patents, in any case. Write a table, highest first, to patents.md.';
const TEXTS = '/usr/share/common-licenses';
/** A plan and a run take minutes on a small machine. */
const PATIENCE_MS = 20 * 60_000;
const LOOK_MS = 500;
const COLOURS = '128';
/** What a person adds to the last step before they approve, and the key that takes it. */
const FURTHER = ', as a Markdown table';
const ENTER = '\uE007';

const own = join(process.env.XDG_DATA_HOME ?? join(homedir(), '.local/share'), 'assent');
const home = mkdtempSync(join(tmpdir(), 'assent-pictures-'));
const workspace = join(home, 'licences');
const children = [];

function start(command, args, options) {
  const child = spawn(command, args, options);
  child.on('error', (error) => stop(`${command} does not start: ${error.message}; scripts/setup screenshots installs it`));
  children.push(child);
  return child;
}

function end() {
  // The window goes before its screen, so that the model's server is let go of in order.
  for (const child of children.reverse()) child.kill();
  // What ends may still write there.
  for (let tries = 0; tries < 40; tries += 1) {
    try {
      return rmSync(home, { recursive: true, force: true });
    } catch {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    }
  }
  console.error(`screenshots: ${home} could not be removed`);
}

function stop(problem) {
  console.error(`screenshots: ${problem}`);
  end();
  process.exit(1);
}

const freePort = () =>
  new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });

/** A screen, and a driver on it that opens programs with a home folder of their own. */
async function openDriver() {
  const screen = start('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x820x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const display = await new Promise((named) => screen.stdout.once('data', (data) => named(String(data).trim())));
  const port = await freePort();
  const { WAYLAND_DISPLAY: _display, XDG_DATA_HOME: _data, XDG_CONFIG_HOME: _config, ...env } = process.env;
  start('WebKitWebDriver', [`--port=${port}`], {
    stdio: 'ignore',
    env: {
      ...env,
      DISPLAY: `:${display}`,
      GDK_BACKEND: 'x11',
      HOME: home,
      ASSENT_HOME: join(home, 'assent'),
      ASSENT_MODELS: process.env.ASSENT_MODELS ?? join(own, 'models'),
      ASSENT_LLAMA_SERVER: process.env.ASSENT_LLAMA_SERVER ?? join(own, 'bin/llama-server'),
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      TAURI_WEBVIEW_AUTOMATION: 'true',
    },
  });
  return async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${value.message}`);
    return value;
  };
}

/** The first element of a `data-testid` whose words hold some, as a script that sets `found`. */
const finding = (testid, words) =>
  `const found = [...document.querySelectorAll('[data-testid=${JSON.stringify(testid)}]')]
     .find((one) => one.innerText.includes(${JSON.stringify(words)}) || ${words === ''});`;

async function openWindow(send) {
  for (let tries = 0; ; tries += 1) {
    try {
      await send('GET', '/status');
      break;
    } catch (error) {
      if (tries > 200) throw error;
      await pause(50);
    }
  }
  const options = { binary: resolve(program), args: [] };
  const { sessionId } = await send('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
  });
  const at = `/session/${sessionId}`;
  const run = (script) => send('POST', `${at}/execute/sync`, { script, args: [] });
  const window = {
    run,
    /** Waits until a script gives something. */
    async until(script, meanwhile) {
      const deadline = Date.now() + PATIENCE_MS;
      for (;;) {
        const value = await run(script);
        if (value) return value;
        if (Date.now() > deadline) throw new Error(`the page never came to ${script}; it says:\n${await run('return document.body.innerText')}`);
        await meanwhile?.();
        await pause(LOOK_MS);
      }
    },
    shows: (testid, words = '') => window.until(`${finding(testid, words)} return found ? true : null`),
    /** As a mouse does. */
    async click(testid, words = '') {
      await window.shows(testid, words);
      const element = await run(`${finding(testid, words)} return found`);
      await send('POST', `${at}/element/${Object.values(element)[0]}/click`, {});
    },
    async write(testid, text) {
      await window.shows(testid);
      const element = await run(`${finding(testid, '')} return found`);
      await send('POST', `${at}/element/${Object.values(element)[0]}/value`, { text });
    },
    /** A picture in both themes. */
    async picture(name) {
      for (const theme of ['light', 'dark']) {
        await run(`document.documentElement.dataset.theme = ${JSON.stringify(theme)}`);
        await pause(500);
        const file = join(target, `${name}-${theme}.png`);
        writeFileSync(file, Buffer.from(await send('GET', `${at}/screenshot`), 'base64'));
        execFileSync('pngquant', ['--force', '--strip', '--speed', '1', '--output', file, COLOURS, file]);
        console.log(`screenshots: ${file}, ${Math.round(statSync(file).size / 1000)} kB`);
      }
    },
    close: () => send('DELETE', at),
  };
  await window.until("return document.querySelector('main') !== null");
  return window;
}

async function main() {
  mkdirSync(target, { recursive: true });
  mkdirSync(workspace);
  for (const entry of readdirSync(TEXTS, { withFileTypes: true }))
    if (entry.isFile()) copyFileSync(join(TEXTS, entry.name), join(workspace, entry.name));

  const window = await openWindow(await openDriver());
  // In the place of the system's folder picker, which no driver reaches.
  const folder = JSON.stringify({ change: { workspace } });
  await window.run(
    `window.isBefore = true;
     window.__TAURI_INTERNALS__.invoke('settings_change', ${folder}).then(() => location.reload())`,
  );
  await window.until('return window.isBefore ? null : true');
  await window.shows('workspace', 'licences');
  await window.write('composer', MESSAGE);
  await window.click('send');
  await window.shows('approve');
  await window.picture('plan');

  await changeLastStep(window);
  await window.click('approve');
  // What was changed is what runs.
  await window.shows('plan-version', 'v2');
  // The first step is done and another one runs.
  const seen = await window.until(
    `const strip = document.querySelector('[data-testid=strip]');
     if (document.querySelector('[data-testid=answer]')) return 'over';
     return strip && /[1-9]\\d* of/.test(strip.innerText) ? 'running' : null`,
    approveWhatAsks(window),
  );
  if (seen === 'over') throw new Error('the run was over before its picture was taken');
  await window.picture('running');
  await window.until(`${finding('answer', '')} return found ? true : null`, approveWhatAsks(window));
  await window.close();

  const table = readFileSync(join(workspace, 'patents.md'), 'utf8');
  console.log(`screenshots: the job wrote\n${table}`);
  const wrong = wrongIn(table);
  if (wrong.length > 0) throw new Error(`the table is wrong: ${wrong.join('; ')}`);
}

/** What a table of the counts does not say as it is. */
function wrongIn(table) {
  const rows = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const said = new Map(rows.filter((row) => row.length > 3).map((row) => [row[1], row[2]]));
  return readdirSync(TEXTS, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => {
      const lines = readFileSync(join(TEXTS, name), 'utf8').split('\n');
      return [name, String(lines.filter((line) => /patent/i.test(line)).length), said.get(name) ?? 'nothing'];
    })
    .filter(([, count, told]) => count !== told)
    .map(([name, count, told]) => `${name} has ${count}, told is ${told}`);
}

/** Says a little more in the last step, which makes a change that is not saved. */
async function changeLastStep(window) {
  const words = await window.run(
    `return [...document.querySelectorAll('[data-testid=step]')].at(-1).querySelector('.title')?.innerText ?? ''`,
  );
  await window.click('step', words);
  await window.write('edit-description', `${FURTHER}${ENTER}`);
  await window.shows('plan-version', 'v1, changed');
}

const approveWhatAsks = (window) => () =>
  window.run("document.querySelector('[data-testid=request-approve]:not([aria-disabled])')?.click()");

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop('stopped'));
main().then(end, (error) => stop(error.message));
