import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
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

export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  css: { postcss: { plugins: [commonLetters] } },
  clearScreen: false,
  server: { port: DEVELOPMENT_PORT, strictPort: true, host: '127.0.0.1' },
  build: {
    target: 'es2022',
    // The content security policy allows no inline script, which the polyfill would be.
    modulePreload: { polyfill: false },
    // Nor any resource inside of a style sheet.
    assetsInlineLimit: 0,
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/testSetup.ts'],
    include: ['src/**/*.test.ts'],
    // Generous, because a busy machine is slow and not wrong.
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
