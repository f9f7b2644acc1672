import type { VaultCalls } from '../../backend/backend';
import type { CredentialView } from '../../backend/bindings';
import { backendError, type BackendError } from '../../backend/errors';
import { announce } from '../announce.svelte';
import { text } from '../text';

/** A part of a credential that something is wrong with. */
export type CredentialField = 'name' | 'hosts' | 'tools' | 'secret';

const FIELDS: readonly CredentialField[] = ['name', 'hosts', 'tools', 'secret'];

/** A credential while it is written. Only here does its secret stand: no draft, no setting and no event has it. */
export class CredentialWords {
  name = $state('');
  hosts = $state('');
  tools = $state('');
  secret = $state('');
  faults = $state.raw<Partial<Record<CredentialField, string>>>({});
  /** What it was refused with when it was kept last. */
  refusal: BackendError | null = null;
  /** The name that was refused because it is taken, and what is kept under it. */
  #taken = $state.raw<{ name: string; says: string } | null>(null);
  /** The name of which the person said that what is kept under it is to be replaced. */
  #replaced: string | null = null;

  constructor(name = '', hosts: readonly string[] = []) {
    this.name = name;
    this.hosts = hosts.join(', ');
  }

  /** Whether there is enough to be kept. */
  readonly complete: boolean = $derived.by(
    () => !!this.name.trim() && !!(this.hosts.trim() || this.tools.trim()) && !!this.secret.trim(),
  );

  /** What is kept under this name, once it was refused for that. */
  get taken(): string | null {
    return this.#taken?.name === this.name.trim() ? this.#taken.says : null;
  }

  /** Has what is kept under this name replaced when this is kept next. */
  replace(): void {
    this.#replaced = this.name.trim();
  }

  /** Takes another name than those that are taken, where it still has the one that was proposed. */
  avoid(proposed: string, taken: readonly string[]): void {
    if (this.name === proposed) this.name = freeName(proposed, taken);
  }

  /** Keeps it, and forgets the secret. Null where that could not be done: what is wrong is told at its field. */
  async keep(vault: VaultCalls): Promise<CredentialView | null> {
    const said = text.form.credential;
    const given = {
      name: this.name.trim(),
      hosts: words(this.hosts).map(hostOf),
      tools: words(this.tools),
      secret: this.secret.trim(),
    };
    const replaces = this.#replaced === given.name;
    [this.faults, this.refusal, this.#taken, this.#replaced] = [{}, null, null, null];
    try {
      const { credential, key } = await vault.add(given, replaces);
      this.secret = '';
      const { name } = credential;
      announce(key.place === 'process' ? said.onlyNow(name, key.reason) : said.kept(name));
      return credential;
    } catch (thrown) {
      this.refusal = backendError(thrown);
      const { code, message, faults } = this.refusal;
      if (code === 'name_taken') {
        this.#taken = { name: given.name, says: (await keptUnder(given.name, vault)) ?? message };
        return null;
      }
      const place = FIELDS.find((field) => faults.some(({ path }) => path?.[0] === field));
      this.faults = { [place ?? 'secret']: message };
      return null;
    }
  }
}

/** The longest name of a credential. */
const LONGEST = 40;

/** A name, or the first one after it, that is not taken. */
function freeName(name: string, taken: readonly string[]): string {
  let free = name;
  for (let number = 2; taken.includes(free); number += 1)
    free = `${name.slice(0, LONGEST - `-${number}`.length)}-${number}`;
  return free;
}

/** What is kept under a name, as it is told to a person; null where that cannot be looked up. */
async function keptUnder(name: string, vault: VaultCalls): Promise<string | null> {
  const kept = await vault.list().catch(() => []);
  const one = kept.find((other) => other.name === name);
  return one ? text.form.credential.taken(name, [...one.hosts, ...one.tools].join(', ')) : null;
}

const words = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

/** The host of an address; what is no address stays as it is, and the engine says what is wrong with it. */
function hostOf(text: string): string {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]+)/i.exec(text);
  return host?.[1] ?? text;
}
