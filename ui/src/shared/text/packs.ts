import { counted } from '../format';

export const packs = {
  title: 'Packs',
  about:
    'Agents that Assent brings along for those who want them, and your own. Until you add a pack, nobody sees its agents.',
  standing: { absent: 'not added', added: 'added', changed: 'added, and changed', own: 'your own' },
  add: 'Add',
  addOf: (name: string) => `Add the pack ${name}`,
  addOwn: 'Add your own',
  folder: 'Folder of the pack',
  pick: 'Choose…',
  name: 'Name',
  nameHint: 'Small letters, digits, - and _. An agent.toml in it is the agent of this name.',
  check: 'Look at it',
  /** Everything that is wrong has to be mended first. */
  faulty: (count: number) =>
    count === 1 ? 'One thing has to be mended' : `${count} things have to be mended`,
  wholeFolder: 'the folder',
  noted: 'Good to know before you add it',
  fine: 'Nothing is wrong with it',
  copied: 'A copy of these files becomes the pack.',
  agents: 'Agents',
  specialists: 'Specialists',
  files: (count: number) => counted(count, 'file', 'files'),
  filesOf: (name: string) => `Files of the pack ${name}`,
  failed: 'It was not added',
  remove: 'Remove',
  removeOf: (name: string) => `Remove the pack ${name}`,
  busy: 'Another pack is just being added or removed',
  added: (name: string) => `The pack ${name} is added`,
  removed: (name: string) => `The pack ${name} is removed`,
  removeTitle: (name: string) => `Remove the pack ${name} with your changes?`,
  removeBody:
    'Its files differ from what Assent brings along. They are deleted, with all that was changed in them.',
  removeYes: 'Remove with changes',
  removeOwnTitle: (name: string) => `Remove your pack ${name}?`,
  removeOwnBody:
    'Its files in the data folder are deleted. A folder that you have added it from stays as it is.',
  removeOwnYes: 'Remove',
};
