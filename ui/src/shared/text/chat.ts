import { counted, duration, short } from '../format';

export const chat = {
  conversation: 'Conversation',
  you: 'You',
  assent: 'Assent',
  composer: 'Message',
  placeholder: 'Write what you want done',
  reply: 'Reply, or write the next request',
  answerPlaceholder: 'Answer the question, or write the next request',
  send: 'Send',
  stop: 'Stop',
  newline: 'Shift Enter for a new line',
  workspace: 'Workspace',
  chooseWorkspace: 'Choose a folder…',
  noWorkspace: 'No folder chosen',
  recent: 'Recent folders',
  unusable: 'not there any more',
  emptyTitle: 'What should be done?',
  emptyText:
    'You write a request. Assent answers with a plan that you can change. Nothing with an effect happens before you approve it.',
  examplesTitle: 'Three to begin with',
  examples: [
    {
      title: 'Count, then write a table',
      text: 'For each licence here, count the lines that mention patents, in any case. Write a table, highest first, to patents.md.',
      about: 'reads all files, writes one',
    },
    {
      title: 'Collect what is left to do',
      text: 'Collect every TODO in this folder, group them by file, and write them to todo.md. Ask me before you write.',
      about: 'asks you before it writes',
    },
    {
      title: 'Only look',
      text: 'Which files here are larger than a megabyte, and what are they for?',
      about: 'reads only: runs without asking',
    },
  ],
  thinking: 'Reading your request',
  planning: 'Planning',
  loadingModel: (ms: number) => `Loading the model (${duration(ms)})`,
  planningSteps: (count: number) => `Planning: ${counted(count, 'step', 'steps')} so far`,
  answering: 'Answering',
  answered: 'Assent has answered',
  modelTrouble: 'The model did not answer; it is asked again',
  failed: 'This request failed',
  cancelled: 'Stopped.',
  asked: 'Waiting for your answer.',
  thoughts: 'Thoughts',
  costs: (calls: number, tokens: number, ms: number | null) =>
    [counted(calls, 'model call', 'model calls'), `${short(tokens)} tokens`, ms === null ? '' : duration(ms)]
      .filter(Boolean)
      .join(' · '),
  meter: (calls: number, tokens: number) => `${counted(calls, 'call', 'calls')} · ${short(tokens)} tokens`,
  meterHint: 'Model calls and tokens of this session',
  toEnd: 'To the newest',
  sendFailed: 'The message was not sent',
  loadFailed: 'The session could not be read',
  goneOffline: 'No model can be reached',
  offlineHelp:
    'Sessions, plans and questions can be read, edited and decided without one. New requests need a model.',
  fetchModel: 'Set up a model',
  youAnswered: 'Your answer',
  messageTooLong: (shown: string) => `Only the first ${shown} are shown`,
  strip: {
    label: 'Progress of the plan',
    of: (done: number, all: number) => `${done} of ${all}`,
    show: 'Show steps',
  },
};
