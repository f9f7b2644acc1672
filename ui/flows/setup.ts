import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { serve } from './serve';

declare module 'vitest' {
  interface ProvidedContext {
    address: string;
  }
}

/** Builds the page with the scripted backend once, and serves it under the window's content security policy. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-page-'));
  const { NODE_ENV: _env, VITEST: _vitest, ...env } = process.env;
  execFileSync(
    process.execPath,
    [
      'node_modules/vite/bin/vite.js',
      'build',
      '--mode',
      'scripted',
      '--outDir',
      folder,
      '--logLevel',
      'error',
    ],
    { env, stdio: 'inherit' },
  );
  const server = createServer(serve(folder));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  project.provide('address', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return () => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  };
}
