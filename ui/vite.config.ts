import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import subsetFont from 'subset-font';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** The port that `tauri.conf.json` names as its development address. */
const DEVELOPMENT_PORT = 1420;

/** Letters that few texts have, and code nearly none; they are drawn in a font of the system, and are no part of the program. */
const RARE = /-(cyrillic-ext|greek-ext)-wght|mono-(cyrillic|greek|latin-ext|vietnamese)-wght/;

const commonLetters = {
  postcssPlugin: 'common-letters',
  AtRule: {
    'font-face': (face: { toString(): string; remove(): unknown }) => {
      if (RARE.test(face.toString())) face.remove();
    },
  },
};

/** Of the letters beyond those of western Europe: the other languages of Europe, Romanian's commas, accents, currencies. */
const EXTENDED = [
  [0x100, 0x17f],
  [0x218, 0x21b],
  [0x2c6, 0x2dd],
  [0x304, 0x304],
  [0x308, 0x308],
  [0x1e9e, 0x1e9e],
  [0x2020, 0x2020],
  [0x20a0, 0x20c0],
  [0x2113, 0x2113],
] as const;
/** All that the other files of the fonts may have. */
const ALL = [[0x20, 0xffff]] as const;
/** The weights that the tokens name, with some room. */
const WEIGHTS = { min: 350, max: 700 };

const lettersOf = (ranges: readonly (readonly [number, number])[]) =>
  ranges
    .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))
    .map((code) => String.fromCodePoint(code))
    .join('');

/** Leaves out of the fonts what is drawn in no window: rare letters, and weights that nothing has. Half of them. */
const smallerFonts: Plugin = {
  name: 'smaller-fonts',
  apply: 'build',
  async generateBundle(_, bundle) {
    for (const asset of Object.values(bundle)) {
      if (asset.type !== 'asset' || !asset.fileName.endsWith('.woff2')) continue;
      const letters = lettersOf(asset.fileName.includes('latin-ext') ? EXTENDED : ALL);
      const options = { targetFormat: 'woff2', variationAxes: { wght: WEIGHTS } } as const;
      asset.source = await subsetFont(Buffer.from(asset.source), letters, options);
    }
  },
};

/**
 * Has the engines that know it (Chromium's) compile all of a file beside the page's own thread while it is fetched, and
 * not function by function once something is opened: nearly all of it is used. The mark has to be the first line.
 */
const compiledAhead: Plugin = {
  name: 'compiled-ahead',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk') chunk.code = `//# allFunctionsCalledOnLoad\n${chunk.code}`;
    },
  },
};

/** What asks the engine: a small file of its own, which is run as soon as it is there. */
const ASKING = 'early';
const early: Plugin = {
  name: ASKING,
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    // The page names it as something to be fetched ahead for its main script. It gets to run without waiting for that.
    handler: (page) =>
      page.replace(
        new RegExp(`<link rel="modulepreload" crossorigin href="([^"]*/${ASKING}-[^"]*)">`),
        '<script type="module" async crossorigin src="$1"></script>',
      ),
  },
};

export default defineConfig({
  plugins: [svelte(), svelteTesting(), smallerFonts, compiledAhead, early],
  css: { postcss: { plugins: [commonLetters] } },
  clearScreen: false,
  server: { port: DEVELOPMENT_PORT, strictPort: true, host: '127.0.0.1' },
  build: {
    target: 'es2022',
    // The content security policy allows no inline script, which the polyfill would be.
    modulePreload: { polyfill: false },
    // Nor any resource inside of a style sheet.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: ASKING, test: /\/src\/(early|backend\/first)\.ts$|@tauri-apps\/api\// }],
        },
      },
    },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/testSetup.ts'],
    include: ['src/**/*.test.ts'],
    // Generous, because a busy machine is slow and not wrong.
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // By itself it leaves a core out, which is half of two.
    maxWorkers: '100%',
  },
});
