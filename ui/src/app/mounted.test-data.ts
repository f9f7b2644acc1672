import { render } from '@testing-library/svelte';
import type { Component } from 'svelte';
import type { Plan, PlanRef } from '../backend/bindings';
import type { ScriptedBackend } from '../backend/scripted';
import { openScene } from '../backend/scripted/scenes';
import { proposeAnew } from '../backend/scripted/stories';
import { App } from './app.svelte';
import type { Clock } from './clock';
import { contextOf } from './context';

const NOW = 1_700_000_000_000;

/** Time that passes when a test says so. */
export class HandClock implements Clock {
  #now = NOW;
  #due = new Set<{ at: number; act: () => void }>();

  now(): number {
    return this.#now;
  }

  every(): () => void {
    return () => undefined;
  }

  after(ms: number, act: () => void): () => void {
    const entry = { at: this.#now + ms, act };
    this.#due.add(entry);
    return () => this.#due.delete(entry);
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const entry of [...this.#due]) {
      if (entry.at > this.#now) continue;
      this.#due.delete(entry);
      entry.act();
    }
  }
}

/** The state of a window on the scripted engine, without a window. */
export async function appOn(
  scene: string,
): Promise<{ app: App; backend: ScriptedBackend; clock: HandClock }> {
  const clock = new HandClock();
  const backend = openScene(scene, NOW);
  const app = new App(backend, clock);
  await app.start();
  return { app, backend, clock };
}

/** One more plan of the session that a plan belongs to. */
export function another({ world }: ScriptedBackend, plan: Plan, title: string): PlanRef {
  return proposeAnew(world, plan.sessionId, { ...plan, title });
}

/** A component by itself, in the state of a window. */
export function mounted<Props extends Record<string, unknown>>(
  component: Component<Props>,
  props: Props,
  app: App,
) {
  return render(component, { props, context: contextOf(app) } as never);
}
