/** Every text that a person reads, in one place, by the part of the window it stands in. */
import { chat } from './text/chat';
import { form } from './text/form';
import { inspect } from './text/inspect';
import { plan } from './text/plan';
import { settings } from './text/settings';
import { common, markdown, nav, start, states } from './text/window';

export const text = { common, markdown, nav, start, states, chat, plan, inspect, settings, form } as const;
