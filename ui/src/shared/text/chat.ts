import type { ApprovalPolicy } from '../../backend/bindings';
import { counted, duration, short } from '../format';

/** A time that is told while it runs: a figure that changes each second. */
function seconds(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : duration(ms);
}

export const chat = {
  conversation: 'Conversation',
  you: 'You',
  onceMore: 'Once more',
  assent: 'Assent',
  composer: 'Message',
  placeholder: 'Write what you want done',
  reply: 'Reply, or type @ for files, tools and plans',
  queuePlaceholder: 'Write the next request: it is sent when this is over',
  secretPlaceholder: 'Answer above: what is written here is kept in the history, and models read it',
  answerPlaceholder: 'Answer the question, or write the next request',
  key: {
    title: 'A key seems to stand in this message',
    about:
      'What you send is kept in the history, and models read it. Kept as a credential it goes into calls to its hosts alone: write its name instead.',
    open: 'Keep it as a credential',
  },
  send: 'Send',
  sendQueued: 'Send when this is over',
  stop: 'Stop',
  stopPlanning: 'Stop planning',
  workspace: 'Workspace',
  chooseWorkspace: 'Choose a folder…',
  noWorkspace: 'No folder chosen',
  unusable: 'not there any more',
  saved: {
    label: 'A plan that you saved',
    resembles: (name: string) => `This resembles a plan you saved: ${name}`,
    found: (name: string) =>
      `This resembles a plan you saved: ${name}. Use, adapt or ignore it above the message.`,
    madeFor: 'Made for',
    use: 'Use',
    adapt: 'Adapt',
    ignore: 'Ignore',
    hints: {
      use: 'Proposes it as it is; it waits for your approval',
      adapt: 'Keeps its steps and puts in the values of this message; it waits for your approval',
      ignore: 'Plans this message anew',
    },
    sentResembles: (name: string) => `What you sent resembles a plan you saved: ${name}`,
    sentHints: {
      use: 'Stops planning and proposes it as it is; it waits for your approval',
      adapt:
        'Stops planning, keeps its steps and puts in the values of your message; it waits for your approval',
      ignore: 'Goes on planning',
    },
  },
  emptyTitle: 'What should be done?',
  /** By when plans need the person's word. */
  emptyText: {
    'always-ask':
      'You write a request. Assent answers with a plan that you can change. Nothing of it happens before you approve it.',
    effects:
      'You write a request. Assent answers with a plan that you can change. Nothing with an effect happens before you approve it.',
    'never-ask':
      'You write a request. Assent answers with a plan and carries it out at once, as you have chosen. What the plan does not grant, and what cannot be undone, still asks.',
  } satisfies Record<ApprovalPolicy, string>,
  examplesTitle: 'Three to begin with',
  examples: (policy: ApprovalPolicy) => [
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
      text: 'Which files here mention a deadline, and which deadline is the next one?',
      about:
        policy === 'always-ask'
          ? 'reads only: waits for your word all the same'
          : 'reads only: runs without asking',
    },
  ],
  reading: (ms: number) => `Reading your request${ms < 2000 ? '' : ` (${seconds(ms)})`}`,
  readingWhy:
    'A model on this machine first reads its instructions and your folder. The next request goes on from there and is faster.',
  planning: 'Planning',
  goesOn: 'A later message goes on from this plan.',
  showPlan: 'Show it',
  loadingModel: (ms: number) => `Loading the model… (${seconds(ms)})`,
  loadingWhy: 'It is read into memory once and stays there while you work.',
  answered: 'Assent has answered.',
  modelTrouble: 'The model did not answer; it is asked again',
  failed: 'This request failed',
  cancelled: 'Stopped.',
  carriedOut: (when: string, status: string) => `Run of ${when}: ${status}`,
  files: {
    label: 'Files that were written',
    made: 'created',
    changed: 'changed',
    line: 'line',
    lines: 'lines',
    open: (path: string, facts: string) => `Open ${path}, ${facts}`,
    openTip: (path: string) => `Open ${path}`,
    compare: (name: string) => `What changed in ${name}`,
    show: (name: string) => `Show ${name} in its folder`,
    all: (count: number) => `Show all ${count} files`,
    fewer: 'Show fewer files',
  },
  costs: (calls: number, tokens: number, ms: number | null) =>
    [counted(calls, 'model call', 'model calls'), `${short(tokens)} tokens`, ms === null ? '' : duration(ms)]
      .filter(Boolean)
      .join(' · '),
  cameAbout: 'How it came about',
  cameAboutWhy: 'What the planner was asked, and what it answered',
  meter: (calls: number, tokens: number) => `${counted(calls, 'call', 'calls')} · ${short(tokens)} tokens`,
  toolMeter: {
    label: (tokens: string, budget: string, whose: string) =>
      `Tools: ${tokens} of ${budget} tokens in the newest request, ${whose}`,
    tools: 'Tools',
    tokens: (whose: string) => `tokens in the newest request, ${whose}`,
    leftOut: (count: number) => `${counted(count, 'tool', 'tools')} left out`,
    show: 'Show which tools, and why',
  },
  meterHint: 'Model calls and tokens of this session',
  toEnd: 'To the newest',
  goneOffline: 'No model can be reached',
  answerFirst: 'Answer the question first: what is sent now would answer it',
  offlineHelp:
    'Sessions, plans and questions can be read, edited and decided without one. New requests need a model.',
  fetchModel: 'Set up a model',
  fetching: (name: string) => `${name} is being fetched`,
  notFetched: (name: string) => `${name} was not fetched`,
  showFetch: 'Show where it is fetched',
  mention: {
    label: 'What can be named',
    kinds: { file: 'file', plan: 'plan', session: 'session', tool: 'tool', specialist: 'specialist' },
    words: {
      plan: (title: string) => `the plan “${title}”`,
      session: (title: string) => `the session “${title}”`,
      specialist: (name: string) => `the specialist ${name}`,
    },
    steps: (count: number) => counted(count, 'step', 'steps'),
    found: (count: number) => `${counted(count, 'name', 'names')}; arrows choose, Enter takes`,
  },
  queue: {
    label: 'Messages that wait',
    waits: 'Sent when this is over',
    held: 'Held back: sent when you say so',
    steer: 'Stop and send now',
    now: 'Send now',
    edit: 'Change this message',
    remove: 'Take this message away',
    removed: 'Message taken away',
    added: 'Your message waits until this is over',
  },
  holder: {
    another: 'Another window or a command carries this out',
    here: 'This window carries this out, and is not done with it yet',
    anotherWhy: 'What it does is shown here; stopping and answers reach it.',
    nobody: 'Nobody carries this out any more',
    nobodyWhy: 'The program that did has ended. What is done stays done.',
    resume: 'Carry on here',
  },
  said: {
    done: (done: number, all: number | null, words: string) =>
      `${all === null ? done : `${done} of ${all}`} done: ${words.replace(/\.$/, '')}.`,
    failed: (number: string, words: string) => `Step ${number} failed: ${words.replace(/\.$/, '')}.`,
    skipped: (count: number) => `${counted(count, 'step', 'steps')} skipped.`,
    run: (status: string) => `Run ${status}.`,
    turnFailed: (why: string) => `This request failed: ${why.replace(/\.$/, '')}.`,
  },
  strip: {
    label: 'Progress of the plan',
    of: (done: number, all: number) => `${done} of ${all}`,
  },
};
