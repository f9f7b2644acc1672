import js from '@eslint/js';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-eslint';

const svelteParser = fileURLToPath(new URL('./eslint.svelte-parser.js', import.meta.url));

const features = readdirSync(new URL('./src/features', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** A layer may use those before it: backend, model, app, shared, features, views. No feature uses another one. */
const zones = [
  {
    target: './src/backend',
    from: ['./src/model', './src/app', './src/shared', './src/features', './src/views'],
  },
  { target: './src/model', from: ['./src/app', './src/shared', './src/features', './src/views'] },
  { target: './src/app', from: ['./src/shared', './src/features', './src/views'] },
  { target: './src/shared', from: ['./src/app', './src/features', './src/views'] },
  { target: './src/features', from: './src/views' },
  ...features.map((name) => ({
    target: `./src/features/${name}`,
    from: './src/features',
    except: [`./${name}`],
    message: 'A feature never imports another feature.',
  })),
];

export default ts.config(
  { ignores: ['dist/', 'node_modules/', 'src/backend/bindings/'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser } },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts', '.svelte'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'], [svelteParser]: ['.svelte'] },
      'import-x/resolver-next': [createTypeScriptImportResolver()],
    },
    rules: {
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-restricted-paths': ['error', { zones }],
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Model text is hostile: the one place that may build HTML sanitises it and says so.
      'svelte/no-at-html-tags': 'error',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
  },
  // What these keep beside their reactive fields is read by nothing that is shown.
  { files: ['src/app/*.svelte.ts'], rules: { 'svelte/prefer-svelte-reactivity': 'off' } },
  { files: ['*.js', '*.ts'], languageOptions: { globals: { ...globals.node } } },
);
