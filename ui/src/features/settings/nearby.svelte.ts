import type { App } from '../../app/app.svelte';
import type { ModelOption } from '../../backend/bindings';

/** The models of this application together with those that servers on this machine offer at the moment. */
export class Nearby {
  found = $state.raw<readonly ModelOption[] | null>(null);
  looking = $state(false);

  constructor(
    private readonly app: App,
    private readonly beside: App['beside'] = (act, name) => app.beside(act, name),
  ) {}

  readonly all: readonly ModelOption[] = $derived.by(() => {
    const own = this.app.models?.models ?? [];
    return [...own, ...(this.found ?? []).filter((one) => !own.some((other) => other.id === one.id))];
  });

  async look(): Promise<void> {
    this.looking = true;
    await this.beside(async () => void (this.found = await this.app.backend.models.found()), 'found');
    this.looking = false;
  }
}
