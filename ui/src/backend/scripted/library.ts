import type { LibraryCalls } from '../backend';
import type { Plan, SavedPlan, SavedPlanId, SavedPlanRow } from '../bindings';
import { exported } from './calls';
import { planOf } from './plans';
import { propose } from './stories';
import type { World } from './world';

const OUTLINED = 30;
const RESEMBLES = 0.5;

/** The library of the scripted engine. What resembles what is told by shared words alone. */
export function libraryCalls(world: World): LibraryCalls {
  const of = (id: SavedPlanId): SavedPlan =>
    world.saved.get(id) ?? world.fail('not_found', `there is no saved plan ${id}`);
  const named = (name: string, but?: SavedPlanId) =>
    [...world.saved.values()].find((one) => one.id !== but && one.name.toLowerCase() === name.toLowerCase());
  const fit = (name: string): string => {
    const fitting = name.trim().replace(/\s+/g, ' ');
    if (!fitting) world.fail('invalid', '"" is no name of a saved plan: it is empty');
    return fitting;
  };
  const change = (id: SavedPlanId, part: Partial<SavedPlanRow>): SavedPlanRow => {
    const changed = { ...of(id), ...part };
    world.saved.set(id, changed);
    return rowOf(changed);
  };
  const begin = (session: string, id: SavedPlanId, message: string | undefined, plan: Plan) => {
    world.session(session);
    const turn = world.id('turn');
    const place = { session, turn };
    world.commit(place, { kind: 'message_received', text: message ?? plan.userMessage });
    const { uses } = of(id);
    change(id, { uses: uses + 1, usedAt: world.now });
    propose(world, place, {
      ...plan,
      id: world.id('plan'),
      version: 1,
      supersedes: null,
      sessionId: session,
    });
  };
  return {
    list: async () => [...world.saved.values()].map(rowOf).sort((one, other) => last(other) - last(one)),
    get: async (id) => of(id),
    save: async (plan, version, { name, tags, replaces }) => {
      const document = world.version({ id: plan, version }).plan;
      const called = fit(name ?? document.title);
      const before = named(called);
      if (before && !replaces)
        world.fail(
          'name_taken',
          `there is already a saved plan "${called}": use another name, or have it replaced`,
        );
      const saved = savedOf(world, document, called, tagsOf(tags ?? []), before?.id);
      world.saved.set(saved.id, saved);
      return rowOf(saved);
    },
    rename: async (id, name) => {
      const called = fit(name);
      if (named(called, id))
        world.fail(
          'name_taken',
          `there is already a saved plan "${called}": use another name, or have it replaced`,
        );
      return change(id, { name: called });
    },
    tag: async (id, tags) => change(id, { tags: tagsOf(tags) }),
    remove: async (id) => void world.saved.delete(of(id).id),
    suggest: async (message) => {
      const alike = [...world.saved.values()].map((one) => ({
        saved: rowOf(one),
        likeness: likeness(message, one.message),
      }));
      return alike
        .filter((one) => one.likeness >= RESEMBLES)
        .sort((one, other) => other.likeness - one.likeness);
    },
    use: async (session, id, message) => begin(session, id, message, of(id).plan),
    adapt: async (session, id, message) => {
      const { plan, values } = of(id);
      const offered = valuesOf(message);
      let text = JSON.stringify({ ...plan, userMessage: '' });
      values.forEach(({ value }, at) => {
        const other = offered[at];
        if (other) text = text.replaceAll(value, other);
      });
      begin(session, id, message, { ...(JSON.parse(text) as Plan), userMessage: message });
    },
    export: async (id, format) => exported(of(id).plan, format),
  };
}

/** A plan as it is kept. */
export function savedOf(
  world: World,
  document: Plan,
  name: string,
  tags: string[],
  id: SavedPlanId = world.id('saved'),
): SavedPlan {
  return {
    id,
    name,
    tags,
    title: document.title,
    message: document.userMessage,
    outline: document.steps.slice(0, OUTLINED).map((step) => step.description),
    steps: document.steps.length,
    savedAt: world.now,
    usedAt: null,
    uses: 0,
    values: valuesOf(document.userMessage).map((value) => ({ kind: 'path', value })),
    plan: { ...document, id: 'saved', version: 1, supersedes: null, sessionId: '' },
  };
}

function rowOf({ values: _values, plan: _plan, ...row }: SavedPlan): SavedPlanRow {
  return row;
}

const last = (row: SavedPlanRow) => Math.max(row.savedAt, row.usedAt ?? 0);

const valuesOf = (message: string): string[] => message.match(/[\w/-]+\.[a-z]\w*/g) ?? [];

function tagsOf(tags: readonly string[]): string[] {
  const fitting = tags.map((tag) => tag.trim().replace(/^#/, '').toLowerCase()).filter(Boolean);
  return [...new Set(fitting)].sort();
}

function likeness(one: string, other: string): number {
  const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}]{4,}/gu) ?? []);
  const [here, there] = [words(one), words(other)];
  const shared = [...here].filter((word) => there.has(word)).length;
  return shared < 2 ? 0 : shared / Math.sqrt(here.size * there.size);
}

/** Three plans that are kept: one of the sessions that are there, two of sessions that are gone. */
export function keepSome(world: World): void {
  const patents = [...world.plans.values()]
    .map((all) => all.at(-1)?.plan)
    .find((plan) => /patents/.test(plan?.userMessage ?? ''));
  const report = planOf({
    title: 'Report the week',
    userMessage: 'Write a weekly report of the commits in this repository by author to report.md',
    steps: [
      { do: 'List the commits of the week by author', requiredTools: ['bash'] },
      { do: 'Write report.md', requiredTools: ['create_file'] },
    ],
  });
  const letters = planOf({
    title: 'Translate a letter',
    userMessage: 'Translate letter.txt into German and save it as letter.de.txt',
    steps: [{ do: 'Write letter.de.txt, the German of letter.txt', requiredTools: ['create_file'] }],
  });
  const all: [Plan | undefined, string, string[]][] = [
    [patents, 'Patents per licence', ['law']],
    [report, 'Weekly report', ['weekly']],
    [letters, 'Letters', []],
  ];
  for (const [plan, name, tags] of all) {
    if (!plan) continue;
    const saved = savedOf(world, plan, name, tags);
    world.saved.set(saved.id, saved);
  }
}
