import { scriptedBackend, type ScriptedBackend } from '../scripted';
import {
  askingChange,
  askingDeeply,
  askingPermission,
  askingQuestion,
  askingToKeepGoing,
  askingWhatBecame,
  lookingForTools,
} from './asking';
import { handingOn } from './handed';
import {
  hostileSession,
  largePlan,
  lookingOnly,
  longSession,
  patentsDone,
  patentsProposed,
  patentsRunning,
  repeated,
  sampleSessions,
} from './samples';
import { keepSome } from './library';
import { everythingTooLong } from './overlong';
import type { World } from './world';

/** What a scripted backend can begin with, by name. */
const scenes: Record<string, (world: World) => void> = {
  empty: () => undefined,
  sample: sampleSessions,
  proposed: (world) => {
    sampleSessions(world);
    patentsProposed(world);
  },
  kept: (world) => {
    sampleSessions(world);
    patentsProposed(world);
    keepSome(world);
  },
  running: (world) => {
    sampleSessions(world);
    patentsRunning(world, 9);
  },
  elsewhere: (world) => {
    sampleSessions(world);
    patentsRunning(world, 9);
    world.scripts.clear();
    world.elsewhere = true;
  },
  abandoned: (world) => {
    sampleSessions(world);
    patentsRunning(world, 9);
    world.abandon();
  },
  confirm: (world) => {
    sampleSessions(world);
    patentsRunning(world, 200);
  },
  question: (world) => {
    sampleSessions(world);
    askingQuestion(world);
    patentsRunning(world, 200);
  },
  permit: (world) => {
    sampleSessions(world);
    askingPermission(world);
  },
  change: (world) => {
    sampleSessions(world);
    askingChange(world);
  },
  deep: (world) => {
    sampleSessions(world);
    askingDeeply(world);
  },
  handed: (world) => {
    sampleSessions(world);
    handingOn(world);
  },
  unknown: (world) => {
    sampleSessions(world);
    askingWhatBecame(world);
  },
  capped: (world) => {
    sampleSessions(world);
    askingToKeepGoing(world);
  },
  discovery: (world) => {
    sampleSessions(world);
    lookingForTools(world);
  },
  looking: (world) => {
    sampleSessions(world);
    lookingOnly(world);
  },
  done: (world) => {
    sampleSessions(world);
    patentsDone(world);
  },
  workflow: (world) => {
    sampleSessions(world);
    repeated(world);
  },
  offline: (world) => {
    sampleSessions(world);
    patentsProposed(world);
    world.offline = true;
  },
  first: (world) => {
    world.offline = true;
  },
  'first-servers': (world) => {
    world.offline = true;
    world.servers = true;
  },
  'first-serverless': (world) => {
    world.serverless = true;
  },
  serverless: (world) => {
    sampleSessions(world);
    patentsProposed(world);
    world.serverless = true;
  },
  silent: (world) => {
    sampleSessions(world);
    world.silent = true;
  },
  unopened: (world) => {
    world.unopened = {
      code: 'database_newer',
      message:
        'the database /home/ada/.local/share/assent/assent.db was written by a newer version of Assent (format 12, this one knows 9): update Assent; nothing was changed',
    };
  },
  locked: (world) => {
    world.unopened = {
      code: 'database_locked',
      message:
        'the database /home/ada/.local/share/assent/assent.db is locked by another program: close it and try again',
    };
  },
  large: (world) => void largePlan(world, 500),
  long: (world) => void longSession(world, 10_000),
  hostile: (world) => void hostileSession(world),
  overlong: (world) => void everythingTooLong(world),
};

/** A backend that begins with one of the scenes. */
export function openScene(name: string, now: number): ScriptedBackend {
  const backend = scriptedBackend(now);
  scenes[name]?.(backend.world);
  return backend;
}
