export const form = {
  nothing: 'It is called without arguments.',
  notNeeded: 'optional',
  onePerLine: 'one a line',
  faults: {
    needed: 'This is needed.',
    number: 'This has to be a number.',
    whole: 'This has to be a whole number.',
    json: 'This is no valid JSON.',
  },
};
