import type { DesktopCalls, ModelCalls, SettingsCalls, ToolCalls } from '../backend';
import type { KeyView, ModelOption, Provider, SettingsView } from '../bindings';
import { runStory } from './stories';
import { granted, planOf, referenceOf } from './plans';
import { specialists, tools } from './tools';
import type { World } from './world';

const starter: ModelOption = {
  id: 'embedded/starter',
  name: 'Qwen2.5-Coder 1.5B Instruct',
  source: 'embedded',
  state: 'ready',
  detail: '~/.local/share/assent/models',
  bytes: 1_117_320_768,
  licence: 'Apache-2.0',
  pullable: true,
};
const ollama: ModelOption = {
  id: 'ollama/qwen2.5:7b',
  name: 'qwen2.5:7b',
  source: 'found',
  state: 'ready',
  detail: 'http://127.0.0.1:11434',
  bytes: 4_683_087_332,
  licence: null,
  pullable: false,
};

export function modelCalls(world: World): ModelCalls {
  const chosen = { default: 'embedded/starter', planner: null as string | null, step: null as string | null };
  const keys = new Map<string, KeyView>();
  const own: Provider[] = [];
  const known: Provider[] = [
    {
      id: 'openai',
      baseUrl: 'https://api.openai.com/v1',
      protocol: 'openai',
      contextTokens: 128_000,
      plain: false,
    },
    {
      id: 'anthropic',
      baseUrl: 'https://api.anthropic.com',
      protocol: 'anthropic',
      contextTokens: 200_000,
      plain: false,
    },
    {
      id: 'ollama',
      baseUrl: 'http://127.0.0.1:11434/v1',
      protocol: 'openai',
      contextTokens: 8192,
      plain: true,
    },
  ];
  let pulled = 0;
  return {
    list: async () => ({
      models: [
        {
          ...starter,
          state: world.offline && pulled < 1 ? 'missing' : 'ready',
          detail: world.offline ? 'not fetched yet' : starter.detail,
        },
      ],
      chosen: { ...chosen },
      server: { ready: true, detail: '' },
    }),
    found: async () => (world.offline ? [] : [ollama]),
    choose: async (role, id) => {
      if (role === 'default') chosen.default = id ?? 'embedded/starter';
      else chosen[role] = id;
    },
    test: async (id) => {
      if (world.offline && pulled < 1)
        world.fail('model_missing', `the model ${id} is not there; fetch it first`);
      return { id, structured: true, durationMs: 1840, usage: { input: 42, cached: 0, output: 9 } };
    },
    pull: async (id) => {
      const total = starter.bytes ?? 0;
      for (const part of [0.02, 0.2, 0.43])
        world.tell({ type: 'pull', model: id, done: total * part, total });
      pulled = 1;
    },
    stopPull: async (id) =>
      world.tell({
        type: 'pull_ended',
        model: id,
        failure: { code: 'cancelled', message: 'stopped; what came is kept' },
      }),
    providers: async () =>
      [...known, ...own].map((provider) => ({
        provider,
        own: own.includes(provider),
        local: provider.baseUrl.includes('127.0.0.1'),
        key: keys.get(provider.id) ?? { place: 'none' },
      })),
    addProvider: async (provider) => {
      own.splice(0, own.length, ...own.filter((one) => one.id !== provider.id), provider);
    },
    removeProvider: async (id) => {
      own.splice(0, own.length, ...own.filter((one) => one.id !== id));
    },
    setKey: async (provider) => {
      const view: KeyView = { place: 'keyring' };
      keys.set(provider, view);
      return view;
    },
    forgetKey: async (provider) => void keys.delete(provider),
  };
}

export function toolCalls(world: World): ToolCalls {
  return {
    list: async () => tools,
    specialists: async () => specialists,
    call: async (session, tool) => {
      const turn = world.id('turn');
      world.commit({ session, turn }, { kind: 'message_received', text: tool });
      const plan = granted(
        planOf({
          id: world.id('plan'),
          sessionId: session,
          title: tool,
          steps: [{ do: tool, requiredTools: [tool] }],
        }),
      );
      world.plans.set(plan.id, [{ plan, reference: referenceOf(plan), status: 'approved' }]);
      world.commit(
        { session, turn },
        { kind: 'plan_proposed', plan: referenceOf(plan) },
        { kind: 'plan_approved', plan: referenceOf(plan), by: 'user' },
      );
      world.begin(session, runStory(world, { session, turn }, plan));
    },
  };
}

export function settingsCalls(world: World): SettingsCalls {
  let settings: SettingsView = {
    policy: 'effects',
    appearance: 'system',
    closing: 'keep_running',
    notifications: true,
    dataFolder: '~/.local/share/assent',
  };
  return {
    get: async () => settings,
    change: async (change) => (settings = { ...settings, ...change }),
    workspaces: async () => {
      const paths = new Set(
        [...world.sessions.values()].flatMap((row) => (row.workspace ? [row.workspace] : [])),
      );
      return [...paths].map((path) => ({
        path,
        name: path.split('/').pop() ?? path,
        usable: !path.includes('gone'),
      }));
    },
  };
}

export function desktopCalls(world: World): DesktopCalls {
  return {
    about: async () => ({ version: '0.1.0', dataFolder: '~/.local/share/assent', platform: 'scripted' }),
    doctor: async () => [
      { name: 'database', ok: true, detail: 'schema 3, in order' },
      { name: 'sandbox', ok: true, detail: 'bubblewrap' },
      {
        name: 'model',
        ok: !world.offline,
        detail: world.offline ? 'the starter model is not there; fetch it' : 'Qwen2.5-Coder 1.5B',
      },
    ],
    pickFolder: async () => '/home/ada/licences',
    openText: async () => ({
      path: '/home/ada/plan.json',
      text: '{"format":"assent.plan/1","title":"From a file","steps":[{"id":"s1","description":"Count the words","requiredTools":["wc"]},{"id":"s2"}]}',
    }),
    saveText: async (name) => `/home/ada/${name}`,
    openLink: async (address) => void world.opened.push(address),
  };
}
