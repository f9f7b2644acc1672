import type { VaultCalls } from '../../backend/backend';
import type { CredentialView } from '../../backend/bindings';
import { backendError } from '../../backend/errors';
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

  constructor(name = '', hosts: readonly string[] = []) {
    this.name = name;
    this.hosts = hosts.join(', ');
  }

  /** Whether there is enough to be kept. */
  readonly complete: boolean = $derived.by(
    () => !!this.name.trim() && !!(this.hosts.trim() || this.tools.trim()) && !!this.secret.trim(),
  );

  /** Keeps it, and forgets the secret. Null where that could not be done: what is wrong stands in `faults`. */
  async keep(vault: VaultCalls): Promise<CredentialView | null> {
    const said = text.form.credential;
    this.faults = {};
    try {
      const { credential, key } = await vault.add({
        name: this.name.trim(),
        hosts: words(this.hosts).map(hostOf),
        tools: words(this.tools),
        secret: this.secret.trim(),
      });
      this.secret = '';
      const { name } = credential;
      announce(key.place === 'process' ? said.onlyNow(name, key.reason) : said.kept(name));
      return credential;
    } catch (thrown) {
      const { message, faults } = backendError(thrown);
      const place = FIELDS.find((field) => faults.some(({ path }) => path?.[0] === field));
      this.faults = { [place ?? 'secret']: message };
      return null;
    }
  }
}

const words = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

/** The host of an address; what is no address stays as it is, and the engine says what is wrong with it. */
function hostOf(text: string): string {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]+)/i.exec(text);
  return host?.[1] ?? text;
}
