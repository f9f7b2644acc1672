import type { CredentialView } from '../bindings';
import type { VaultCalls } from '../backend';
import type { World } from './world';

/** The vault with the engine's rules for names and hosts; secrets are thrown away. */
export function vaultCalls(world: World): VaultCalls {
  const invalid = (place: string, message: string) =>
    world.fail('invalid', message, [{ stage: 'tool_arguments', path: [place], message }]);
  return {
    list: async () => [...world.vault],
    add: async ({ name, hosts, tools, secret }, replaces) => {
      if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
        invalid('name', `"${name}" is no name of a credential: use small letters, digits and -`);
      if (hosts.length + tools.length === 0)
        invalid('hosts', 'say where the credential may go: a host such as api.example.org, or a tool');
      const kept = world.vault.find((one) => one.name === name);
      if (kept && !replaces)
        world.fail(
          'name_taken',
          `a credential "${name}" for ${(kept.hosts.length > 0 ? kept.hosts : kept.tools).join(', ')} is kept already: give this one another name, or say that it replaces that`,
        );
      if (secret.length < 8) invalid('secret', 'a secret has 8 to 16384 bytes');
      const places = [...hosts, ...tools].join(', ');
      const told = `It is in the vault, for ${places}: write {$vault:${name}} where it goes.`;
      const credential: CredentialView = { name, hosts: [...hosts], tools: [...tools], told };
      const others = world.vault.filter((one) => one.name !== name);
      world.vault = [...others, credential].sort((one, other) => one.name.localeCompare(other.name));
      return { credential, key: world.keyring };
    },
    remove: async (name) => {
      if (!world.vault.some((one) => one.name === name))
        world.fail('not_found', `there is no credential "${name}" in the vault`);
      world.vault = world.vault.filter((one) => one.name !== name);
    },
  };
}
