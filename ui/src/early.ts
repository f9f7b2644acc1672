import { ask } from './backend/first';

// A script of its own (see `vite.config.ts`), which runs while the rest of the page is still fetched: once that runs, the
// answer is there.
if ('__TAURI_INTERNALS__' in window) ask();
