import { ask } from './backend/first';

// A script of its own, which runs while the rest of the page is still fetched: by the time that this runs, the answer is there.
if ('__TAURI_INTERNALS__' in window) ask();
