import { createReadStream, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};

/** The policy that the window has, from its own configuration. */
function policy(): string {
  const config = JSON.parse(readFileSync('../tauri.conf.json', 'utf8')) as {
    app: { security: { csp: Record<string, string> } };
  };
  return Object.entries(config.app.security.csp)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

/** Answers with the files of a folder, each with the window's policy. */
export function serve(folder: string): (request: IncomingMessage, response: ServerResponse) => void {
  const csp = policy();
  return (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://page').pathname);
    const file = join(folder, path === '/' ? 'index.html' : path);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-security-policy': csp,
      // The files never change while they are served; a browser that may keep them also keeps what it compiled of them,
      // and opens the next page in two thirds of the time.
      'cache-control': 'max-age=3600',
    });
    createReadStream(file).pipe(response);
  };
}
