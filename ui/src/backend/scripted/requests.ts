import type { RequestCalls } from '../backend';
import type { Answer, FileLook, JsonValue, RequestRow } from '../bindings';
import { changeOf } from './change';
import type { World } from './world';

export function requestCalls(world: World): RequestCalls {
  const open = (id: string) => world.requests.get(id) ?? world.fail('not_found', `there is no request ${id}`);
  const look = ({ request }: RequestRow, args: JsonValue | undefined): FileLook => {
    const now = args ?? request.arguments ?? null;
    const change = changeOf(world, request.tool ?? '', now);
    const file = 'path' in change ? world.texts.get(change.path) : null;
    return { change, seen: JSON.stringify([change, now, file ?? null]) };
  };
  return {
    open: async () =>
      [...world.requests.values()].filter((row) => row.status === 'open').map((row) => ({ ...row })),
    get: async (id) => ({ ...open(id) }),
    answer: async (id, answer, seen) => {
      const row = open(id);
      if (row.status !== 'open') world.fail('settled', `this is already ${row.status}`);
      const changed = answer.type === 'approve' ? answer.arguments : undefined;
      if (seen !== undefined && seen !== look(row, changed).seen)
        world.fail('file_changed', 'the file was changed after you looked');
      allow(world, row, answer);
      if (answer.type === 'value' && row.request.kind === 'question')
        return answerByMessage(world, row, answer, inWords(answer.value));
      const place = {
        session: row.session,
        ...(row.turn && { turn: row.turn }),
        ...(row.run && { run: row.run }),
        ...(row.step && { step: row.step }),
      };
      world.commit(place, { kind: 'request_answered', request: id, answer });
    },
    keepDraft: async (id, draft) => {
      const row = open(id);
      if (row.status !== 'open') world.fail('not_found', `there is no open request ${id}`);
      row.draft = Object.keys(draft).length > 0 ? draft : null;
    },
    change: async (id, args) => look(open(id), args),
    allowed: async () => [...world.allowances],
    revoke: async (id) => {
      if (!world.allowances.some((one) => one.id === id))
        world.fail('not_found', `there is no permission ${id}`);
      world.allowances = world.allowances.filter((one) => one.id !== id);
    },
  };
}

/** Settles a question by the next message of its chat, in whose turn the run goes on. */
export function answerByMessage(world: World, row: RequestRow, answer: Answer, text: string): void {
  const place = { session: row.session, turn: world.id('turn') };
  const { id: request } = row.request;
  world.commit(place, { kind: 'message_received', text, answers: request });
  world.commit(
    { ...place, ...(row.run && { run: row.run }), ...(row.step && { step: row.step }) },
    { kind: 'request_answered', request, answer },
  );
}

/** Keeps a permission that reaches further than its call. */
function allow(world: World, { request, ...row }: RequestRow, answer: Answer): void {
  if (answer.type !== 'approve' || !answer.reach || answer.reach === 'once') return;
  const { reach } = answer;
  if (!request.reaches?.includes(reach))
    world.fail(
      'answer_unfit',
      `this permission cannot reach further than ${['once', ...(request.reaches ?? [])].join(', ')}`,
    );
  world.allowances.unshift({
    id: request.id,
    tool: request.tool ?? '',
    reach,
    workspace: world.session(row.session).workspace ?? '',
    run: reach === 'workspace' ? null : row.run,
    step: reach === 'step' ? row.step : null,
    at: world.now,
  });
}

/** What a person has chosen on a card, as they would say it. */
function inWords(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(inWords).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
