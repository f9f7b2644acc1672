import type { Event, RequestRow, SessionRow } from './bindings';

type Kind<K extends Event['kind']> = Extract<Event, { kind: K }>;

/** The row of a session, as the engine has it when the session begins. */
export function createdSession(event: Kind<'session_created'>): SessionRow {
  return {
    id: event.session,
    title: event.title,
    kind: event.sessionKind,
    workspace: event.workspace ?? null,
    archived: false,
    createdAt: event.at,
    updatedAt: event.at,
    run: null,
    runStatus: null,
    openRequests: 0,
  };
}

/** The row of a request, as the engine has it when the request opens. */
export function openedRequest(event: Kind<'request_opened'>): RequestRow {
  return {
    request: event.request,
    session: event.session,
    turn: event.turn ?? null,
    run: event.run ?? null,
    step: event.step ?? null,
    status: 'open',
    answer: null,
    draft: null,
    openedAt: event.at,
  };
}
