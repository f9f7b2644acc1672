export const form = {
  nothing: 'It is called without arguments.',
  notNeeded: 'optional',
  onePerLine: 'one a line',
  asJson: (inside: readonly string[]) =>
    inside.length > 0 ? `as JSON, with ${inside.join(', ')}` : 'as JSON',
  unseen: (label: string) => `Signs that cannot be seen stand in “${label}”`,
  removeUnseen: 'Take them out',
  /** What the sign ≈ before a number says. */
  rounded: '≈: a whole number longer than this window shows exactly. Its last digits may be others.',
  credential: {
    label: 'A credential',
    fields: { name: 'Name', hosts: 'Goes to', tools: 'Only into calls of', secret: 'Secret' },
    hints: {
      name: 'by which models know it: small letters, digits, -',
      hosts: 'hosts such as api.example.org',
      tools: 'names of tools; empty: every tool that talks to these hosts and to no other',
      secret: 'a password or key; it is not shown again',
    },
    kept: (name: string) => `${name} is in the keyring of this system`,
    onlyNow: (name: string, why: string) => `${name} is kept until Assent is closed: ${why}`,
    taken: (name: string, places: string) =>
      `${name} is kept already, for ${places}. Give this one another name.`,
    replace: 'Replace the one that is kept',
  },
  datePlaceholder: 'YYYY-MM-DD',
  faults: {
    needed: () => 'This is needed.',
    number: () => 'This has to be a number.',
    comma: () => 'The comma may mean thousands or decimals: write 1234, or 1.234 with a point.',
    digits: () =>
      'This whole number is longer than this window can send exactly. Up to 9007199254740991 each digit is kept.',
    whole: () => 'This has to be a whole number.',
    json: () => 'This is no valid JSON.',
    date: () => 'This has to be a day, as in 2026-02-28.',
    choice: () => 'This is none of what can be chosen.',
    type: (type) => (type === 'array' ? 'This has to be a list: […]' : 'This has to be an object: {…}'),
    least: (least) => `This has to be at least ${least}.`,
    most: (most) => `This has to be at most ${most}.`,
    above: (limit) => `This has to be more than ${limit}.`,
    below: (limit) => `This has to be less than ${limit}.`,
    short: (least) => `This needs at least ${least} characters.`,
    long: (most) => `This may have at most ${most} characters.`,
    pattern: (pattern) => `This has to match ${pattern}.`,
    few: (least) => `This needs at least ${least}.`,
    many: (most) => `This may have at most ${most}.`,
  } satisfies Record<string, (limit: string | number) => string> as Record<
    string,
    (limit: string | number) => string
  >,
};
