import type { DesktopCalls, ModelCalls, SettingsCalls, ToolCalls } from '../backend';
import type { KeyView, ModelOption, Provider, SettingsView, Workspace } from '../bindings';
import { runStory } from './stories';
import { granted, planOf, referenceOf } from './plans';
import { catalogueCalls, catalogueOf } from './catalogue';
import type { World } from './world';

const starter: ModelOption = {
  id: 'local/starter',
  name: 'Qwen2.5-Coder 1.5B Instruct',
  source: 'embedded',
  state: 'ready',
  detail: '~/.local/share/assent/models',
  bytes: 1_117_320_768,
  licence: 'Apache-2.0',
  pullable: true,
};
const meaning: ModelOption = {
  ...starter,
  id: 'local/meaning',
  name: 'all-MiniLM-L6-v2',
  source: 'search',
  detail: '~/.local/share/assent/models/all-MiniLM-L6-v2.bin',
  bytes: 91_099_884,
};
const added: ModelOption = {
  ...starter,
  id: 'local/mistral-7b',
  name: 'Mistral 7B Instruct',
  source: 'file',
  detail: '/home/ada/models/mistral-7b.gguf',
  bytes: 4_368_439_584,
  licence: null,
  pullable: false,
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
const studio: ModelOption = {
  ...ollama,
  id: 'lmstudio/gemma-2-9b-it',
  name: 'gemma-2-9b-it',
  detail: 'http://127.0.0.1:1234',
  bytes: null,
};

export function modelCalls(world: World): ModelCalls {
  const chosen = { default: 'local/starter', planner: null as string | null, step: null as string | null };
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
  /** An endpoint of one's own takes the place of a known one. */
  const providers = () => [...known.filter(({ id }) => own.every((one) => one.id !== id)), ...own];
  /** How much of a model has come, from 0 to 1. */
  const fetched = new Map<string, number>();
  const came = (id: string) => fetched.get(id) ?? (world.offline ? 0 : 1);
  let file: ModelOption | null = null;
  /** The models whose files turned out to hold something else. */
  const damaged = new Set<string>();
  const OTHER = 'it has the right size but other content';
  const pulled = (model: ModelOption): ModelOption => {
    if (damaged.has(model.id)) return { ...model, state: 'damaged', detail: OTHER };
    if (came(model.id) < 1) return { ...model, state: 'missing', detail: 'it is not fetched yet' };
    return model;
  };
  const options = () => {
    const named = [chosen.default, chosen.planner, chosen.step].flatMap((id) => id ?? []);
    const here = [pulled(starter), ...(file ? [file] : [])];
    const others = new Set(named.filter((id) => here.every((one) => one.id !== id)));
    return [
      ...here,
      ...[...others].map((id): ModelOption => {
        const [provider = ''] = id.split('/');
        const isKnown = providers().some((one) => one.id === provider);
        const gone = `${id} is not there any more; add its endpoint or file again, or choose another model`;
        return {
          ...ollama,
          id,
          name: id.slice(id.indexOf('/') + 1),
          source: 'endpoint',
          state: isKnown ? 'unknown' : 'missing',
          detail: isKnown ? provider : gone,
          bytes: null,
        };
      }),
    ];
  };
  return {
    list: async () => ({
      models: options(),
      search: pulled(meaning),
      chosen: { ...chosen },
      server: world.serverless
        ? { ready: false, detail: 'llama-server is not in ~/.local/share/assent/bin; install Assent anew' }
        : { ready: true, detail: '~/.local/share/assent/bin/llama-server' },
    }),
    found: async () => (world.servers ? [ollama, studio] : world.offline ? [] : [ollama]),
    choose: async (role, id) => {
      if (id !== null && !id.includes('/'))
        world.fail('invalid', `"${id}" names no model: write PROVIDER/NAME, such as local/starter`);
      if (role === 'default') chosen.default = id ?? 'local/starter';
      else chosen[role] = id;
    },
    test: async (id) => {
      if (id === 'local/starter' && came(id) < 1)
        world.fail('model_missing', `the model ${id} is not there; fetch it first`);
      if (id === 'local/starter' && world.spoiled) {
        damaged.add(id);
        world.fail('model_missing', `${id} cannot be used: ${OTHER}; fetch it again`);
      }
      const provider = id.split('/')[0] ?? '';
      const [asked] = [...own, ...known].filter((one) => one.id === provider);
      if (asked?.baseUrl.includes('.invalid'))
        world.fail('model_offline', `nobody answers at ${asked.baseUrl}: the name is not known`);
      if (asked && !asked.baseUrl.includes('127.0.0.1') && !keys.has(provider))
        world.fail('model_auth', `${asked.baseUrl} refuses the key: there is none; set one`);
      return { id, structured: true, durationMs: 1840, usage: { input: 42, cached: 0, output: 9 } };
    },
    pull: async (id) => {
      const total = (id === meaning.id ? meaning : starter).bytes ?? 0;
      // What is damaged is fetched from its beginning.
      if (damaged.delete(id)) fetched.set(id, 0);
      world.spoiled = false;
      for (const part of came(id) > 0 ? [0.43, 0.6] : [0.02, 0.2, 0.43]) {
        fetched.set(id, part);
        world.tell({ type: 'pull', model: id, done: total * part, total });
      }
      const whole = await new Promise<boolean>((ended) => (world.transfer = ended));
      if (!whole) world.fail('cancelled', 'stopped by you');
      fetched.set(id, 1);
      world.tell({ type: 'pull_ended', model: id, failure: null });
    },
    stopPull: async (id) => {
      world.transfer?.(false);
      world.transfer = null;
      world.tell({
        type: 'pull_ended',
        model: id,
        failure: { code: 'cancelled', message: 'stopped by you' },
      });
    },
    addFile: async () => {
      file = added;
      return added.id;
    },
    forgetFile: async (id) => {
      file = null;
      if (chosen.default === id) chosen.default = 'local/starter';
      for (const role of ['planner', 'step'] as const) if (chosen[role] === id) chosen[role] = null;
    },
    providers: async () =>
      providers().map((provider) => ({
        provider,
        own: own.includes(provider),
        local: provider.baseUrl.includes('127.0.0.1'),
        key: keys.get(provider.id) ?? (world.keyring.place === 'unknown' ? world.keyring : { place: 'none' }),
      })),
    addProvider: async (provider, replaces) => {
      const taken = providers().find(({ id, baseUrl }) => id === provider.id && baseUrl !== provider.baseUrl);
      if (taken && !replaces && (own.includes(taken) || keys.has(taken.id)))
        world.fail(
          'name_taken',
          `an endpoint "${taken.id}" at ${taken.baseUrl} is known already, and its key would go to the new address: give this one another name, or say that it replaces that`,
        );
      if (!/^https?:\/\//.test(provider.baseUrl))
        world.fail(
          'invalid',
          `"${provider.id}" cannot be added: its address has to begin with http:// or https://, such as http://127.0.0.1:8000/v1`,
        );
      own.splice(0, own.length, ...own.filter((one) => one.id !== provider.id), provider);
    },
    removeProvider: async (id) => {
      keys.delete(id);
      own.splice(0, own.length, ...own.filter((one) => one.id !== id));
      return world.keyring.place === 'process' ? world.keyring.reason : null;
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
    ...catalogueCalls(world),
    call: async (session, tool, args) => {
      world.session(session);
      const known =
        catalogueOf(world).tools.find((one) => one.name === tool) ??
        world.fail('no_tool', `there is no tool "${tool}"; see: assent tools list`);
      const turn = world.id('turn');
      const { required } = known.parameters as { required: string[] };
      const missing = required.filter((name) => !(name in (args as object)));
      if (missing.length > 0) world.fail('invalid', `${tool} needs ${missing.join(', ')}`);
      const text = `${tool} ${JSON.stringify(args)}`;
      world.commit({ session, turn }, { kind: 'message_received', text });
      const plan = granted(
        planOf({
          id: world.id('plan'),
          sessionId: session,
          title: tool,
          steps: [{ do: text, requiredTools: [tool] }],
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

const USUAL_BUDGET = 3800;
const ZOOMS = { least: 50, most: 300 };

export function settingsCalls(world: World): SettingsCalls {
  let settings: SettingsView = {
    policy: 'effects',
    delegation: 'expand',
    appearance: 'system',
    zoom: 100,
    closing: 'keep_running',
    notifications: true,
    workspace: null,
    toolBudget: USUAL_BUDGET,
    dataFolder: '~/.local/share/assent',
  };
  return {
    change: async ({ workspace, toolBudget, zoom, ...change }) => {
      if (toolBudget && (toolBudget < 100 || toolBudget > 200_000))
        world.fail('invalid', `${toolBudget} is no budget of tool descriptions: choose 100 to 200000 tokens`);
      if (workspace && !isUsable(workspace))
        world.fail(
          'folder_unusable',
          `the folder ${workspace} cannot be used: permission denied; choose another one`,
        );
      const folder = workspace
        ? { path: workspace, name: workspace.split('/').pop() ?? '', usable: true }
        : null;
      settings = {
        ...settings,
        ...change,
        ...(zoom !== undefined && { zoom: Math.min(ZOOMS.most, Math.max(ZOOMS.least, zoom)) }),
        ...(workspace !== undefined && { workspace: folder }),
        ...(toolBudget !== undefined && { toolBudget: toolBudget || USUAL_BUDGET }),
      };
      return settings;
    },
  };
}

/** Whether a folder is there for this person. */
function isUsable(path: string): boolean {
  return !path.startsWith('/root') && !path.includes('gone');
}

/** The folders of all sessions. */
export function workspacesOf(world: World): Workspace[] {
  const paths = new Set(
    [...world.sessions.values()].flatMap((row) => (row.workspace ? [row.workspace] : [])),
  );
  return [...paths].map((path) => ({
    path,
    name: path.split('/').pop() ?? path,
    usable: isUsable(path),
  }));
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
    saveText: async (name, text) => {
      const path = `/home/ada/${name}`;
      world.written.set(path, text);
      return path;
    },
    openData: async () => void world.opened.push('~/.local/share/assent'),
    openLink: async (address) => void world.opened.push(address),
    copy: (text) => navigator.clipboard.writeText(text),
    zoom: async (percent) => void (world.zoom = percent),
  };
}
